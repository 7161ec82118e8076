#pragma once
// R12, the figures: walls, kinds, the rows of the median layer of each kind, outliers, and the
// check lines. Owns nothing.

#include <cstddef>
#include <optional>
#include <string_view>

#include "analysis/passes/step_scene.h"
#include "analysis/step_breakdown.h"

namespace stepscope::analysis {

// Time belongs to the layer in which it lies, so that the rows of a layer and its idle time are its
// wall. What an event that started before the layer still owns of it is a row of its own, the last
// of the table, with this role and without calls.
inline constexpr std::string_view kCarriedOverRole = "runs over from before";

// Kinds beyond that have no rows: those with least time.
inline constexpr std::size_t kKindsWithRowsMax = 64;

// Absent when the scene has no layers.
std::optional<Layers> layer_figures(const StepScene& scene);

}  // namespace stepscope::analysis
