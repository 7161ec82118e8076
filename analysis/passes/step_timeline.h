#pragma once
// The events of a step as a page draws them. Owns nothing.

#include <vector>

#include "analysis/passes/step_scene.h"
#include "analysis/step_breakdown.h"

namespace stepscope::analysis {

// More than that do not fit into a page; such a step is shown by its tables alone.
inline constexpr std::size_t kTimelineEventsMax = 20'000;

// In start order; empty when the step has too many events. `accounting` is that of the scene.
std::vector<TimelineEvent> step_timeline(const StepScene& scene, const Accounting& accounting);

}  // namespace stepscope::analysis
