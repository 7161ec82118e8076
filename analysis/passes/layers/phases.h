#pragma once
// R11: cuts the window of a step into head, layers and tail. Owns nothing; figures are sums over
// the scene's charged parts, so the phases sum to the window exactly. A kernel that runs over a cut
// is charged on both sides of it, but is a call of the phase in which it starts (one that runs into
// the window: of the first).

#include <vector>

#include "analysis/passes/step_scene.h"
#include "analysis/step_breakdown.h"

namespace stepscope::analysis {

// In time order: head where it has any length, or head.setup, head.collective and head.rest when
// collectives start in it (those that have any length); layers; tail. Empty when the scene has no
// layers.
std::vector<Phase> phases_of(const StepScene& scene);

// What of the window is charged, by category, and the classes (R6), between two times of it.
Phase phase_between(const StepScene& scene, std::string name, const Interval& part);

}  // namespace stepscope::analysis
