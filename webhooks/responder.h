#pragma once
// Keeps our comment on every issue at what is true: takes due replies from the outbox, renders them
// and posts or edits. One comment a request whatever happens: before a first post the issue is
// searched for our own marker, and the attempt is on disk before the post leaves. One coroutine;
// all database work runs on the given pool of one thread.

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>

#include "db/database.h"
#include "db/outbox.h"
#include "db/run.h"
#include "runtime/blocking_pool.h"
#include "runtime/clock.h"
#include "runtime/retry.h"
#include "runtime/wakeup.h"
#include "webhooks/github_client.h"

namespace stepscope::webhooks {

struct ResponderLimits {
  std::int64_t edit_interval_ms =
      30'000;  // between two edits of a comment; the last one never waits
  std::int64_t write_interval_ms =
      1'000;  // between two writes of an installation (GitHub's advice)
  std::int64_t search_margin_ms = 600'000;  // how far GitHub's clock may be behind ours
  std::int64_t queue_refresh_ms = 60'000;   // how often waiting requests are looked at again
  std::int64_t idle_ms = 5'000;             // how long a change waits at most without a poke
  // Server errors, broken connections, a refused sign-in: 288 tries are two days.
  runtime::RetryPolicy outage{.first_ms = 5'000, .longest_ms = 600'000, .attempts_max = 288};
  // Refusals that a retry rarely mends: not found, not allowed, not valid.
  runtime::RetryPolicy refusal{.first_ms = 10'000, .longest_ms = 600'000, .attempts_max = 5};
};

struct ResponderSettings {
  std::string public_url;  // of our own pages; empty: no links
  std::string mention;     // our name, without the @
  ResponderLimits limits;
  // Safe Markdown for what a request's jobs do not say: help, questions, refusals. May be empty.
  std::function<std::string(const db::Request&)> explain;
  // What a link to a run needs to open without a token. May be empty.
  std::function<std::string(db::JobId)> link_suffix;
};

// What the responder works with; all of it outlives the responder. `database` is touched on
// `db_pool` only, which has one thread.
struct ResponderParts {
  boost::asio::any_io_executor executor;
  const runtime::Clock& clock;
  runtime::BlockingPool& db_pool;
  db::Database& database;
  GitHubClient& client;
};

class Responder {
 public:
  Responder(ResponderParts parts, ResponderSettings settings);

  // Runs until cancelled.
  boost::asio::awaitable<void> run();
  // Deals with one due reply, by at most one write. False: none was due.
  boost::asio::awaitable<bool> step();
  // Marks the replies of waiting requests as due: their place in the queue moves, and so does how
  // long no worker has been seen.
  boost::asio::awaitable<void> refresh_queued();
  // Something changed in the outbox.
  void poke() { wakeup_.poke(); }

 private:
  struct Turn {
    db::PendingReply reply;
    db::Request request;
    std::string body;
    std::string body_sha256;
    bool is_final = false;
  };

  Turn render(const db::PendingReply& reply, std::int64_t now_ms) const;
  std::int64_t ready_at_ms(const Turn& turn) const;
  void note_write(const Turn& turn);
  boost::asio::awaitable<void> handle(db::PendingReply reply);
  boost::asio::awaitable<GitHubResult<std::int64_t>> write(Turn turn);
  boost::asio::awaitable<GitHubResult<std::int64_t>> edit(Turn turn, std::int64_t comment_id);
  boost::asio::awaitable<GitHubResult<std::int64_t>> find_or_post(Turn turn);
  boost::asio::awaitable<void> store_sent(Turn turn, std::int64_t comment_id, bool edited);
  boost::asio::awaitable<void> postpone(db::RequestId id, std::int64_t until_ms);
  boost::asio::awaitable<void> store_failure(db::PendingReply reply, GitHubError error);
  boost::asio::awaitable<void> refuse(Turn turn, GitHubError error);
  boost::asio::awaitable<void> turn_or_rest();

  ResponderParts parts_;
  ResponderSettings settings_;
  runtime::Wakeup wakeup_;
  std::map<std::int64_t, std::int64_t> next_write_ms_;  // by installation
  std::int64_t next_refresh_ms_ = 0;
};

}  // namespace stepscope::webhooks
