#pragma once
// The markers inside a step that own device events of it: draft and verify of a speculative step,
// or prefill and decode of a mixed one. Owns nothing.

#include <vector>

#include "analysis/passes/launch_links.h"
#include "analysis/passes/step_window.h"
#include "analysis/step_breakdown.h"

namespace stepscope::analysis {

// In time order; empty when there are fewer than two.
std::vector<StepPart> step_parts(const TraceView& view, const LaunchLinks& links,
                                 const Device& device, const MeasuredStep& step);

}  // namespace stepscope::analysis
