#pragma once
// R8, source 5: launches of graphs that hold whole steps. For traces without step markers, such as
// those of older SGLang. Owns nothing.

#include <vector>

#include "analysis/passes/accounting/launch_links.h"
#include "analysis/passes/steps/step_source.h"

namespace stepscope::analysis {

// A graph launch is a step when it holds 3 attention groups and at least half as many as the launch
// with most (a draft model's graph runs its few layers some times over). Empty when there is none,
// or when they hold less than half of `work_ns`, the device's (work_ns_of). Events between two
// replays are split at the longest idle gap there; a stretch with as many attention groups of its
// own (an eager prefill) is a step labelled "eager"; those come after the replays.
std::vector<OwnedStep> graph_steps(const TraceView& view, const LaunchLinks& links,
                                   const Device& device, Ns work_ns);

}  // namespace stepscope::analysis
