#pragma once
// R12, the cuts: where each layer of a stream begins and the last one ends, from the tokens of its
// kernels. Pure; linear in the tokens. Owns nothing.

#include <cstddef>
#include <span>
#include <vector>

#include "analysis/passes/steps/layer_tokens.h"

namespace stepscope::analysis {

struct LayerKernel {
  LayerToken token = 0;
  NameId name = 0;
};

// `groups` are where the attention groups begin in `sequence`, at least two. Layer k is
// [result[k], result[k + 1]); it holds the beginning of group k. No layer is empty.
std::vector<std::size_t> layer_bounds(std::span<const LayerKernel> sequence,
                                      std::span<const std::size_t> groups);

// A layer with more GEMMs before its attention is not looked for.
inline constexpr std::size_t kOwnGemmsMax = 64;

}  // namespace stepscope::analysis
