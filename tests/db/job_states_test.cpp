#include <doctest/doctest.h>

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "db/jobs.h"
#include "tests/db/fixtures.h"

// The whole matrix of states and operations: what each does from each state, and that a refused one
// leaves no trace.

using namespace stepscope::db;
using stepscope::tests::existing;
using stepscope::tests::job_in;
using stepscope::tests::kCpuToy;
using stepscope::tests::kLeaseMs;
using stepscope::tests::some_breakdown;
using stepscope::tests::TestDatabase;

namespace {

using enum JobState;

const JobFailure kInfrastructure{ErrorKind::infrastructure, "runner", "connection lost"};
const JobFailure kConfiguration{ErrorKind::configuration, "server", "no such model"};
const JobFailure kAnalysis{ErrorKind::analysis, "analysis", "no device event"};

// All columns of a job: what must not change when an operation is refused.
std::string row_of(Database& database, JobId id) {
  Statement row = database.prepare("SELECT * FROM job WHERE id = ?1");
  row.bind(1, id).step();
  std::string text;
  for (int column = 0; column < 38; ++column) text += row.text(column) + "|";
  return text;
}

struct Operation {
  std::string name;
  std::function<bool(Jobs&, JobId)> apply;
  // From a state to the next one; every other state refuses and stays untouched.
  std::map<JobState, JobState> moves;
};

Operation advance_to(JobState from, JobState to) {
  return {"advance to " + std::string(to_string(to)),
          [to](Jobs& jobs, JobId id) { return jobs.advance(id, "r1", 1, to, 1500); },
          from == to ? std::map<JobState, JobState>{} : std::map<JobState, JobState>{{from, to}}};
}

Operation fail_with(const std::string& name, const JobFailure& failure, bool timeout, JobState to) {
  return {name,
          [failure, timeout](Jobs& jobs, JobId id) {
            return jobs.fail(id, "r1", 1, failure, 1500, timeout);
          },
          {{assigned, to}, {running, to}, {uploading, to}, {analysing, to}}};
}

std::vector<Operation> operations() {
  const std::map<JobState, JobState> requeues = {
      {assigned, queued}, {running, queued}, {uploading, queued}, {analysing, queued}};
  return {
      {"claim",
       [](Jobs& jobs, JobId) { return jobs.claim("r1", kCpuToy, 1500, 9000).has_value(); },
       {{queued, assigned}}},
      // The same state twice stands for a step that is allowed from nowhere.
      advance_to(queued, queued),
      advance_to(assigned, assigned),
      advance_to(assigned, running),
      advance_to(running, uploading),
      advance_to(uploading, analysing),
      advance_to(done, done),
      advance_to(failed, failed),
      advance_to(cancelled, cancelled),
      advance_to(timed_out, timed_out),
      {"finish by another runner",
       [](Jobs& jobs, JobId id) { return jobs.finish(id, "r2", 1, some_breakdown(), {}, 1500); },
       {}},
      {"finish in another attempt",
       [](Jobs& jobs, JobId id) { return jobs.finish(id, "r1", 2, some_breakdown(), {}, 1500); },
       {}},
      fail_with("fail, infrastructure", kInfrastructure, false, queued),
      fail_with("fail, configuration", kConfiguration, false, failed),
      fail_with("fail, analysis", kAnalysis, false, failed),
      fail_with("fail, timed out", kInfrastructure, true, timed_out),
      {"fail by another runner",
       [](Jobs& jobs, JobId id) { return jobs.fail(id, "r2", 1, kAnalysis, 1500); },
       {}},
      {"fail in another attempt",
       [](Jobs& jobs, JobId id) { return jobs.fail(id, "r1", 2, kAnalysis, 1500); },
       {}},
      {"advance by another runner",
       [](Jobs& jobs, JobId id) { return jobs.advance(id, "r2", 1, running, 1500); },
       {}},
      {"advance in another attempt",
       [](Jobs& jobs, JobId id) { return jobs.advance(id, "r1", 2, running, 1500); },
       {}},
      {"renew by another runner",
       [](Jobs& jobs, JobId id) { return jobs.renew(id, "r2", 1, 9000); },
       {}},
      {"renew in another attempt",
       [](Jobs& jobs, JobId id) { return jobs.renew(id, "r1", 2, 9000); },
       {}},
      {"attach by another runner",
       [](Jobs& jobs, JobId id) { return jobs.attach_trace(id, "r2", 1, "f", "n", "s", 1, ""); },
       {}},
      {"attach in another attempt",
       [](Jobs& jobs, JobId id) { return jobs.attach_trace(id, "r1", 2, "f", "n", "s", 1, ""); },
       {}},
      {"cancelled without having been asked",
       [](Jobs& jobs, JobId id) { return jobs.cancelled(id, "r1", 1, 1500); },
       {}},
      {"leases not ended",
       [](Jobs& jobs, JobId) { return !jobs.expire_leases(kLeaseMs - 1).empty(); },
       {}},
      {"leases ended", [](Jobs& jobs, JobId) { return !jobs.expire_leases(kLeaseMs).empty(); },
       requeues},
      {"another runner started",
       [](Jobs& jobs, JobId) { return !jobs.release_runner("r2", 1500).empty(); },
       {}},
      {"runner started anew",
       [](Jobs& jobs, JobId) { return !jobs.release_runner("r1", 1500).empty(); }, requeues},
  };
}

void clear(Database& database) {
  database.execute(
      "DELETE FROM kern; DELETE FROM breakdown; DELETE FROM job_event; DELETE FROM outbox; "
      "DELETE FROM job; DELETE FROM request; DELETE FROM runner_poll");
}

void check_operation(TestDatabase& database, JobState from, const Operation& operation) {
  Jobs jobs(*database);
  const JobId id = job_in(*database, from, 1);
  REQUIRE(existing(jobs.find(id)).state == from);
  const std::string before = row_of(*database, id);
  const std::size_t events_before = jobs.events(id).size();
  const std::int64_t wanted_before = database.integer("SELECT wanted FROM outbox");
  const bool accepted = operation.apply(jobs, id);
  const auto move = operation.moves.find(from);
  const std::vector<JobEvent> events = jobs.events(id);
  CHECK(accepted == (move != operation.moves.end()));
  if (move == operation.moves.end()) {
    CHECK(row_of(*database, id) == before);
    CHECK(events.size() == events_before);
    CHECK(database.integer("SELECT wanted FROM outbox") == wanted_before);
  } else {
    CHECK(existing(jobs.find(id)).state == move->second);
    REQUIRE(events.size() == events_before + 1);
    CHECK(events.back().from == to_string(from));
    CHECK(events.back().to == to_string(move->second));
    CHECK(database.integer("SELECT wanted FROM outbox") == wanted_before + 1);
    const bool leased = existing(jobs.find(id)).lease_until_ms.has_value();
    CHECK(leased == (move->second != queued && !is_final(move->second)));
    CHECK(existing(jobs.find(id)).finished_ms.has_value() == is_final(move->second));
  }
}

}  // namespace

