#pragma once
// Repetition of kernel names. R8, source 6: whole steps found by the names of the primary stream
// repeating; events on other streams belong to no step then. Owns nothing.

#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "analysis/passes/steps/step_source.h"

namespace stepscope::analysis {

// A longer stream is not searched, and no more periods than that are tried on one: a search takes
// events x periods comparisons.
inline constexpr std::size_t kRepeatEventsMax = 100'000;
inline constexpr std::size_t kRepeatPeriodsMax = 1000;

struct Repeat {
  std::size_t first = 0;
  std::size_t period = 0;
  std::size_t count = 0;  // whole periods

  std::size_t covered() const { return period * count; }
};

// Strict repetition: the stretch in which every name is the one a period later. Periods are tried
// that lie between one use of some name and the next, the shortest first. Of those with at least
// `count_min` periods that `accept` (of the first position and the period; empty: all) the
// one that covers most; of equals the one with the shorter period, then the first.
std::optional<Repeat> best_repeat(
    std::span<const NameId> names, std::size_t count_min,
    const std::function<bool(std::size_t first, std::size_t period)>& accept);

// The whole periods of the best repeat, in time order; empty when it covers less than 80 % of the
// stream's events, one period holds fewer than kWholeStepGroups attention groups or no name that
// occurs once in it (then it is one layer, or several, and no step), copies, embedding and sampling
// lie outside of all periods only (the layers of a hybrid model repeat within one step), or the
// periods hold less than half of `work_ns`, the work of the device.
std::vector<OwnedStep> repeated_steps(const TraceView& view, const Device& device, Ns work_ns);

}  // namespace stepscope::analysis
