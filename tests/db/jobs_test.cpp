#include "db/jobs.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "db/history.h"
#include "tests/db/fixtures.h"

using namespace stepscope::db;
using stepscope::tests::AfterCrash;
using stepscope::tests::claim;
using stepscope::tests::enqueue_job;
using stepscope::tests::existing;
using stepscope::tests::github_request;
using stepscope::tests::job_in;
using stepscope::tests::kCpuToy;
using stepscope::tests::kLeaseMs;
using stepscope::tests::some_breakdown;
using stepscope::tests::some_config;
using stepscope::tests::TestDatabase;

namespace {

using enum JobState;

const JobFailure kInfrastructure{ErrorKind::infrastructure, "runner", "connection lost"};

}  // namespace

TEST_CASE("a cancelled job whose runner vanishes is not tried again") {
  TestDatabase database;
  Jobs jobs(*database);
  const JobId lost = job_in(*database, running, 1);
  jobs.request_cancel(lost, 1500);
  CHECK(jobs.expire_leases(kLeaseMs) == std::vector<JobId>{lost});
  CHECK(existing(jobs.find(lost)).state == cancelled);
  CHECK_FALSE(existing(jobs.find(lost)).failure.has_value());
  const JobId broken = job_in(*database, running, 2);
  jobs.request_cancel(broken, 1500);
  CHECK(jobs.fail(broken, "r1", 1, kInfrastructure, 1600));
  CHECK(existing(jobs.find(broken)).state == cancelled);
  // The result came before the runner saw the wish: it is true, so it stays.
  const JobId finished = job_in(*database, analysing, 3);
  jobs.request_cancel(finished, 1500);
  CHECK(jobs.finish(finished, "r1", 1, some_breakdown(), {}, 1600));
  CHECK(existing(jobs.find(finished)).state == done);
}

TEST_CASE("three attempts, then failed with the last message") {
  TestDatabase database;
  Jobs jobs(*database);
  const JobId id = enqueue_job(*database, 1);
  for (int attempt = 1; attempt <= 3; ++attempt) {
    const Job claimed = existing(claim(*database, "r1", 1000 + attempt));
    CHECK(claimed.attempt == attempt);
    CHECK(claimed.started_ms == 1000 + attempt);
    CHECK_FALSE(claimed.failure.has_value());
    CHECK(claimed.trace_file.empty());
    jobs.attach_trace(id, "r1", attempt, "t", "t.json", "ab", 5, "note");
    JobFailure failure = kInfrastructure;
    failure.message = "try " + std::to_string(attempt);
    REQUIRE(jobs.fail(id, "r1", attempt, failure, 1100));
    CHECK(existing(jobs.find(id)).state == (attempt < 3 ? queued : failed));
    CHECK(existing(existing(jobs.find(id)).failure).message == failure.message);
  }
  const Job job = existing(jobs.find(id));
  CHECK(existing(job.failure).kind == ErrorKind::infrastructure);
  CHECK(existing(job.failure).layer == "runner");
  CHECK(job.finished_ms == 1100);
  CHECK(job.queued_ms == 1000);
  CHECK(jobs.events(id).back().detail == "runner: try 3");
  CHECK_FALSE(claim(*database, "r1").has_value());
}

TEST_CASE("a lost lease counts as an attempt; its late result is refused") {
  TestDatabase database;
  Jobs jobs(*database);
  const JobId id = job_in(*database, analysing, 1);
  CHECK(jobs.expire_leases(kLeaseMs) == std::vector<JobId>{id});
  CHECK_FALSE(jobs.finish(id, "r1", 1, some_breakdown(), {}, 2100));
  CHECK(existing(existing(jobs.find(id)).failure).message == "r1 was not heard of any more");
  REQUIRE(claim(*database, "r1").has_value());  // attempt 2
  CHECK_FALSE(jobs.finish(id, "r1", 1, some_breakdown(), {}, 2100));
  CHECK_FALSE(jobs.renew(id, "r1", 1, 9000));
  CHECK(jobs.expire_leases(kLeaseMs) == std::vector<JobId>{id});
  REQUIRE(claim(*database, "r1").has_value());  // attempt 3
  CHECK(jobs.expire_leases(kLeaseMs) == std::vector<JobId>{id});
  CHECK(existing(jobs.find(id)).state == failed);
  CHECK(existing(existing(jobs.find(id)).failure).kind == ErrorKind::infrastructure);
}