TEST_CASE("every state answers every operation as the state machine says") {
  TestDatabase database;
  for (const Operation& operation : operations()) {
    for (int value = 0; value <= static_cast<int>(timed_out); ++value) {
      const auto from = static_cast<JobState>(value);
      CAPTURE(operation.name);
      CAPTURE(to_string(from));
      check_operation(database, from, operation);
      clear(*database);
    }
  }
}

TEST_CASE("finish is taken from analysing, and a second time changes nothing") {
  TestDatabase database;
  Jobs jobs(*database);
  for (const JobState from : {queued, assigned, running, uploading, failed, cancelled, timed_out}) {
    CAPTURE(to_string(from));
    const JobId id = job_in(*database, from, 1);
    const std::string before = row_of(*database, id);
    CHECK_FALSE(jobs.finish(id, "r1", 1, some_breakdown(), {}, 1500));
    CHECK(row_of(*database, id) == before);
    CHECK(database.integer("SELECT count(*) FROM breakdown") == 0);
    clear(*database);
  }
  const JobId id = job_in(*database, analysing, 1);
  const std::vector<KernelTotal> kernels = {
      {.stream = "7", .name = "a", .category = "other", .calls = 1, .sum_ns = 2, .charged_ns = 2}};
  CHECK(jobs.finish(id, "r1", 1, some_breakdown(), kernels, 1500));
  const std::string before = row_of(*database, id);
  CHECK(jobs.finish(id, "r1", 1, some_breakdown(), kernels, 1600));
  CHECK(row_of(*database, id) == before);
  CHECK(existing(jobs.find(id)).finished_ms == 1500);
  CHECK(jobs.events(id).size() == 6);  // queued, assigned, running, uploading, analysing, done
  CHECK(database.integer("SELECT count(*) FROM kern") == 1);
  CHECK_FALSE(jobs.finish(id + 1, "r1", 1, some_breakdown(), {}, 1500));
}

