#include "db/history.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "db/jobs.h"
#include "tests/db/fixtures.h"

using namespace stepscope::db;
using stepscope::tests::enqueue_job;
using stepscope::tests::existing;
using stepscope::tests::kCpuToy;
using stepscope::tests::some_breakdown;
using stepscope::tests::some_config;
using stepscope::tests::TestDatabase;

namespace {

std::vector<JobId> ids(History history, const RunFilter& filter) {
  std::vector<JobId> found;
  for (const RunSummary& run : history.list(filter)) found.push_back(run.job.id);
  return found;
}

// A job that is analysing with its trace, started at 1000.
JobId with_trace(Database& database, std::int64_t comment_id, std::int64_t bytes) {
  Jobs jobs(database);
  const JobId id = enqueue_job(database, comment_id);
  jobs.claim("r1", kCpuToy, 1000, 100'000);
  for (const JobState state : {JobState::running, JobState::uploading, JobState::analysing}) {
    jobs.advance(id, "r1", 1, state, 1000);
  }
  jobs.attach_trace(id, "r1", 1, std::to_string(id) + ".gz", "run.json.gz", "ab", bytes, "");
  return id;
}

JobId finished(Database& database, std::int64_t comment_id, std::int64_t bytes,
               std::int64_t at_ms) {
  const JobId id = with_trace(database, comment_id, bytes);
  Jobs(database).finish(id, "r1", 1, some_breakdown(), {}, at_ms);
  return id;
}

std::vector<JobId> dropped(Database& database, std::int64_t older_than_ms, std::int64_t bytes_max) {
  std::vector<JobId> found;
  for (const TraceToDrop& drop : History(database).traces_to_drop(older_than_ms, bytes_max)) {
    CHECK(drop.trace_file == std::to_string(drop.id) + ".gz");
    found.push_back(drop.id);
  }
  return found;
}

}  // namespace

TEST_CASE("runs are listed newest first, page by page") {
  TestDatabase database;
  for (int comment = 1; comment <= 5; ++comment) enqueue_job(*database, comment);
  const History history(*database);
  CHECK(ids(history, {}) == std::vector<JobId>{5, 4, 3, 2, 1});
  RunFilter page;
  page.limit = 2;
  CHECK(ids(history, page) == std::vector<JobId>{5, 4});
  page.before = 4;
  CHECK(ids(history, page) == std::vector<JobId>{3, 2});
  page.before = 2;
  CHECK(ids(history, page) == std::vector<JobId>{1});
  page.before = 1;
  CHECK(ids(history, page).empty());
}

TEST_CASE("a limit lies between 1 and 200") {
  TestDatabase database;
  std::vector<RunConfig> configs(201, some_config());
  Jobs(*database).enqueue(stepscope::tests::github_request(1), "created", configs, 1000);
  RunFilter filter;
  filter.limit = 0;
  CHECK(ids(History(*database), filter).size() == 1);
  filter.limit = 100'000;
  CHECK(ids(History(*database), filter).size() == 200);
}

TEST_CASE("each filter holds alone and all of them together") {
  TestDatabase database;
  RunConfig base = some_config();
  std::vector<RunConfig> configs(7, base);
  configs[1].model = "dsr1";
  configs[2].hardware = "b200";
  configs[3].precision = "fp4";
  configs[4].framework = "sglang";
  configs[5].conc = 64;
  const Enqueued all =
      Jobs(*database).enqueue(stepscope::tests::github_request(1), "created", configs, 1000);
  Jobs(*database).request_cancel(all.job_ids[6], 1000);
  const History history(*database);
  const auto only = [&](auto set) {
    RunFilter filter;
    set(filter);
    return ids(history, filter);
  };
  CHECK(only([](RunFilter& f) { f.model = "dsr1"; }) == std::vector<JobId>{2});
  CHECK(only([](RunFilter& f) { f.hardware = "b200"; }) == std::vector<JobId>{3});
  CHECK(only([](RunFilter& f) { f.precision = "fp4"; }) == std::vector<JobId>{4});
  CHECK(only([](RunFilter& f) { f.framework = "sglang"; }) == std::vector<JobId>{5});
  CHECK(only([](RunFilter& f) { f.conc = 64; }) == std::vector<JobId>{6});
  CHECK(only([](RunFilter& f) { f.state = "cancelled"; }) == std::vector<JobId>{7});
  CHECK(only([](RunFilter& f) { f.model = "' OR 1 --"; }).empty());
  CHECK(only([](RunFilter& f) {
          f.model = "toy-moe";
          f.hardware = "cpu";
          f.precision = "fp32";
          f.framework = "builtin";
          f.conc = 4;
          f.state = "queued";
          f.before = 7;
        }) == std::vector<JobId>{1});
}

TEST_CASE("a summary holds where it came from and its figures once they exist") {
  TestDatabase database;
  const JobId open = enqueue_job(*database, 1);
  History history(*database);
  const RunSummary waiting = existing(history.find(open));
  CHECK(waiting.source == "github");
  CHECK(waiting.comment_url == "https://github.example/octo/bench/issues/12#issuecomment-1");
  CHECK_FALSE(waiting.wall_ns.has_value());
  Jobs(*database).request_cancel(open, 1000);
  const JobId id = finished(*database, 2, 10, 1500);
  const RunSummary run = existing(history.find(id));
  CHECK(run.job.state == JobState::done);
  CHECK(run.wall_ns == 100);
  CHECK(run.idle_ns == 40);
  CHECK_FALSE(history.find(id + 1).has_value());
}

TEST_CASE("a breakdown comes back as it was stored") {
  TestDatabase database;
  const JobId id = finished(*database, 1, 10, 1500);
  const StoredBreakdown stored = existing(History(*database).breakdown(id));
  CHECK(stored.json == "{}\n");
  CHECK(stored.markdown == "| a |");
  CHECK(stored.html == "<p>a</p>");
  CHECK(stored.table_version == "1");
  CHECK(stored.wall_ns == 100);
  CHECK(stored.idle_ns == 40);
  CHECK(stored.complete);
  CHECK_FALSE(History(*database).breakdown(id + 1).has_value());
}

TEST_CASE("traces go by age") {
  TestDatabase database;
  const JobId first = finished(*database, 1, 10, 1000);
  const JobId second = finished(*database, 2, 10, 2000);
  CHECK(dropped(*database, 1000, 1000).empty());
  CHECK(dropped(*database, 1001, 1000) == std::vector<JobId>{first});
  CHECK(dropped(*database, 2001, 1000) == std::vector<JobId>{first, second});
}

TEST_CASE("traces beyond the total go, oldest first") {
  TestDatabase database;
  const JobId newest = finished(*database, 1, 10, 3000);
  const JobId oldest = finished(*database, 2, 20, 1000);
  const JobId middle = finished(*database, 3, 30, 2000);
  // 60 bytes in all: 60 fits; 59 costs the oldest (40 are left), 39 the middle one too (10 are
  // left).
  CHECK(dropped(*database, 0, 60).empty());
  CHECK(dropped(*database, 0, 59) == std::vector<JobId>{oldest});
  CHECK(dropped(*database, 0, 40) == std::vector<JobId>{oldest});
  CHECK(dropped(*database, 0, 39) == std::vector<JobId>{oldest, middle});
  CHECK(dropped(*database, 0, 0) == std::vector<JobId>{oldest, middle, newest});
}

TEST_CASE("all ranks' files of a trace count") {
  TestDatabase database;
  const JobId id = finished(*database, 1, 10, 1000);
  const JobId ranks = enqueue_job(*database, 2);
  Jobs jobs(*database);
  jobs.claim("r1", kCpuToy, 1000, 100'000);
  jobs.attach_trace(ranks, "r1", 1, "2/r0.gz", "r0.gz", "ab", 10, "", 80);
  CHECK(existing(jobs.find(ranks)).trace_bytes == 10);
  // 10 + 80 bytes.
  CHECK(dropped(*database, 0, 90).empty());
  CHECK(dropped(*database, 0, 89) == std::vector<JobId>{id});
}

TEST_CASE("the trace of a job under way counts but stays") {
  TestDatabase database;
  const JobId done = finished(*database, 1, 10, 1000);
  with_trace(*database, 2, 50);
  CHECK(dropped(*database, 0, 59) == std::vector<JobId>{done});
  CHECK(dropped(*database, 9'000'000, 0) == std::vector<JobId>{done});
}

TEST_CASE("numbers stay when a trace goes") {
  TestDatabase database;
  History history(*database);
  const JobId first = finished(*database, 1, 10, 1000);
  const JobId second = finished(*database, 2, 20, 2000);
  CHECK(history.kept_traces() == std::vector<std::string>{"1.gz", "2.gz"});
  history.forget_trace(first);
  CHECK(history.kept_traces() == std::vector<std::string>{"2.gz"});
  const RunSummary run = existing(history.find(first));
  CHECK(run.job.trace_file.empty());
  CHECK(run.job.trace_name == "run.json.gz");
  CHECK(run.job.trace_bytes == 10);
  CHECK(run.wall_ns == 100);
  CHECK(history.breakdown(first).has_value());
  // A trace that is gone no longer counts: 20 bytes are left.
  CHECK(dropped(*database, 0, 20).empty());
  CHECK(dropped(*database, 0, 19) == std::vector<JobId>{second});
}
