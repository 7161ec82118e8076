#pragma once
// Reads all files of a run into one Trace, several at a time, gives each file its rank
// (distributedInfo, rank label of a merged file, file name), sorts the tables and removes exact
// duplicates (R1).

#include <expected>
#include <filesystem>
#include <span>

#include "analysis/analyze.h"
#include "analysis/reading/event_table.h"

namespace stepscope::analysis {

// A Trace with at least one device event, or the reason why there is none. The result does not
// depend on the number of threads (options.threads_max).
std::expected<Trace, AnalyzeError> read_trace(std::span<const std::filesystem::path> paths,
                                              const AnalyzeOptions& options);

}  // namespace stepscope::analysis
