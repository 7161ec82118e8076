#pragma once
// One side of a comparison from a breakdown: the step that stands for it, its rows, and the range
// of each row over the steps of its group when the breakdown holds them all (StepChoice::all).
// Pure; the breakdown may be fresh or read back from JSON.

#include <expected>
#include <string>

#include "analysis/breakdown.h"
#include "analysis/compare.h"
#include "analysis/reports/report_context.h"

namespace stepscope::analysis {

// Of several shown steps, the one that R9 shows: the lower median of the largest group, the first
// step after the profiler's start left out when another remains. Error: there is no step in it.
std::expected<CompareSide, std::string> compare_side(const Breakdown& breakdown,
                                                     const ReportContext& context);

}  // namespace stepscope::analysis
