#pragma once
// A JSON trace from its first byte to its last: blocks of text through the scanner into the Kineto
// reader. Stops at the first block behind a limit.

#include <expected>
#include <string>

#include "analysis/analyze.h"
#include "analysis/reading/bytes/trace_input.h"
#include "analysis/reading/formats/file_content.h"
#include "analysis/reading/tables/trace_builder.h"

namespace stepscope::analysis {

// `damage_prefix` is put before the reasons of damaged spots: "rank0.json: ", or "".
std::expected<FileContent, AnalyzeError> read_kineto(TraceInput& input, TraceBuilder& builder,
                                                     std::string damage_prefix);

}  // namespace stepscope::analysis
