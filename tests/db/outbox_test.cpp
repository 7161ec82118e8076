#include "db/outbox.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "db/jobs.h"
#include "tests/db/fixtures.h"

using namespace stepscope::db;
using stepscope::tests::AfterCrash;
using stepscope::tests::enqueue_job;
using stepscope::tests::existing;
using stepscope::tests::github_request;
using stepscope::tests::kCpuToy;
using stepscope::tests::some_config;
using stepscope::tests::TestDatabase;

namespace {

// A refusal: a request with a reply and no job.
RequestId add_request(Database& database, std::int64_t comment_id) {
  return Jobs(database).enqueue(github_request(comment_id), "created", {}, 1000).request_id;
}

}  // namespace

TEST_CASE("a new request is due at once, before anything was posted") {
  TestDatabase database;
  Outbox outbox(*database);
  CHECK_FALSE(outbox.next(1000).has_value());
  CHECK_FALSE(outbox.next_due_ms().has_value());
  const RequestId id = add_request(*database, 1);
  const PendingReply reply = existing(outbox.next(0));
  CHECK(reply.request_id == id);
  CHECK(reply.wanted == 1);
  CHECK_FALSE(reply.comment_id.has_value());
  CHECK_FALSE(reply.post_attempted);
  CHECK(reply.last_body_sha256.empty());
  CHECK(reply.attempts == 0);
  CHECK_FALSE(reply.last_sent_ms.has_value());
  CHECK(outbox.next_due_ms() == 0);
}

