#pragma once
// Past runs: lists with filters and cursors, stored breakdowns, retention of trace files. Numbers
// stay when a trace goes.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "db/database.h"
#include "db/run.h"

namespace stepscope::db {

struct RunFilter {
  std::optional<std::string> model;
  std::optional<std::string> hardware;
  std::optional<std::string> precision;
  std::optional<std::string> framework;
  std::optional<std::string> state;
  std::optional<int> conc;
  std::optional<JobId> before;  // cursor: ids below this one
  int limit = 50;               // 1 to 200
};

struct RunSummary {
  Job job;
  std::string source;
  std::string comment_url;
  std::optional<std::int64_t> wall_ns;
  std::optional<std::int64_t> idle_ns;
};

struct TraceToDrop {
  JobId id = 0;
  std::string trace_file;
  std::int64_t bytes = 0;
};

class History {
 public:
  explicit History(Database& database) : database_(database) {}

  std::vector<RunSummary> list(const RunFilter& filter);  // newest first
  std::optional<RunSummary> find(JobId id);
  std::optional<StoredBreakdown> breakdown(JobId id);
  // Traces of jobs that ended before `older_than_ms` (Unix time), and the oldest ones beyond
  // `bytes_max` in all, oldest first.
  std::vector<TraceToDrop> traces_to_drop(std::int64_t older_than_ms, std::int64_t bytes_max);
  void forget_trace(JobId id);
  // Every trace file that a job still points at: what a sweep of the folder must keep.
  std::vector<std::string> kept_traces();

 private:
  Database& database_;
};

}  // namespace stepscope::db
