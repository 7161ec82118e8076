#pragma once
// An export of Nsight Systems (nsys export --type sqlite) into rows of a TraceBuilder: kernels,
// copies and fills of CUPTI, calls of the runtime, NVTX ranges that can be steps. Tables that were
// not recorded are absent, and columns come and go with the version.

#include <expected>

#include "analysis/analyze.h"
#include "analysis/reading/formats/databases/sqlite_file.h"
#include "analysis/reading/formats/file_content.h"
#include "analysis/reading/tables/trace_builder.h"

namespace stepscope::analysis {

bool is_nsys(const SqliteFile& file);

// Errors: unsupported_format (a table without its main columns), no_device_events (CUDA graphs that
// were traced as a whole and nothing else), limit. Whether reading was stopped or met damaged pages
// is asked of the file.
std::expected<FileContent, AnalyzeError> read_nsys(SqliteFile& file, TraceBuilder& builder);

}  // namespace stepscope::analysis
