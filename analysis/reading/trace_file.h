#pragma once
// One trace file of a run, in whatever format: picks the reader by content, and says in words what
// was odd about the file. Files are independent of each other, so that threads can share them out.

#include <cstdint>
#include <expected>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "analysis/analyze.h"
#include "analysis/reading/bytes/byte_source.h"
#include "analysis/reading/bytes/read_progress.h"
#include "analysis/reading/tables/rank_source.h"
#include "analysis/reading/tables/trace_builder.h"

namespace stepscope::analysis {

// Where a trace lies. Opening it more than once is allowed.
struct TraceSource {
  std::string name;            // for messages and reports
  std::filesystem::path path;  // of the plain file; empty: it lies in an archive
  std::uint64_t size = 0;      // stored bytes, 0: unknown
  std::function<std::expected<std::unique_ptr<ByteSource>, std::string>()> open;
};

struct FileReading {
  const AnalyzeOptions& options;
  ReadProgress& progress;
  bool only_file = true;  // of the run: then its name need not be said everywhere
};

struct TraceFileRows {
  TraceBuilder tables;
  FileClaim claim;
  bool whole_microseconds = false;      // no time has a decimal
  std::optional<AnalyzeError> nothing;  // why there is no device event
  bool left_out = false;                // it is no trace: nothing of it counts but the reason
};

// Errors: what makes the whole run hopeless. A file of a process that owns no GPU is none.
std::expected<TraceFileRows, AnalyzeError> read_trace_file(const TraceSource& source,
                                                           const FileReading& reading);

}  // namespace stepscope::analysis
