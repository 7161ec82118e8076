#pragma once
// The sizes that GEMM and attention kernels worked on, each with where it was read: Input Dims of
// the operator that launched it, the launch grid, or the tile in the name. Owns nothing.

#include <string_view>
#include <vector>

#include "analysis/passes/step_scene.h"
#include "analysis/step_breakdown.h"

namespace stepscope::analysis {

// Fills KernelRow::shapes of GEMM and attention rows; what is not recorded stays empty.
void add_kernel_shapes(const StepScene& scene, std::vector<KernelRow>& kernels);

// "tile 64x32" from "nvjet_tst_64x32_64x16_2x2_2cta_h"; empty when the name holds none.
std::string tile_in_name(std::string_view name);

}  // namespace stepscope::analysis
