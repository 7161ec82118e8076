#include "db/outbox.h"

namespace stepscope::db {

void Outbox::add(RequestId request_id) {
  database_.prepare("INSERT INTO outbox (request_id, wanted) VALUES (?1, 1)")
      .bind(1, request_id)
      .run();
}

void Outbox::touch(RequestId request_id) {
  database_.prepare("UPDATE outbox SET wanted = wanted + 1 WHERE request_id = ?1")
      .bind(1, request_id)
      .run();
}

std::optional<PendingReply> Outbox::next(std::int64_t now_ms) {
  Statement row = database_.prepare(
      "SELECT request_id, wanted, comment_id, post_attempted, last_body_sha256, attempts, "
      "last_sent_ms FROM outbox WHERE wanted > sent AND refusal IS NULL AND not_before_ms <= ?1 "
      "ORDER BY not_before_ms, request_id LIMIT 1");
  if (!row.bind(1, now_ms).step()) return std::nullopt;
  PendingReply reply;
  reply.request_id = row.integer(0);
  reply.wanted = row.integer(1);
  reply.comment_id = row.optional_integer(2);
  reply.post_attempted = row.integer(3) != 0;
  reply.last_body_sha256 = row.text(4);
  reply.attempts = static_cast<int>(row.integer(5));
  reply.last_sent_ms = row.optional_integer(6);
  return reply;
}

std::optional<std::int64_t> Outbox::next_due_ms() {
  Statement row = database_.prepare(
      "SELECT min(not_before_ms) FROM outbox WHERE wanted > sent AND refusal IS NULL");
  row.step();
  return row.optional_integer(0);
}

void Outbox::note_post_attempt(RequestId request_id) {
  database_.prepare("UPDATE outbox SET post_attempted = 1 WHERE request_id = ?1")
      .bind(1, request_id)
      .run();
}

void Outbox::sent(RequestId request_id, std::int64_t wanted, std::int64_t comment_id,
                  std::string_view body_sha256, std::int64_t now_ms, std::int64_t not_before_ms) {
  database_
      .prepare(
          "UPDATE outbox SET sent = max(sent, ?2), comment_id = ?3, last_body_sha256 = ?4, "
          "last_sent_ms = ?5, not_before_ms = ?6, attempts = 0, error = '', post_attempted = 0 "
          "WHERE request_id = ?1")
      .bind(1, request_id)
      .bind(2, wanted)
      .bind(3, comment_id)
      .bind(4, body_sha256)
      .bind(5, now_ms)
      .bind(6, not_before_ms)
      .run();
}

void Outbox::failed(RequestId request_id, std::string_view error, std::int64_t not_before_ms) {
  database_
      .prepare(
          "UPDATE outbox SET attempts = attempts + 1, error = ?2, not_before_ms = ?3 "
          "WHERE request_id = ?1")
      .bind(1, request_id)
      .bind(2, error)
      .bind(3, not_before_ms)
      .run();
}

void Outbox::postpone(RequestId request_id, std::int64_t not_before_ms) {
  database_.prepare("UPDATE outbox SET not_before_ms = ?2 WHERE request_id = ?1")
      .bind(1, request_id)
      .bind(2, not_before_ms)
      .run();
}

void Outbox::forget_comment(RequestId request_id) {
  // Nothing of the reply stands on the issue any more, so it is due even if nothing has changed.
  database_
      .prepare(
          "UPDATE outbox SET comment_id = NULL, post_attempted = 0, last_body_sha256 = '', "
          "sent = min(sent, wanted - 1), deleted = deleted + 1, "
          "refusal = iif(deleted > 0, 'it was deleted twice', refusal) WHERE request_id = ?1")
      .bind(1, request_id)
      .run();
}

void Outbox::refuse(RequestId request_id, std::string_view reason) {
  database_.prepare("UPDATE outbox SET refusal = ?2 WHERE request_id = ?1")
      .bind(1, request_id)
      .bind(2, reason)
      .run();
}

std::optional<std::string> Outbox::refusal(RequestId request_id) {
  Statement row =
      database_.prepare("SELECT refusal FROM outbox WHERE request_id = ?1 AND refusal IS NOT NULL");
  if (!row.bind(1, request_id).step()) return std::nullopt;
  return row.text(0);
}

std::optional<std::int64_t> Outbox::comment_id(RequestId request_id) {
  Statement row = database_.prepare("SELECT comment_id FROM outbox WHERE request_id = ?1");
  if (!row.bind(1, request_id).step()) return std::nullopt;
  return row.optional_integer(0);
}

}  // namespace stepscope::db