TEST_CASE("what was sent is quiet until something changes, then waits for its time") {
  TestDatabase database;
  Outbox outbox(*database);
  const RequestId id = add_request(*database, 1);
  outbox.note_post_attempt(id);
  CHECK(existing(outbox.next(0)).post_attempted);
  outbox.sent(id, 1, 77, "sha", 1000, 6000);
  CHECK_FALSE(outbox.next(100'000).has_value());
  CHECK_FALSE(outbox.next_due_ms().has_value());
  CHECK(outbox.comment_id(id) == 77);
  outbox.touch(id);
  CHECK_FALSE(outbox.next(5999).has_value());
  CHECK(outbox.next_due_ms() == 6000);
  const PendingReply reply = existing(outbox.next(6000));
  CHECK(reply.wanted == 2);
  CHECK(reply.comment_id == 77);
  CHECK_FALSE(reply.post_attempted);
  CHECK(reply.last_body_sha256 == "sha");
  CHECK(reply.last_sent_ms == 1000);
}

TEST_CASE("a change while a reply is on its way is not lost") {
  TestDatabase database;
  Outbox outbox(*database);
  const RequestId id = add_request(*database, 1);
  const PendingReply reply = existing(outbox.next(0));
  outbox.touch(id);
  outbox.touch(id);
  outbox.sent(id, reply.wanted, 77, "sha", 1000, 1000);
  CHECK(existing(outbox.next(1000)).wanted == 3);  // two changes, one edit
  outbox.sent(id, 3, 77, "sha3", 2000, 2000);
  outbox.sent(id, 2, 77, "sha2", 2100, 2100);  // an answer that comes late takes nothing back
  CHECK_FALSE(outbox.next(3000).has_value());
}

TEST_CASE("failures are counted until something is sent; a delay is none") {
  TestDatabase database;
  Outbox outbox(*database);
  const RequestId id = add_request(*database, 1);
  outbox.failed(id, "HTTP 502", 2000);
  outbox.failed(id, "HTTP 502", 4000);
  CHECK_FALSE(outbox.next(3999).has_value());
  CHECK(existing(outbox.next(4000)).attempts == 2);
  outbox.postpone(id, 5000);
  CHECK_FALSE(outbox.next(4999).has_value());
  CHECK(existing(outbox.next(5000)).attempts == 2);
  outbox.sent(id, 1, 77, "sha", 5000, 5000);
  outbox.touch(id);
  CHECK(existing(outbox.next(5000)).attempts == 0);
}

TEST_CASE("the earliest reply comes first") {
  TestDatabase database;
  Outbox outbox(*database);
  const RequestId first = add_request(*database, 1);
  const RequestId second = add_request(*database, 2);
  const RequestId third = add_request(*database, 3);
  outbox.postpone(first, 3000);
  outbox.postpone(second, 2000);
  outbox.postpone(third, 2000);
  CHECK(existing(outbox.next(3000)).request_id == second);
  outbox.sent(second, 1, 77, "sha", 3000, 3000);
  CHECK(existing(outbox.next(3000)).request_id == third);
  CHECK(outbox.next_due_ms() == 2000);
}

TEST_CASE("a deleted comment is posted once more") {
  TestDatabase database;
  Outbox outbox(*database);
  const RequestId id = add_request(*database, 1);
  outbox.sent(id, 1, 77, "sha", 1000, 1000);
  outbox.forget_comment(id);
  const PendingReply reply = existing(outbox.next(1000));
  CHECK(reply.wanted == 1);
  CHECK_FALSE(reply.comment_id.has_value());
  CHECK_FALSE(reply.post_attempted);
  CHECK(reply.last_body_sha256.empty());
  CHECK_FALSE(outbox.comment_id(id).has_value());
}

TEST_CASE("a comment that is deleted twice is not posted a third time") {
  TestDatabase database;
  Outbox outbox(*database);
  const RequestId id = add_request(*database, 1);
  outbox.sent(id, 1, 77, "sha", 1000, 1000);
  outbox.forget_comment(id);
  CHECK_FALSE(outbox.refusal(id).has_value());
  outbox.sent(id, 1, 78, "sha", 2000, 2000);
  outbox.forget_comment(id);
  CHECK(outbox.refusal(id) == "it was deleted twice");
  CHECK_FALSE(outbox.next(100'000).has_value());
}

TEST_CASE("a refusal for good ends the reply and is kept") {
  TestDatabase database;
  Outbox outbox(*database);
  const RequestId id = add_request(*database, 1);
  CHECK_FALSE(outbox.refusal(id).has_value());
  outbox.refuse(id, "the issue is locked");
  CHECK(outbox.refusal(id) == "the issue is locked");
  outbox.touch(id);
  CHECK_FALSE(outbox.next(100'000).has_value());
  CHECK_FALSE(outbox.next_due_ms().has_value());
}

TEST_CASE("a request without a reply is passed over") {
  TestDatabase database;
  Request request;
  request.source = "cli";
  const std::vector<RunConfig> configs = {some_config()};
  const RequestId id = Jobs(*database).enqueue(request, "", configs, 1000).request_id;
  Outbox outbox(*database);
  outbox.touch(id);
  outbox.failed(id, "x", 1);
  CHECK_FALSE(outbox.next(100'000).has_value());
  CHECK_FALSE(outbox.comment_id(id).has_value());
  CHECK_FALSE(outbox.refusal(id).has_value());
}

TEST_CASE("a touch belongs to the caller's transaction") {
  TestDatabase database;
  Outbox outbox(*database);
  const RequestId id = add_request(*database, 1);
  {
    const Transaction transaction(*database);
    outbox.touch(id);
  }
  CHECK(existing(outbox.next(0)).wanted == 1);
}

TEST_CASE("after a crash between any two calls the reply is found again") {
  TestDatabase database;
  Outbox outbox(*database);
  Jobs jobs(*database);
  const auto due = [&database] {
    AfterCrash after(database);
    return Outbox(*after).next(100'000);
  };
  const JobId job = enqueue_job(*database, 1);
  const RequestId id = existing(jobs.find(job)).request_id;
  CHECK(existing(due()).wanted == 2);  // the request and its queued job
  const PendingReply reply = existing(outbox.next(0));
  CHECK(existing(due()).wanted == 2);  // read is not sent
  outbox.note_post_attempt(id);
  CHECK(existing(due())
            .post_attempted);  // GitHub may have it: the next process looks before it posts
  jobs.claim("r1", kCpuToy, 1000, 2000);
  CHECK(existing(due()).wanted == 3);
  outbox.sent(id, reply.wanted, 77, "sha", 1000, 1000);
  CHECK(existing(due()).wanted == 3);  // the claim is still to be told
  CHECK(existing(due()).comment_id == 77);
  outbox.sent(id, 3, 77, "sha", 1100, 1100);
  CHECK_FALSE(due().has_value());
  jobs.advance(job, "r1", 1, JobState::running, 1200);
  CHECK(existing(due()).wanted == 4);
  outbox.failed(id, "HTTP 500", 1300);
  CHECK(existing(due()).attempts == 1);
  outbox.forget_comment(id);
  CHECK_FALSE(existing(due()).comment_id.has_value());
  outbox.sent(id, 4, 78, "sha", 1400, 1400);
  CHECK_FALSE(due().has_value());
  jobs.release_runner("r1", 1500);
  CHECK(existing(due()).comment_id == 78);
}
