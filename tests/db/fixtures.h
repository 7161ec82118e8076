#pragma once
// What the tests of db/ share: a migrated database in a folder of its own, requests and jobs with
// plain values, and a copy of the files as a crash at this moment would leave them.

#include <filesystem>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "db/database.h"
#include "db/jobs.h"
#include "db/run.h"
#include "db/schema.h"
#include "tests/support/temp_folder.h"

namespace stepscope::tests {

inline std::unique_ptr<db::Database> open_migrated(const std::filesystem::path& file) {
  auto database = std::make_unique<db::Database>(file, db::Database::Mode::read_write);
  db::migrate(*database);
  return database;
}

class TestDatabase {
 public:
  TestDatabase() : database_(open_migrated(file())) {}

  db::Database& operator*() { return *database_; }
  std::filesystem::path file() const { return folder_.path() / "history.db"; }

  std::int64_t integer(std::string_view sql) {
    db::Statement statement = database_->prepare(sql);
    statement.step();
    return statement.integer(0);
  }

 private:
  TempFolder folder_;
  std::unique_ptr<db::Database> database_;
};

// The database as the next process finds it when this one is killed now: main file and log are
// copied while the original is open, so nothing that closing would do has been done.
class AfterCrash {
 public:
  explicit AfterCrash(const TestDatabase& original) {
    const std::filesystem::path copy = folder_.path() / "history.db";
    std::filesystem::copy_file(original.file(), copy);
    std::filesystem::copy_file(original.file().string() + "-wal", copy.string() + "-wal");
    database_ = open_migrated(copy);
  }
  db::Database& operator*() { return *database_; }

 private:
  TempFolder folder_;
  std::unique_ptr<db::Database> database_;
};

inline db::RunConfig some_config(const std::string& hardware = "cpu",
                                 const std::string& recipe = "toy-moe") {
  db::RunConfig config;
  config.key = "toy-moe-fp32-" + hardware + "-builtin";
  config.model = "toy-moe";
  config.model_name = "example/toy";
  config.hardware = hardware;
  config.precision = "fp32";
  config.framework = "builtin";
  config.recipe = recipe;
  config.conc = 4;
  config.isl = 64;
  config.osl = 32;
  config.assumed = {"framework", "seq_len"};
  return config;
}

inline db::Request github_request(std::int64_t comment_id) {
  db::Request request;
  request.source = "github";
  request.marker = "0123abcd";
  request.repository = "octo/bench";
  request.repository_id = 7;
  request.issue_number = 12;
  request.comment_id = comment_id;
  request.comment_url = "https://github.example/octo/bench/issues/12#issuecomment-1";
  request.author = "someone";
  request.installation_id = 99;
  request.text = "@stepscope profile";
  request.verb = "profile";
  request.understood = R"({"v":"profile"})";
  request.received_ms = 500;
  return request;
}

// One request with one job; comment ids differ so that each is a new one.
inline db::JobId enqueue_job(db::Database& database, std::int64_t comment_id,
                             const db::RunConfig& config = some_config(),
                             std::int64_t now_ms = 1000) {
  const std::vector<db::RunConfig> configs = {config};
  return db::Jobs(database)
      .enqueue(github_request(comment_id), "created", configs, now_ms)
      .job_ids.at(0);
}

inline db::StoredBreakdown some_breakdown() {
  return {.json = "{}\n",
          .markdown = "| a |",
          .html = "<p>a</p>",
          .table_version = "1",
          .wall_ns = 100,
          .idle_ns = 40,
          .complete = true};
}

// For values that a test has just made: throws, and so fails the test, where there is none.
template <typename Value>
Value existing(std::optional<Value> value) {
  if (!value) throw std::runtime_error("a value that should exist does not");
  return *std::move(value);
}

inline const std::vector<db::Capability> kCpuToy = {{"cpu", "toy-moe"}};
inline constexpr std::int64_t kLeaseMs = 2000;

inline std::optional<db::Job> claim(db::Database& database, std::string_view runner,
                                    std::int64_t now_ms = 1000) {
  return db::Jobs(database).claim(runner, kCpuToy, now_ms, kLeaseMs);
}

// A job of runner "r1" (attempt 1) in `state`, by the shortest legal way.
inline db::JobId job_in(db::Database& database, db::JobState state, std::int64_t comment_id) {
  using enum db::JobState;
  db::Jobs jobs(database);
  const db::JobId id = enqueue_job(database, comment_id);
  if (state == queued) return id;
  if (state == cancelled) {
    jobs.request_cancel(id, 1000);
    return id;
  }
  claim(database, "r1");
  for (const db::JobState step : {running, uploading, analysing}) {
    if (state < step) break;
    jobs.advance(id, "r1", 1, step, 1000);
  }
  const db::JobFailure failure{db::ErrorKind::analysis, "analysis", "no device event"};
  if (state == done) jobs.finish(id, "r1", 1, some_breakdown(), {}, 1000);
  if (state == failed) jobs.fail(id, "r1", 1, failure, 1000);
  if (state == timed_out) jobs.fail(id, "r1", 1, failure, 1000, true);
  return id;
}

}  // namespace stepscope::tests
