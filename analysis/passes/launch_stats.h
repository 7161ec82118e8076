#pragma once
// How the host fed the device in one step: launches, graph launches, latency and queue depth. Owns
// nothing. What no launch of the file tells stays absent.

#include "analysis/passes/step_scene.h"
#include "analysis/step_breakdown.h"

namespace stepscope::analysis {

// Latency: from the start of the call to the start on the device, of calls that have exactly one
// event in the window and are no graph launch; an event that starts before its call (clocks that
// disagree) has none. Depth, at the start of each event of the window: launches begun by then of
// which no event has started; a graph launch counts once, until its first node starts.
LaunchStats launch_stats(const StepScene& scene);

}  // namespace stepscope::analysis
