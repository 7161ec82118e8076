#pragma once
// R12, the figures: walls, kinds, the rows of the median layer of each kind, outliers, and the
// check lines. Owns nothing.

#include <optional>

#include "analysis/passes/step_scene.h"
#include "analysis/step_breakdown.h"

namespace stepscope::analysis {

std::optional<Layers> layer_figures(const StepScene& scene);

}  // namespace stepscope::analysis
