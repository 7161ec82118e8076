#pragma once
// The interface behind which a profile is made: a process on this machine now, an agent, Slurm or
// Actions later. A runner takes one job, says how it goes, and leaves trace files in the job's
// folder or a failure; it knows neither the database nor the analysis.

#include <atomic>
#include <boost/asio/awaitable.hpp>
#include <expected>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "db/jobs.h"
#include "db/run.h"

namespace stepscope::workers {

struct RunnerTask {
  db::JobId job_id = 0;
  db::RunConfig config;
  std::filesystem::path folder;  // empty, the runner's to write in
};

struct RunnerResult {
  std::vector<std::filesystem::path> traces;  // inside the folder, one a rank
  std::string hardware_note;                  // what it ran on, for people
};

struct RunnerFailure {
  db::JobFailure failure;
  bool timed_out = false;
  bool cancelled = false;
};

class Runner {
 public:
  virtual ~Runner() = default;
  virtual std::string name() const = 0;
  // The kinds of work that it takes; other jobs wait for another runner.
  virtual std::vector<db::Capability> capabilities() const = 0;
  // `on_running` is called once the work itself has begun. `cancel` is looked at about once a
  // second.
  virtual boost::asio::awaitable<std::expected<RunnerResult, RunnerFailure>> run(
      RunnerTask task, std::function<void()> on_running, const std::atomic<bool>& cancel) = 0;
};

}  // namespace stepscope::workers