TEST_CASE("renew and attach work while the job is under way, without an event") {
  TestDatabase database;
  Jobs jobs(*database);
  for (int value = 0; value <= static_cast<int>(timed_out); ++value) {
    const auto state = static_cast<JobState>(value);
    CAPTURE(to_string(state));
    const JobId id = job_in(*database, state, 1);
    const std::size_t events = jobs.events(id).size();
    const bool under_way = state != queued && !is_final(state);
    CHECK(jobs.renew(id, "r1", 1, 9000) == under_way);
    CHECK(jobs.attach_trace(id, "r1", 1, "1.json.gz", "run.json.gz", "ab", 12, "note") ==
          under_way);
    const Job job = existing(jobs.find(id));
    CHECK(job.lease_until_ms == (under_way ? std::optional<std::int64_t>(9000) : std::nullopt));
    CHECK(job.trace_file == (under_way ? "1.json.gz" : ""));
    CHECK(job.trace_bytes == (under_way ? 12 : 0));
    CHECK(jobs.events(id).size() == events);
    clear(*database);
  }
}

TEST_CASE("cancelling: at once when queued, by the runner when under way, never when final") {
  TestDatabase database;
  Jobs jobs(*database);
  for (int value = 0; value <= static_cast<int>(timed_out); ++value) {
    const auto state = static_cast<JobState>(value);
    CAPTURE(to_string(state));
    const JobId id = job_in(*database, state, 1);
    const std::int64_t wanted = database.integer("SELECT wanted FROM outbox");
    CHECK(jobs.request_cancel(id, 1500) == !is_final(state));
    const bool under_way = state != queued && !is_final(state);
    CHECK(existing(jobs.find(id)).state == (state == queued ? cancelled : state));
    CHECK(jobs.cancel_requested(id) == under_way);
    CHECK(database.integer("SELECT wanted FROM outbox") == wanted + (is_final(state) ? 0 : 1));
    if (under_way) {
      CHECK(jobs.request_cancel(id, 1501));  // asked twice is asked once
      CHECK(database.integer("SELECT wanted FROM outbox") == wanted + 1);
      CHECK_FALSE(jobs.cancelled(id, "r2", 1, 1600));
      CHECK(jobs.cancelled(id, "r1", 1, 1600));
      CHECK(existing(jobs.find(id)).state == cancelled);
      CHECK(existing(jobs.find(id)).finished_ms == 1600);
      CHECK_FALSE(jobs.cancelled(id, "r1", 1, 1700));
    }
    clear(*database);
  }
  CHECK_FALSE(jobs.request_cancel(1000, 1500));
}
