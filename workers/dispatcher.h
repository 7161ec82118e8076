#pragma once
// Takes queued jobs to a Runner and their traces to the history: claim, run, keep the trace,
// analyse, finish, with a lease renewed all the while. Survives a kill at any point: what it had
// claimed before is released at start, and every step is idempotent by job id and attempt.

#include <boost/asio/awaitable.hpp>
#include <boost/asio/io_context.hpp>
#include <chrono>
#include <functional>
#include <memory>
#include <set>
#include <string>

#include "db/catalog.h"
#include "db/database.h"
#include "runtime/blocking_pool.h"
#include "runtime/clock.h"
#include "runtime/task_group.h"
#include "runtime/wakeup.h"
#include "workers/artifacts.h"
#include "workers/ingest.h"
#include "workers/runner.h"

namespace stepscope::workers {

struct DispatcherSettings {
  std::chrono::milliseconds lease{30'000};
  std::chrono::milliseconds poll{1'000};  // how long a new job waits at most without a poke
  std::chrono::milliseconds pause_after_fault{5'000};
  std::size_t jobs_max = 1;  // at the same time, on this runner
  IngestSettings ingest;
  std::chrono::hours traces_kept{30 * 24};
  std::int64_t trace_bytes_max = 50LL << 30;
};

// What the dispatcher works with; all of it outlives the dispatcher. `database` is touched on
// `db_pool` only, which has one thread.
struct DispatcherParts {
  boost::asio::io_context& context;
  const runtime::Clock& clock;
  runtime::BlockingPool& db_pool;
  db::Database& database;
  runtime::BlockingPool& cpu_pool;
  const Artifacts& artifacts;
  const db::Catalog& catalog;
  Runner& runner;
  runtime::TaskGroup& tasks;
  std::function<void()> on_change;  // a job changed: somebody may want to tell
};

class Dispatcher {
 public:
  Dispatcher(DispatcherParts parts, DispatcherSettings settings);

  // Runs until cancelled.
  boost::asio::awaitable<void> run();
  // A job was queued or cancelled.
  void poke() { wakeup_.poke(); }

 private:
  struct Attempt;

  boost::asio::awaitable<void> take_over();
  boost::asio::awaitable<void> turn();
  boost::asio::awaitable<void> start_next_jobs();
  boost::asio::awaitable<void> work(std::shared_ptr<Attempt> attempt);
  boost::asio::awaitable<std::string> error_of(boost::asio::awaitable<void> step);
  boost::asio::awaitable<void> heartbeat(std::shared_ptr<Attempt> attempt);
  boost::asio::awaitable<void> renew(std::shared_ptr<Attempt> attempt);
  boost::asio::awaitable<void> profile(std::shared_ptr<Attempt> attempt);
  boost::asio::awaitable<void> analyse(std::shared_ptr<Attempt> attempt, StoredTrace trace);
  boost::asio::awaitable<void> end_failed(std::shared_ptr<Attempt> attempt, RunnerFailure failure,
                                          std::shared_ptr<db::StoredBreakdown> partial);
  boost::asio::awaitable<bool> advance(std::shared_ptr<Attempt> attempt, db::JobState to);
  boost::asio::awaitable<void> sweep_traces();

  DispatcherParts parts_;
  DispatcherSettings settings_;
  runtime::Wakeup wakeup_;
  bool taken_over_ = false;
  std::set<std::shared_ptr<Attempt>> running_;
  std::int64_t next_sweep_ms_ = 0;
};

}  // namespace stepscope::workers
