#pragma once
// R11: cuts the window of a step into head, layers and tail. Owns nothing; figures are sums over
// the scene's charged parts, so the phases sum to the window exactly.

#include <vector>

#include "analysis/passes/step_scene.h"
#include "analysis/step_breakdown.h"

namespace stepscope::analysis {

// Empty when the scene has no layers.
std::vector<Phase> phases_of(const StepScene& scene);

// What of the window is charged, by category, and the classes (R6), between two times of it.
Phase phase_between(const StepScene& scene, std::string name, const Interval& part);

}  // namespace stepscope::analysis
