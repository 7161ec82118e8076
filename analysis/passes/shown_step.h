#pragma once
// Puts the figures of one chosen step together: accounting, idle by cause, layers, phases, roles,
// components and MoE. Owns nothing; what several ranks tell joins in analyze.cpp.

#include <span>

#include "analysis/breakdown.h"
#include "analysis/passes/accounting/launch_links.h"
#include "analysis/passes/accounting/window_index.h"
#include "analysis/passes/ranks/collectives.h"
#include "analysis/passes/steps/step_window.h"

namespace stepscope::analysis {

// A step of a device with the other steps of that device, in time order.
struct ChosenStep {
  std::span<const MeasuredStep> all;
  std::size_t at = 0;
};

// Everything but the spread, the ranks, the cross-check and the takeaways. `waits` are those of
// this device's collective calls, empty when they can not be told.
ShownStep show_step(const TraceView& view, const LaunchLinks& links, const Device& device,
                    const WindowIndex& index, const ChosenStep& chosen,
                    std::span<const EventWait> waits);

}  // namespace stepscope::analysis
