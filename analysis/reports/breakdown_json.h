#pragma once
// A Breakdown as the JSON contract `stepscope.breakdown/1`: integers for times, null for what is
// absent, keys in a fixed order, origin_ns as a decimal string. Deterministic: same input, same
// bytes.

#include <string>

#include "analysis/breakdown.h"
#include "analysis/reports/report_context.h"

namespace stepscope::analysis {

// Ends with a newline. `context.replayed` and the context's strings appear under "report".
std::string breakdown_json(const Breakdown& breakdown, const ReportContext& context);

}  // namespace stepscope::analysis
