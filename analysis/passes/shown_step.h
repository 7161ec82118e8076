#pragma once
// Puts the figures of one chosen step together: its accounting, its components and its idle causes.
// Owns nothing; which step is chosen is decided elsewhere (step_choice.h).

#include <span>
#include <vector>

#include "analysis/breakdown.h"
#include "analysis/passes/launch_links.h"
#include "analysis/passes/step_window.h"
#include "analysis/passes/window_index.h"

namespace stepscope::analysis {

// One row for each component in the window: charged, sum and hidden (R7: busy union minus charged).
// Charged time of all rows plus idle is the window. By charged time falling, then by name.
std::vector<ComponentRow> component_rows(const TraceView& view, std::span<const EventIndex> events,
                                         const Interval& window, const Accounting& accounting);

// Everything but spread and notes, which belong to the choice.
ShownStep show_step(const TraceView& view, const LaunchLinks& links, const Device& device,
                    const WindowIndex& index, const MeasuredStep& measured);

}  // namespace stepscope::analysis
