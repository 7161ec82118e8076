#pragma once
// The sizes that GEMM and attention kernels worked on, each with where it was read: Input Dims of
// the operator that launched it, the tile in the name, or the launch grid. Owns nothing.

#include <string>
#include <string_view>
#include <vector>

#include "analysis/passes/step_scene.h"
#include "analysis/step_breakdown.h"

namespace stepscope::analysis {

// Fills KernelRow::shapes of GEMM and attention rows with at most kShapesShown; what is not
// recorded stays empty. Nodes of a graph have no operator of their own, so Input Dims tell nothing
// of them.
void add_kernel_shapes(const StepScene& scene, std::vector<KernelRow>& kernels);
inline constexpr std::size_t kShapesShown = 4;

// "tile 64x32" from "nvjet_tst_64x32_64x16_2x2_2cta_h"; empty when the name holds none.
std::string tile_in_name(std::string_view name);

// "M 4, N 2112, K 7168" of an operator whose layout is known, else the sizes as they are; empty
// when there are none.
std::string shape_of_operator(std::string_view op, std::string_view dims);

// "grid 132x1x1, block 384"; empty when none was recorded.
std::string shape_of_grid(std::string_view grid, std::string_view block);

}  // namespace stepscope::analysis
