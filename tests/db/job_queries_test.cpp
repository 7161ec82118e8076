#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "db/jobs.h"
#include "tests/db/fixtures.h"

using namespace stepscope::db;
using stepscope::tests::enqueue_job;
using stepscope::tests::existing;
using stepscope::tests::github_request;
using stepscope::tests::kCpuToy;
using stepscope::tests::some_config;
using stepscope::tests::TestDatabase;

TEST_CASE("a request comes back as it was stored") {
  TestDatabase database;
  Jobs jobs(*database);
  const RequestId id = jobs.enqueue(github_request(5), "created", {}, 1000).request_id;
  const Request request = existing(jobs.request(id));
  CHECK(request.id == id);
  CHECK(request.source == "github");
  CHECK(request.marker == "0123abcd");
  CHECK(request.repository == "octo/bench");
  CHECK(request.repository_id == 7);
  CHECK(request.issue_number == 12);
  CHECK(request.comment_id == 5);
  CHECK(request.comment_url == "https://github.example/octo/bench/issues/12#issuecomment-1");
  CHECK(request.author == "someone");
  CHECK(request.installation_id == 99);
  CHECK(request.text == "@stepscope profile");
  CHECK(request.verb == "profile");
  CHECK(request.understood == R"({"v":"profile"})");
  CHECK(request.received_ms == 500);
  CHECK_FALSE(jobs.request(id + 1).has_value());
}

TEST_CASE("the jobs of a request stand in the order they were asked for") {
  TestDatabase database;
  Jobs jobs(*database);
  const std::vector<RunConfig> configs = {some_config("b200"), some_config("cpu")};
  const Enqueued enqueued = jobs.enqueue(github_request(5), "created", configs, 1000);
  enqueue_job(*database, 6);
  const std::vector<Job> found = jobs.of_request(enqueued.request_id);
  REQUIRE(found.size() == 2);
  CHECK(found[0].id == enqueued.job_ids[0]);
  CHECK(found[0].config.hardware == "b200");
  CHECK(found[1].config.hardware == "cpu");
  CHECK(jobs.of_request(1000).empty());
  CHECK_FALSE(jobs.find(1000).has_value());
  CHECK_FALSE(jobs.cancel_requested(1000));
}

TEST_CASE("events tell the way of a job in order") {
  TestDatabase database;
  Jobs jobs(*database);
  const JobId id = enqueue_job(*database, 1);
  jobs.claim("r1", kCpuToy, 1100, 5000);
  jobs.advance(id, "r1", 1, JobState::running, 1200, "loading");
  const std::vector<JobEvent> events = jobs.events(id);
  REQUIRE(events.size() == 3);
  CHECK(events[0].job_id == id);
  CHECK(events[0].from.empty());
  CHECK(events[0].to == "queued");
  CHECK(events[0].at_ms == 1000);
  CHECK(events[1].from == "queued");
  CHECK(events[1].to == "assigned");
  CHECK(events[1].detail == "attempt 1 on r1");
  CHECK(events[2].to == "running");
  CHECK(events[2].at_ms == 1200);
  CHECK(events[2].detail == "loading");
}

TEST_CASE("the place in the queue counts jobs of the same hardware") {
  TestDatabase database;
  Jobs jobs(*database);
  const JobId first = enqueue_job(*database, 1);
  const JobId other = enqueue_job(*database, 2, some_config("b200"));
  const JobId second = enqueue_job(*database, 3);
  CHECK(jobs.queue_position(first) == 1);
  CHECK(jobs.queue_position(other) == 1);
  CHECK(jobs.queue_position(second) == 2);
  jobs.claim("r1", kCpuToy, 1100, 5000);
  CHECK(jobs.queue_position(first) == 0);
  CHECK(jobs.queue_position(second) == 1);
  CHECK(jobs.queue_position(1000) == 0);
}

TEST_CASE("what waits is counted") {
  TestDatabase database;
  Jobs jobs(*database);
  CHECK(jobs.queued_count() == 0);
  enqueue_job(*database, 1);
  enqueue_job(*database, 2, some_config("b200", "sglang"));
  CHECK(jobs.queued_count() == 2);
  jobs.claim("r1", kCpuToy, 1100, 5000);
  CHECK(jobs.queued_count() == 1);
}

TEST_CASE("a runner is seen when it polls and when it claims") {
  TestDatabase database;
  Jobs jobs(*database);
  CHECK_FALSE(jobs.runner_seen_ms("cpu", "toy-moe").has_value());
  const std::vector<Capability> kinds = {{"cpu", "toy-moe"}, {"b200", "toy-moe"}};
  jobs.note_poll("r1", kinds, 1000);
  CHECK(jobs.runner_seen_ms("cpu", "toy-moe") == 1000);
  CHECK(jobs.runner_seen_ms("b200", "toy-moe") == 1000);
  CHECK_FALSE(jobs.runner_seen_ms("cpu", "replay").has_value());
  jobs.note_poll("r2", kCpuToy, 900);  // an older poll of another one does not turn time back
  CHECK(jobs.runner_seen_ms("cpu", "toy-moe") == 1000);
  enqueue_job(*database, 1);
  jobs.claim("r2", kCpuToy, 3000, 5000);
  CHECK(jobs.runner_seen_ms("cpu", "toy-moe") == 3000);
  CHECK(jobs.runner_seen_ms("b200", "toy-moe") == 1000);
}

TEST_CASE("polls are written every ten seconds") {
  TestDatabase database;
  Jobs jobs(*database);
  jobs.note_poll("r1", kCpuToy, 1000);
  const std::int64_t changes = database.integer("SELECT total_changes()");
  jobs.note_poll("r1", kCpuToy, 10'999);
  CHECK(database.integer("SELECT total_changes()") == changes);
  CHECK(jobs.runner_seen_ms("cpu", "toy-moe") == 1000);
  jobs.note_poll("r1", kCpuToy, 11'000);
  CHECK(jobs.runner_seen_ms("cpu", "toy-moe") == 11'000);
}

TEST_CASE("runners that were not seen for thirty days are forgotten") {
  TestDatabase database;
  Jobs jobs(*database);
  const std::int64_t month_ms = 30LL * 24 * 3600 * 1000;
  const std::vector<Capability> b200 = {{"b200", "toy-moe"}};
  jobs.note_poll("gone", b200, 1000);
  jobs.note_poll("here", kCpuToy, 1000 + month_ms);
  CHECK(jobs.runner_seen_ms("b200", "toy-moe") == 1000);
  jobs.note_poll("here", kCpuToy, 1001 + month_ms);
  CHECK_FALSE(jobs.runner_seen_ms("b200", "toy-moe").has_value());
}

TEST_CASE("a read-only database serves what only reads") {
  TestDatabase database;
  const JobId id = enqueue_job(*database, 1);
  Database reader(database.file(), Database::Mode::read_only);
  Jobs jobs(reader);
  CHECK(existing(jobs.find(id)).state == JobState::queued);
  CHECK(jobs.queue_position(id) == 1);
  CHECK(jobs.events(id).size() == 1);
  CHECK_THROWS_AS(jobs.request_cancel(id, 1000), DatabaseError);
}
