#include "workers/dispatcher.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <boost/asio/error.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/system/system_error.hpp>
#include <exception>
#include <utility>

#include "db/history.h"
#include "db/jobs.h"
#include "runtime/log.h"
#include "workers/process_group.h"

namespace stepscope::workers {

using runtime::LogLevel;

namespace {
constexpr std::int64_t kSweepEveryMs = 3'600'000;
}  // namespace

// One claim of one job, alive as long as anything works on it.
struct Dispatcher::Attempt {
  Attempt(db::Job claimed, const boost::asio::any_io_executor& executor)
      : job(std::move(claimed)), beat(executor) {}
  db::Job job;
  std::atomic<bool> cancel{false};
  bool over = false;
  bool lease_lost = false;
  runtime::Wakeup beat;
};

Dispatcher::Dispatcher(DispatcherParts parts, DispatcherSettings settings)
    : parts_(std::move(parts)),
      settings_(std::move(settings)),
      wakeup_(parts_.context.get_executor()) {}

boost::asio::awaitable<void> Dispatcher::run() {
  while (true) {
    const std::string error = co_await error_of(turn());
    if (error.empty()) {
      co_await wakeup_.sleep(settings_.poll);
    } else {
      // A full disk, for instance: it passes, and the reads of the daemon go on meanwhile.
      runtime::log(LogLevel::error, "the dispatcher failed", {{"error", error}});
      co_await wakeup_.sleep(std::max(settings_.poll, settings_.pause_after_fault));
    }
  }
}

// What went wrong in `step`, in words; empty when nothing did. The end of the daemon is no fault.
boost::asio::awaitable<std::string> Dispatcher::error_of(boost::asio::awaitable<void> step) {
  std::string error;
  try {
    co_await std::move(step);
  } catch (const boost::system::system_error& exception) {
    if (exception.code() == boost::asio::error::operation_aborted) throw;
    error = exception.what();
  } catch (const std::exception& exception) {
    error = exception.what();
  }
  co_return error;
}

// What a former life of this runner has left: processes, leases, files.
boost::asio::awaitable<void> Dispatcher::take_over() {
  const std::string name = parts_.runner.name();
  const std::int64_t now_ms = parts_.clock.now_ms();
  auto release = [this, name, now_ms] {
    end_left_groups(parts_.artifacts.scratch_folder());
    auto ids = db::Jobs(parts_.database).release_runner(name, now_ms);
    parts_.artifacts.drop_leftovers(db::History(parts_.database).kept_traces());
    return ids;
  };
  const auto released = co_await parts_.db_pool.run(std::move(release));
  for (const db::JobId id : released) {
    runtime::log(LogLevel::info, "job released after a restart", {{"job", std::to_string(id)}});
  }
}

boost::asio::awaitable<void> Dispatcher::turn() {
  if (!taken_over_) co_await take_over();
  taken_over_ = true;
  co_await start_next_jobs();
  if (parts_.clock.now_ms() >= next_sweep_ms_) co_await sweep_traces();
}

boost::asio::awaitable<void> Dispatcher::start_next_jobs() {
  const auto kinds = parts_.runner.capabilities();
  auto expire = [this, kinds, now_ms = parts_.clock.now_ms()] {
    db::Jobs jobs(parts_.database);
    jobs.note_poll(parts_.runner.name(), kinds, now_ms);
    return jobs.expire_leases(now_ms);
  };
  const auto expired = co_await parts_.db_pool.run(std::move(expire));
  if (!expired.empty()) parts_.on_change();
  while (running_.size() < settings_.jobs_max) {
    auto claim = [this, kinds, now_ms = parts_.clock.now_ms()] {
      return db::Jobs(parts_.database)
          .claim(parts_.runner.name(), kinds, now_ms, now_ms + settings_.lease.count());
    };
    auto job = co_await parts_.db_pool.run(std::move(claim));
    if (!job) co_return;
    parts_.on_change();
    auto attempt = std::make_shared<Attempt>(std::move(*job), parts_.context.get_executor());
    running_.insert(attempt);
    parts_.tasks.spawn("job", work(attempt));
    parts_.tasks.spawn("heartbeat", heartbeat(attempt));
  }
}

boost::asio::awaitable<void> Dispatcher::work(std::shared_ptr<Attempt> attempt) {
  const std::string error = co_await error_of(profile(attempt));
  if (!error.empty()) {
    runtime::log(LogLevel::error, "job attempt ended by an exception",
                 {{"job", std::to_string(attempt->job.id)}, {"error", error}});
    RunnerFailure failure{.failure = {db::ErrorKind::infrastructure, "server", error}};
    // Where even this can not be stored the lease runs out, and the job is queued again.
    const std::string again = co_await error_of(end_failed(attempt, std::move(failure), nullptr));
    if (!again.empty()) {
      runtime::log(LogLevel::error, "the end of an attempt can not be stored", {{"error", again}});
    }
  }
  attempt->over = true;
  attempt->beat.poke();
  running_.erase(attempt);
  parts_.artifacts.drop_scratch(attempt->job.id, attempt->job.attempt);
  parts_.on_change();
  wakeup_.poke();
}

// Renews the lease and looks for a wish to cancel, until the attempt is over.
boost::asio::awaitable<void> Dispatcher::heartbeat(std::shared_ptr<Attempt> attempt) {
  const auto pause = std::min<std::chrono::milliseconds>(settings_.lease / 3, settings_.poll);
  while (!attempt->over) {
    co_await attempt->beat.sleep(pause);
    if (attempt->over) co_return;
    const std::string error = co_await error_of(renew(attempt));
    if (error.empty()) continue;
    runtime::log(LogLevel::error, "a lease can not be renewed",
                 {{"job", std::to_string(attempt->job.id)}, {"error", error}});
  }
}

boost::asio::awaitable<void> Dispatcher::renew(std::shared_ptr<Attempt> attempt) {
  const std::int64_t until_ms = parts_.clock.now_ms() + settings_.lease.count();
  auto extend = [this, attempt, until_ms] {
    db::Jobs jobs(parts_.database);
    const bool held =
        jobs.renew(attempt->job.id, attempt->job.runner, attempt->job.attempt, until_ms);
    return std::pair(held, jobs.cancel_requested(attempt->job.id));
  };
  const auto answer = co_await parts_.db_pool.run(std::move(extend));
  attempt->lease_lost = !answer.first;
  if (!answer.first || answer.second) attempt->cancel = true;
}

boost::asio::awaitable<bool> Dispatcher::advance(std::shared_ptr<Attempt> attempt,
                                                 db::JobState to) {
  const std::int64_t now_ms = parts_.clock.now_ms();
  auto step = [this, attempt, to, now_ms] {
    return db::Jobs(parts_.database)
        .advance(attempt->job.id, attempt->job.runner, attempt->job.attempt, to, now_ms);
  };
  const bool moved = co_await parts_.db_pool.run(std::move(step));
  if (moved) parts_.on_change();
  co_return moved;
}

boost::asio::awaitable<void> Dispatcher::profile(std::shared_ptr<Attempt> attempt) {
  const db::Job& job = attempt->job;
  const bool running = co_await advance(attempt, db::JobState::running);
  if (!running) co_return;
  RunnerTask task{job.id, job.config, parts_.artifacts.scratch(job.id, job.attempt)};
  std::function<void()> on_running = [] {};
  auto result = co_await parts_.runner.run(std::move(task), std::move(on_running), attempt->cancel);
  if (!result) {
    co_await end_failed(attempt, std::move(result.error()), nullptr);
    co_return;
  }
  const bool uploading = co_await advance(attempt, db::JobState::uploading);
  if (!uploading) co_return;
  auto keep = [this, attempt, traces = std::move(result->traces)] {
    return parts_.artifacts.keep(attempt->job.id, traces);
  };
  StoredTrace trace = co_await parts_.cpu_pool.run(std::move(keep));
  attempt->job.runner_note = result->hardware_note;
  auto attach = [this, attempt, trace] {
    return db::Jobs(parts_.database)
        .attach_trace(attempt->job.id, attempt->job.runner, attempt->job.attempt, trace.file,
                      trace.name, trace.sha256, trace.bytes, attempt->job.runner_note,
                      trace.kept_bytes);
  };
  const bool attached = co_await parts_.db_pool.run(std::move(attach));
  if (!attached) co_return;
  const bool analysing = co_await advance(attempt, db::JobState::analysing);
  if (analysing) co_await analyse(attempt, std::move(trace));
}

boost::asio::awaitable<void> Dispatcher::analyse(std::shared_ptr<Attempt> attempt,
                                                 StoredTrace trace) {
  auto read_request = [this, attempt] {
    return db::Jobs(parts_.database).request(attempt->job.request_id);
  };
  const auto request = co_await parts_.db_pool.run(std::move(read_request));
  const std::string understood = request ? request->understood : "";
  auto compute = [this, attempt, trace = std::move(trace), understood] {
    const auto context =
        report_context(attempt->job, parts_.catalog, understood, settings_.ingest.public_url);
    return ingest(attempt->job, trace.files, context, settings_.ingest, attempt->cancel);
  };
  auto ingested = co_await parts_.cpu_pool.run(std::move(compute));
  if (!ingested) {
    RunnerFailure failure{.failure = ingested.error(), .cancelled = attempt->cancel.load()};
    co_await end_failed(attempt, std::move(failure), nullptr);
    co_return;
  }
  if (!ingested->breakdown.complete) {
    RunnerFailure failure{.failure = {db::ErrorKind::analysis, "capture",
                                      "the trace is cut or damaged; the report is partial"}};
    auto partial = std::make_shared<db::StoredBreakdown>(std::move(ingested->breakdown));
    co_await end_failed(attempt, std::move(failure), std::move(partial));
    co_return;
  }
  const std::int64_t now_ms = parts_.clock.now_ms();
  auto finish = [this, attempt, now_ms, result = std::move(*ingested)] {
    return db::Jobs(parts_.database)
        .finish(attempt->job.id, attempt->job.runner, attempt->job.attempt, result.breakdown,
                result.kernels, now_ms);
  };
  const bool finished = co_await parts_.db_pool.run(std::move(finish));
  runtime::log(LogLevel::info, finished ? "job done" : "job was taken over before it was done",
               {{"job", std::to_string(attempt->job.id)}});
}

boost::asio::awaitable<void> Dispatcher::end_failed(std::shared_ptr<Attempt> attempt,
                                                    RunnerFailure failure,
                                                    std::shared_ptr<db::StoredBreakdown> partial) {
  if (attempt->lease_lost) co_return;  // somebody else's job by now
  const std::int64_t now_ms = parts_.clock.now_ms();
  auto end = [this, attempt, failure, partial, now_ms] {
    db::Jobs jobs(parts_.database);
    const db::Job& job = attempt->job;
    if (failure.cancelled) return jobs.cancelled(job.id, job.runner, job.attempt, now_ms);
    return jobs.fail(job.id, job.runner, job.attempt, failure.failure, now_ms, failure.timed_out,
                     partial.get());
  };
  co_await parts_.db_pool.run(std::move(end));
  runtime::log(LogLevel::warning, failure.cancelled ? "job cancelled" : "job attempt failed",
               {{"job", std::to_string(attempt->job.id)}, {"error", failure.failure.message}});
}

boost::asio::awaitable<void> Dispatcher::sweep_traces() {
  const std::int64_t now_ms = parts_.clock.now_ms();
  next_sweep_ms_ = now_ms + kSweepEveryMs;
  const std::int64_t older_than_ms =
      now_ms - std::chrono::milliseconds(settings_.traces_kept).count();
  auto sweep = [this, older_than_ms] {
    db::History history(parts_.database);
    const auto traces = history.traces_to_drop(older_than_ms, settings_.trace_bytes_max);
    for (const db::TraceToDrop& trace : traces) {
      parts_.artifacts.drop(trace.id);
      history.forget_trace(trace.id);
    }
    return traces.size();
  };
  const std::size_t dropped = co_await parts_.db_pool.run(std::move(sweep));
  if (dropped > 0) {
    runtime::log(LogLevel::info, "traces past their retention removed",
                 {{"count", std::to_string(dropped)}});
  }
}

}  // namespace stepscope::workers
