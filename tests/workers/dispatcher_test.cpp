#include "workers/dispatcher.h"

#include <doctest/doctest.h>

#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <fstream>
#include <functional>
#include <stdexcept>

#include "db/history.h"
#include "db/jobs.h"
#include "db/schema.h"
#include "tests/support/manual_clock.h"
#include "tests/support/run_coroutine.h"
#include "tests/support/temp_folder.h"

using namespace stepscope;
using namespace stepscope::workers;
using boost::asio::awaitable;

namespace {

constexpr std::string_view kTrace = R"([
{"ph":"X","cat":"kernel","name":"gemm","pid":0,"tid":7,"ts":10,"dur":6,
 "args":{"device":0,"stream":7}}
])";

// Leaves a trace, or fails as told; waits for a cancellation when told to.
class FakeRunner final : public Runner {
 public:
  std::string name() const override { return "fake"; }
  std::vector<db::Capability> capabilities() const override {
    if (faults_left > 0) {
      --faults_left;
      throw std::runtime_error("database or disk is full");
    }
    return {{"cpu", "toy-moe"}};
  }

  awaitable<std::expected<RunnerResult, RunnerFailure>> run(
      RunnerTask task, std::function<void()> on_running, const std::atomic<bool>& cancel) override {
    ++runs;
    on_running();
    if (wait_for_cancel) {
      auto executor = co_await boost::asio::this_coro::executor;
      boost::asio::steady_timer timer(executor);
      while (!cancel) {
        timer.expires_after(std::chrono::milliseconds{1});
        co_await timer.async_wait(boost::asio::use_awaitable);
      }
      co_return std::unexpected(RunnerFailure{.cancelled = true});
    }
    if (failures_left > 0) {
      --failures_left;
      co_return std::unexpected(RunnerFailure{.failure = failure});
    }
    std::ofstream(task.folder / "t.json") << trace;
    co_return RunnerResult{{task.folder / "t.json"}, "a fake"};
  }

  int runs = 0;
  bool wait_for_cancel = false;
  int failures_left = 0;
  mutable int faults_left = 0;
  db::JobFailure failure{db::ErrorKind::infrastructure, "runner", "no luck"};
  std::string trace{kTrace};
};

db::Database& migrated(db::Database& database) {
  db::migrate(database);
  return database;
}

struct World {
  World()
      : database(folder.path() / "db", db::Database::Mode::read_write),
        jobs(migrated(database)),
        artifacts(folder.path() / "traces") {}

  db::JobId enqueue() {
    db::Request request;
    request.source = "api";
    request.marker = std::to_string(++requests);
    db::RunConfig config;
    config.key = "toy-moe-fp32-cpu-builtin";
    config.model = "toy-moe";
    config.hardware = "cpu";
    config.precision = "fp32";
    config.framework = "builtin";
    config.recipe = "toy-moe";
    return jobs.enqueue(request, "submitted", std::vector{config}, clock.now_ms()).job_ids.front();
  }

  // Lets the dispatcher work until the job is final; the test's thread is the only one that looks.
  db::Job run_until_final(db::JobId id, bool cancel_when_running = false) {
    return run_until(id, db::is_final, cancel_when_running);
  }
  void run_until_running(db::JobId id) {
    run_until(id, [](db::JobState state) { return state == db::JobState::running; }, false);
  }

  // One life of a dispatcher, stopped once the job's state is as `enough` wants it.
  db::Job run_until(db::JobId id, const std::function<bool(db::JobState)>& enough,
                    bool cancel_when_running) {
    boost::asio::io_context context;
    runtime::BlockingPool db_pool("db", 1);
    runtime::BlockingPool cpu_pool("cpu", 1);
    runtime::TaskGroup tasks(context);
    DispatcherSettings settings;
    settings.poll = std::chrono::milliseconds{5};
    settings.pause_after_fault = std::chrono::milliseconds{5};
    Dispatcher dispatcher({context, clock, db_pool, database, cpu_pool, artifacts, catalog, runner,
                           tasks, [this] { ++changes; }},
                          settings);
    tasks.spawn("dispatcher", dispatcher.run());
    auto watching = watch(db_pool, id, enough, cancel_when_running);
    const db::Job job = tests::run_coroutine(context, std::move(watching));
    tasks.stop();
    context.restart();
    context.run();
    return job;
  }

  awaitable<db::Job> watch(runtime::BlockingPool& pool, db::JobId id,
                           std::function<bool(db::JobState)> enough, bool cancel_when_running) {
    auto executor = co_await boost::asio::this_coro::executor;
    boost::asio::steady_timer timer(executor);
    while (true) {
      auto look = [this, id, cancel_when_running] {
        auto job = jobs.find(id);
        if (cancel_when_running && job->state == db::JobState::running) {
          jobs.request_cancel(id, clock.now_ms());
        }
        return *job;
      };
      const db::Job job = co_await pool.run(std::move(look));
      if (enough(job.state)) co_return job;
      timer.expires_after(std::chrono::milliseconds{1});
      co_await timer.async_wait(boost::asio::use_awaitable);
    }
  }

  tests::TempFolder folder;
  tests::ManualClock clock;
  db::Database database;
  db::Jobs jobs;
  Artifacts artifacts;
  db::Catalog catalog;
  FakeRunner runner;
  int changes = 0;
  int requests = 0;
};

}  // namespace

