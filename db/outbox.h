#pragma once
// What GitHub has still to be told, by state and not by message: one row a request, with a counter
// that goes up whenever its comment should change. The responder renders what is true when it sends
// and stores the counter it had read; so nothing is lost or doubled, and bursts fall together by
// themselves.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "db/database.h"
#include "db/run.h"

namespace stepscope::db {

struct PendingReply {
  RequestId request_id = 0;
  std::int64_t wanted = 0;                 // the counter that this rendering will satisfy
  std::optional<std::int64_t> comment_id;  // absent: not posted yet, or not known to be
  bool post_attempted = false;  // a post may have reached GitHub: look for it before posting again
  std::string last_body_sha256;
  int attempts = 0;  // failures in a row
  std::optional<std::int64_t> last_sent_ms;
};

class Outbox {
 public:
  explicit Outbox(Database& database) : database_(database) {}

  // Gives a request its reply, due at once. Part of the caller's transaction (Jobs::enqueue).
  void add(RequestId request_id);
  // Marks the reply of a request as due. Part of the caller's transaction. A request without a
  // reply (source "api", "cli") is passed over.
  void touch(RequestId request_id);
  // The due reply with the earliest not-before time at or before now; nothing when there is none.
  std::optional<PendingReply> next(std::int64_t now_ms);
  // When the next reply becomes due, if any is waiting.
  std::optional<std::int64_t> next_due_ms();
  // Before the first POST leaves.
  void note_post_attempt(RequestId request_id);
  // GitHub has it: comment id, what was sent, and not before when the next edit may go.
  void sent(RequestId request_id, std::int64_t wanted, std::int64_t comment_id,
            std::string_view body_sha256, std::int64_t now_ms, std::int64_t not_before_ms);
  // Try again later.
  void failed(RequestId request_id, std::string_view error, std::int64_t not_before_ms);
  // Puts it off without counting a failure (an edit too soon after the last one).
  void postpone(RequestId request_id, std::int64_t not_before_ms);
  // The comment was deleted: forget its id so that it is posted once more. The second time is a
  // refusal for good.
  void forget_comment(RequestId request_id);
  // GitHub refuses for good (locked, gone, archived): stop, and say why on the run's page.
  void refuse(RequestId request_id, std::string_view reason);
  std::optional<std::string> refusal(RequestId request_id);
  std::optional<std::int64_t> comment_id(RequestId request_id);

 private:
  Database& database_;
};

}  // namespace stepscope::db
