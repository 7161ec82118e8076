#pragma once
// How long MoE took: router, dispatch, routed experts, combine, shared expert and its collectives,
// each charged, hidden and exposed. Owns nothing.

#include <optional>

#include "analysis/passes/step_scene.h"
#include "analysis/step_breakdown.h"

namespace stepscope::analysis {

// Absent when the step has no MoE kernel.
std::optional<Moe> moe_figures(const StepScene& scene);

}  // namespace stepscope::analysis