TEST_CASE("a queued job is run, its trace kept, its breakdown stored") {
  World world;
  const auto id = world.enqueue();
  const db::Job job = world.run_until_final(id);
  CHECK(job.state == db::JobState::done);
  CHECK(job.attempt == 1);
  CHECK(job.runner == "fake");
  CHECK(job.runner_note == "a fake");
  CHECK(job.trace_name == "t.json");
  CHECK(std::filesystem::file_size(world.artifacts.path_of(job.trace_file)) == kTrace.size());
  const auto breakdown = db::History(world.database).breakdown(id);
  REQUIRE(breakdown.has_value());
  CHECK(breakdown->wall_ns == 6'000);
  CHECK(world.changes >= 5);  // assigned, running, uploading, analysing, done
  std::vector<std::string> states;
  for (const db::JobEvent& event : world.jobs.events(id)) states.push_back(event.to);
  CHECK(states == std::vector<std::string>{"queued", "assigned", "running", "uploading",
                                           "analysing", "done"});
}

TEST_CASE("an infrastructure failure is tried again, at most three times") {
  World world;
  world.runner.failures_left = 2;
  CHECK(world.run_until_final(world.enqueue()).state == db::JobState::done);
  CHECK(world.runner.runs == 3);

  World unlucky;
  unlucky.runner.failures_left = 100;
  const db::Job job = unlucky.run_until_final(unlucky.enqueue());
  CHECK(job.state == db::JobState::failed);
  CHECK(unlucky.runner.runs == 3);
  REQUIRE(job.failure.has_value());
  CHECK(job.failure->message == "no luck");
}

TEST_CASE("a configuration failure is final") {
  World world;
  world.runner.failures_left = 100;
  world.runner.failure.kind = db::ErrorKind::configuration;
  CHECK(world.run_until_final(world.enqueue()).state == db::JobState::failed);
  CHECK(world.runner.runs == 1);
}

TEST_CASE("a trace that can not be analysed fails the job and is kept") {
  World world;
  world.runner.trace = "not a trace";
  const db::Job job = world.run_until_final(world.enqueue());
  CHECK(job.state == db::JobState::failed);
  REQUIRE(job.failure.has_value());
  CHECK(job.failure->layer == "analysis");
  CHECK(std::filesystem::exists(world.artifacts.path_of(job.trace_file)));
}

TEST_CASE("a partial trace fails in the layer capture with its report attached") {
  World world;
  world.runner.trace =
      std::string(kTrace.substr(0, kTrace.size() - 2)) + R"(,{"ph":"X","cat":"ker)";
  const auto id = world.enqueue();
  const db::Job job = world.run_until_final(id);
  CHECK(job.state == db::JobState::failed);
  REQUIRE(job.failure.has_value());
  CHECK(job.failure->layer == "capture");
  const auto breakdown = db::History(world.database).breakdown(id);
  REQUIRE(breakdown.has_value());
  CHECK(breakdown->markdown.starts_with("PARTIAL"));
}

TEST_CASE("a wish to cancel reaches the runner") {
  World world;
  world.runner.wait_for_cancel = true;
  CHECK(world.run_until_final(world.enqueue(), true).state == db::JobState::cancelled);
}

TEST_CASE("a daemon that stops leaves its job to the next start, and no attempt is used up") {
  World world;
  world.runner.wait_for_cancel = true;
  const auto id = world.enqueue();
  for (int life = 0; life < 5; ++life) world.run_until_running(id);
  const auto job = world.jobs.find(id);
  REQUIRE(job.has_value());
  CHECK(job->state == db::JobState::running);
  world.runner.wait_for_cancel = false;
  CHECK(world.run_until_final(id).state == db::JobState::done);
}

TEST_CASE("a fault of a turn passes: the dispatcher tries again") {
  World world;
  world.runner.faults_left = 2;
  CHECK(world.run_until_final(world.enqueue()).state == db::JobState::done);
}

TEST_CASE("an end that can not be stored is left to the lease and holds up no other job") {
  World world;
  const auto first = world.enqueue();
  const auto second = world.enqueue();
  world.runner.failures_left = 1;  // the first job's
  world.database.execute(
      "CREATE TRIGGER full BEFORE UPDATE OF state ON job WHEN OLD.id = 1 AND NEW.state = 'queued' "
      "BEGIN SELECT RAISE(ABORT, 'database or disk is full'); END");
  CHECK(world.run_until_final(second).state == db::JobState::done);
  CHECK(world.jobs.find(first)->state == db::JobState::running);
  world.database.execute("DROP TRIGGER full");
  CHECK(world.jobs.expire_leases(world.clock.now_ms() + 30'000) == std::vector{first});
}

TEST_CASE("a start tidies up after a process that was killed") {
  World world;
  std::ofstream(world.artifacts.scratch(77, 1) / "half a trace") << "x";
  world.run_until_final(world.enqueue());
  CHECK(std::filesystem::is_empty(world.artifacts.scratch_folder()));
}

TEST_CASE("what a former life had claimed is run again at once") {
  World world;
  const auto id = world.enqueue();
  const std::vector<db::Capability> kinds{{"cpu", "toy-moe"}};
  const auto lease_until_ms = world.clock.now_ms() + 1'000'000;
  world.jobs.claim("fake", kinds, world.clock.now_ms(), lease_until_ms);
  const db::Job job = world.run_until_final(id);
  CHECK(job.state == db::JobState::done);
  CHECK(job.attempt == 2);
}