TEST_CASE("attempts that a restart of the runner ended do not count, up to a limit") {
  TestDatabase database;
  Jobs jobs(*database);
  const JobId id = job_in(*database, running, 1);
  for (int restart = 1; restart < kRestartsMax; ++restart) {
    REQUIRE(jobs.release_runner("r1", 2000) == std::vector<JobId>{id});
    REQUIRE(existing(jobs.find(id)).state == queued);
    REQUIRE(claim(*database, "r1").has_value());
  }
  CHECK(jobs.release_runner("r1", 2300) == std::vector<JobId>{id});
  CHECK(existing(jobs.find(id)).state == failed);
  CHECK(existing(existing(jobs.find(id)).failure).message == "r1 was started anew");
}

TEST_CASE("a failed analysis keeps its trace and a partial report") {
  TestDatabase database;
  Jobs jobs(*database);
  const JobId id = job_in(*database, analysing, 1);
  jobs.attach_trace(id, "r1", 1, "1.json.gz", "run.json.gz", "ab", 12, "two threads");
  StoredBreakdown partial = some_breakdown();
  partial.complete = false;
  const JobFailure failure{ErrorKind::analysis, "capture", "the trace is cut at byte 100"};
  CHECK(jobs.fail(id, "r1", 1, failure, 1500, false, &partial));
  const Job job = existing(jobs.find(id));
  CHECK(job.trace_file == "1.json.gz");
  CHECK(job.trace_name == "run.json.gz");
  CHECK(job.trace_sha256 == "ab");
  CHECK(job.runner_note == "two threads");
  CHECK_FALSE(existing(History(*database).breakdown(id)).complete);
}

TEST_CASE("a partial report of a try that is repeated is not stored") {
  TestDatabase database;
  Jobs jobs(*database);
  const JobId id = job_in(*database, analysing, 1);
  const StoredBreakdown partial = some_breakdown();
  CHECK(jobs.fail(id, "r1", 1, kInfrastructure, 1500, false, &partial));
  CHECK(existing(jobs.find(id)).state == queued);
  CHECK_FALSE(History(*database).breakdown(id).has_value());
}

TEST_CASE("the oldest fitting job is claimed, and by one runner only") {
  TestDatabase database;
  Jobs jobs(*database);
  const JobId gpu = enqueue_job(*database, 1, some_config("b200", "sglang"));
  const JobId first = enqueue_job(*database, 2);
  const JobId replay = enqueue_job(*database, 3, some_config("cpu", "replay"));
  const JobId second = enqueue_job(*database, 4);
  CHECK(existing(claim(*database, "r1")).id == first);
  CHECK(existing(claim(*database, "r2")).id == second);
  CHECK_FALSE(claim(*database, "r3").has_value());
  const std::vector<Capability> both = {{"cpu", "replay"}, {"cpu", "toy-moe"}};
  CHECK(existing(jobs.claim("r3", both, 1000, 2000)).id == replay);
  CHECK_FALSE(jobs.claim("g", {}, 1000, 2000).has_value());
  // Each word of the job is among the words of these, but no kind is the job's.
  const std::vector<Capability> crossed = {{"b200", "replay"}, {"h100", "sglang"}};
  CHECK_FALSE(jobs.claim("g", crossed, 1000, 2000).has_value());
  const std::vector<Capability> fitting = {{"h100", "sglang"}, {"b200", "sglang"}};
  const Job job = existing(jobs.claim("g", fitting, 1000, 2000));
  CHECK(job.id == gpu);
  CHECK(job.state == assigned);
  CHECK(job.runner == "g");
  CHECK(job.lease_until_ms == 2000);
}

