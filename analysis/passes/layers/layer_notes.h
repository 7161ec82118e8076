#pragma once
// Check lines of the layers (R14): whether calls divide by the number of layers, and what strict
// repetition of names would count. Owns nothing.

#include <string>
#include <vector>

#include "analysis/passes/step_scene.h"

namespace stepscope::analysis {

// "427 GEMM calls on stream 39 = 7 x 61 layers", "121 all-reduce calls = 2 x 61 layers - 1". At
// most five. Empty when the scene has no layers.
std::vector<std::string> layer_notes(const StepScene& scene);

}  // namespace stepscope::analysis
