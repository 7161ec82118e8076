#pragma once
// How the host fed the device in one step: launches, graph launches, latency and queue depth. Owns
// nothing.

#include "analysis/passes/step_scene.h"
#include "analysis/step_breakdown.h"

namespace stepscope::analysis {

LaunchStats launch_stats(const StepScene& scene);

}  // namespace stepscope::analysis
