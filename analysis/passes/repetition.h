#pragma once
// R8, source 6: whole steps found by the names of the primary stream repeating. Says nothing of
// events on other streams; these belong to no step then.

#include <cstddef>
#include <vector>

#include "analysis/passes/step_source.h"

namespace stepscope::analysis {

// A longer stream is not searched: the search takes events x kRepeatPeriodMax comparisons.
inline constexpr std::size_t kRepeatEventsMax = 4000;
inline constexpr std::size_t kRepeatPeriodMax = 600;

// The whole periods of the best repeat, in time order; empty when it covers less than 80 % of the
// stream's events, one period holds fewer than kWholeStepGroups attention groups or no name that
// occurs once in it (then it is one layer, or several, and no step), or the periods hold less than
// half of `busy_ns`, the busy time of the device.
std::vector<OwnedStep> repeated_steps(const TraceView& view, const Device& device, Ns busy_ns);

}  // namespace stepscope::analysis