TEST_CASE("asking for work when there is none writes nothing") {
  TestDatabase database;
  const std::int64_t before = database.integer("SELECT total_changes()");
  CHECK_FALSE(claim(*database, "r1").has_value());
  CHECK(Jobs(*database).expire_leases(5000).empty());
  CHECK(database.integer("SELECT total_changes()") == before);
}

TEST_CASE("a job that failed on one runner goes to another one that has been seen") {
  TestDatabase database;
  Jobs jobs(*database);
  const JobId id = enqueue_job(*database, 1);
  jobs.note_poll("r2", kCpuToy, 1000);
  REQUIRE(claim(*database, "r1").has_value());
  REQUIRE(jobs.fail(id, "r1", 1, kInfrastructure, 1100));
  CHECK_FALSE(claim(*database, "r1", 1200).has_value());
  SUBCASE("the other one takes it") { CHECK(existing(claim(*database, "r2", 1200)).id == id); }
  SUBCASE("the other one has gone: two minutes later the first may try again") {
    CHECK_FALSE(claim(*database, "r1", 120'999).has_value());
    CHECK(existing(claim(*database, "r1", 121'000)).id == id);
  }
}

TEST_CASE("a comment that arrives twice is one request") {
  TestDatabase database;
  Jobs jobs(*database);
  const std::vector<RunConfig> configs = {some_config(), some_config("b200", "sglang")};
  const Enqueued first = jobs.enqueue(github_request(5), "created", configs, 1000);
  CHECK_FALSE(first.already_known);
  CHECK(first.job_ids.size() == 2);
  const Enqueued again = jobs.enqueue(github_request(5), "created", configs, 2000);
  CHECK(again.already_known);
  CHECK(again.request_id == first.request_id);
  CHECK(again.job_ids == first.job_ids);
  CHECK(database.integer("SELECT count(*) FROM job") == 2);
  CHECK(database.integer("SELECT count(*) FROM outbox") == 1);
  CHECK_FALSE(jobs.enqueue(github_request(6), "created", configs, 2000).already_known);
  CHECK_FALSE(jobs.enqueue(github_request(5), "opened", configs, 2000).already_known);
  Request elsewhere = github_request(5);
  elsewhere.repository_id = 8;
  CHECK_FALSE(jobs.enqueue(elsewhere, "created", configs, 2000).already_known);
}

TEST_CASE("two opened issues without a comment id are two requests") {
  TestDatabase database;
  Jobs jobs(*database);
  Request issue = github_request(0);
  CHECK_FALSE(jobs.enqueue(issue, "opened", {}, 1000).already_known);
  CHECK(jobs.enqueue(issue, "opened", {}, 1000).already_known);
  issue.issue_number = 13;
  CHECK_FALSE(jobs.enqueue(issue, "opened", {}, 1000).already_known);
}

TEST_CASE("requests of the API are never the same and have no reply") {
  TestDatabase database;
  Jobs jobs(*database);
  Request request;
  request.source = "api";
  const std::vector<RunConfig> configs = {some_config()};
  const Enqueued first = jobs.enqueue(request, "", configs, 1000);
  const Enqueued second = jobs.enqueue(request, "", configs, 1000);
  CHECK(second.request_id != first.request_id);
  CHECK(database.integer("SELECT count(*) FROM outbox") == 0);
  CHECK(claim(*database, "r1").has_value());  // a change without a reply is no error
}

TEST_CASE("what was enqueued is there after a crash, and a claim survives one") {
  TestDatabase database;
  const JobId id = enqueue_job(*database, 1);
  CHECK(existing(Jobs(*AfterCrash(database)).find(id)).state == queued);
  REQUIRE(claim(*database, "r1").has_value());
  AfterCrash after(database);
  CHECK(existing(Jobs(*after).find(id)).state == assigned);
  CHECK(Jobs(*after).release_runner("r1", 1500) == std::vector<JobId>{id});
  CHECK(existing(Jobs(*after).find(id)).state == queued);
}
