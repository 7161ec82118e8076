#pragma once
// Words that tell the kinds of layers apart: "MoE", "dense, one all-reduce less". Owns nothing.

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/passes/layers/layers.h"

namespace stepscope::analysis {

// What a reader calls a kernel of this category: "GEMM", "all-reduce", "norm", ...
struct KernelNoun {
  std::string_view one;
  std::string_view many;
};
KernelNoun kernel_noun(const KernelCategory& category);

// One label for each kind, all different: the kind of attention where the model has several, MoE or
// dense, and what sets it apart from the most frequent kind of the same description.
std::vector<std::string> kind_labels(const TraceView& view, std::span<const EventIndex> events,
                                     const LayerMap& layers);

}  // namespace stepscope::analysis
