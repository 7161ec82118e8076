#pragma once
// rocprofv3's JSON (--output-format json) from its first byte to its last: kernel dispatches,
// copies, calls of the runtime and ROCTX ranges of each process. Integer nanoseconds throughout.

#include <expected>
#include <string>
#include <string_view>

#include "analysis/analyze.h"
#include "analysis/reading/bytes/trace_input.h"
#include "analysis/reading/formats/file_content.h"
#include "analysis/reading/tables/trace_builder.h"

namespace stepscope::analysis {

// `head`: the beginning of a text. Its first name tells.
bool is_rocprof(std::string_view head);

// `damage_prefix` is put before the reasons of damaged spots: "rank0.json: ", or "". Errors: those
// of the input, limit.
std::expected<FileContent, AnalyzeError> read_rocprof(TraceInput& input, TraceBuilder& builder,
                                                      std::string damage_prefix);

}  // namespace stepscope::analysis
