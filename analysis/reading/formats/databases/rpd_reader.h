#pragma once
// A database of rocmProfileData (RPD) into rows of a TraceBuilder: operations of the GPU's queues,
// calls of HIP, user markers that can be steps. Operations and calls meet through the ids of calls,
// which are unique in a database.

#include <expected>

#include "analysis/analyze.h"
#include "analysis/reading/formats/databases/sqlite_file.h"
#include "analysis/reading/formats/file_content.h"
#include "analysis/reading/tables/trace_builder.h"

namespace stepscope::analysis {

bool is_rpd(const SqliteFile& file);

// Errors: unsupported_format (rocpd_op without its main columns), limit. Whether reading was
// stopped or met damaged pages is asked of the file.
std::expected<FileContent, AnalyzeError> read_rpd(SqliteFile& file, TraceBuilder& builder);

}  // namespace stepscope::analysis
