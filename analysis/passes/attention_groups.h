#pragma once
// R12: attention groups, of which a layer has one each. Owns nothing.

#include <cstddef>
#include <span>
#include <vector>

#include "analysis/passes/device_table.h"

namespace stepscope::analysis {

// Positions in `events` (in start order) at which a group begins: an attention or linear-attention
// kernel with at least two GEMMs since the last one.
std::vector<std::size_t> attention_groups(const TraceView& view,
                                          std::span<const EventIndex> events);

// A graph or a stretch with fewer groups is a piece of a step and no step.
inline constexpr std::size_t kWholeStepGroups = 3;

}  // namespace stepscope::analysis
