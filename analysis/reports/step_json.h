#pragma once
// The part of the JSON contract that describes one shown step, and its collectives. Pure; the
// numbers are the integers of the breakdown, what is absent is null.

#include <nlohmann/json_fwd.hpp>

#include "analysis/breakdown.h"

namespace stepscope::analysis {

// What the structure of a step adds to its accounting: where, phases, layers, components, moe,
// parts, ranks, launches, cross-check, takeaways.
void add_step_structure(nlohmann::ordered_json& out, const ShownStep& shown);
// roles[] and shapes[] of a kernel row.
void add_kernel_places(nlohmann::ordered_json& out, const KernelRow& row);
// Null when absent; keyed by rank, or by the rank's label where it has no number.
nlohmann::ordered_json collectives_json(const std::optional<Collectives>& collectives);

}  // namespace stepscope::analysis
