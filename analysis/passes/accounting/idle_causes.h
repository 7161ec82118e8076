#pragma once
// R13: why the device did nothing, as far as launches tell. Owns nothing.

#include <span>

#include "analysis/breakdown.h"
#include "analysis/passes/accounting/launch_links.h"

namespace stepscope::analysis {

// `events` are the device's events that touch the window, in start order. A gap is a stretch
// without any of them; its cause is read from the event that starts at its end (ties: the lowest
// stream). The parts sum to the idle time of the window.
IdleCauses idle_causes(const TraceView& view, const LaunchLinks& links,
                       std::span<const EventIndex> events, const Interval& window);

}  // namespace stepscope::analysis
