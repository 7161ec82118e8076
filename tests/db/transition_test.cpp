#include "db/transition.h"

#include <doctest/doctest.h>

#include <vector>

#include "db/jobs.h"
#include "tests/db/fixtures.h"

using namespace stepscope::db;
using stepscope::tests::enqueue_job;
using stepscope::tests::existing;
using stepscope::tests::kCpuToy;
using stepscope::tests::TestDatabase;

namespace {

JobHead head(int attempt, bool cancel_requested) {
  JobHead job;
  job.state = JobState::running;
  job.attempt = attempt;
  job.cancel_requested = cancel_requested;
  return job;
}

}  // namespace

TEST_CASE("a job advances one step at a time") {
  int allowed = 0;
  for (int from = 0; from <= static_cast<int>(JobState::timed_out); ++from) {
    for (int to = 0; to <= static_cast<int>(JobState::timed_out); ++to) {
      allowed += may_advance(static_cast<JobState>(from), static_cast<JobState>(to)) ? 1 : 0;
    }
  }
  CHECK(allowed == 3);
  CHECK(may_advance(JobState::assigned, JobState::running));
  CHECK(may_advance(JobState::running, JobState::uploading));
  CHECK(may_advance(JobState::uploading, JobState::analysing));
}

TEST_CASE("infrastructure failures are tried three times") {
  const ErrorKind kind = ErrorKind::infrastructure;
  CHECK(state_after_failure(head(1, false), kind, false) == JobState::queued);
  CHECK(state_after_failure(head(2, false), kind, false) == JobState::queued);
  CHECK(state_after_failure(head(3, false), kind, false) == JobState::failed);
}

TEST_CASE("other failures are final at once") {
  CHECK(state_after_failure(head(1, false), ErrorKind::configuration, false) == JobState::failed);
  CHECK(state_after_failure(head(1, false), ErrorKind::analysis, false) == JobState::failed);
  CHECK(state_after_failure(head(1, false), ErrorKind::infrastructure, true) ==
        JobState::timed_out);
}

TEST_CASE("a job that somebody cancelled is not tried again") {
  for (int attempt = 1; attempt <= 3; ++attempt) {
    CHECK(state_after_failure(head(attempt, true), ErrorKind::infrastructure, false) ==
          JobState::cancelled);
  }
  // What the runner found out before it stopped stays true.
  CHECK(state_after_failure(head(1, true), ErrorKind::configuration, false) == JobState::failed);
  CHECK(state_after_failure(head(1, true), ErrorKind::infrastructure, true) == JobState::timed_out);
}

TEST_CASE("a job is held by its runner in its attempt only") {
  TestDatabase database;
  const JobId id = enqueue_job(*database, 1);
  CHECK_FALSE(held_job(*database, id, "", 0).has_value());
  REQUIRE(Jobs(*database).claim("r1", kCpuToy, 1000, 2000).has_value());
  const JobHead held = existing(held_job(*database, id, "r1", 1));
  CHECK(held.id == id);
  CHECK(held.state == JobState::assigned);
  CHECK(held.attempt == 1);
  CHECK(held.runner == "r1");
  CHECK_FALSE(held.cancel_requested);
  CHECK_FALSE(held_job(*database, id, "r2", 1).has_value());
  CHECK_FALSE(held_job(*database, id, "r1", 2).has_value());
  CHECK_FALSE(held_job(*database, id + 1, "r1", 1).has_value());
}

TEST_CASE("leases end at their time, not before") {
  TestDatabase database;
  const JobId first = enqueue_job(*database, 1);
  const JobId second = enqueue_job(*database, 2);
  Jobs jobs(*database);
  REQUIRE(jobs.claim("r1", kCpuToy, 1000, 2000).has_value());
  REQUIRE(jobs.claim("r2", kCpuToy, 1000, 2001).has_value());
  CHECK(jobs_with_ended_lease(*database, 1999).empty());
  REQUIRE(jobs_with_ended_lease(*database, 2000).size() == 1);
  CHECK(jobs_with_ended_lease(*database, 2000)[0].id == first);
  REQUIRE(jobs_with_ended_lease(*database, 2001).size() == 2);
  CHECK(jobs_with_ended_lease(*database, 2001)[1].id == second);
  REQUIRE(jobs_held_by(*database, "r2").size() == 1);
  CHECK(jobs_held_by(*database, "r2")[0].id == second);
  CHECK(jobs_held_by(*database, "r3").empty());
}

TEST_CASE("a change from a state that is no longer true throws and writes nothing") {
  TestDatabase database;
  const JobId id = enqueue_job(*database, 1);
  JobHead job = existing(job_head(*database, id));
  job.state = JobState::running;
  CHECK_THROWS_WITH_AS(change_state(*database, job, JobState::uploading, 5, ""),
                       "job 1 is no longer running", DatabaseError);
  CHECK(database.integer("SELECT count(*) FROM job_event") == 1);  // only that it was queued
}

TEST_CASE("a change keeps times and failure as its target says") {
  TestDatabase database;
  const JobId id = enqueue_job(*database, 1);
  REQUIRE(Jobs(*database).claim("r1", kCpuToy, 1000, 2000).has_value());
  const JobHead job = existing(job_head(*database, id));
  const JobFailure failure{
      .kind = ErrorKind::analysis, .layer = "ingest", .message = "no device event"};
  change_state(*database, job, JobState::failed, 1500, "detail", &failure);
  const Job read = existing(Jobs(*database).find(id));
  CHECK(read.finished_ms == 1500);
  CHECK_FALSE(read.lease_until_ms.has_value());
  CHECK_FALSE(read.analysing_ms.has_value());
  CHECK(existing(read.failure).layer == "ingest");
  const std::vector<JobEvent> events = Jobs(*database).events(id);
  REQUIRE(events.size() == 3);
  CHECK(events[2].from == "assigned");
  CHECK(events[2].to == "failed");
  CHECK(events[2].detail == "detail");
  CHECK(events[2].at_ms == 1500);
}
