#include "analysis/passes/attention_groups.h"

#include <string_view>

namespace stepscope::analysis {
namespace {

bool is_attention(const KernelCategory& category) {
  const std::string_view name = category.category;
  return name == "attention-mla" || name == "attention-fmha" || name == "linear-attention";
}

bool is_gemm(const KernelCategory& category) { return category.category.starts_with("gemm-"); }

}  // namespace

std::vector<std::size_t> attention_groups(const TraceView& view,
                                          std::span<const EventIndex> events) {
  constexpr int kGemmsBetween = 2;
  std::vector<std::size_t> groups;
  int gemms = kGemmsBetween;  // nothing needs to precede the first group
  for (std::size_t i = 0; i < events.size(); ++i) {
    const KernelCategory& category = view.category(events[i]);
    if (is_gemm(category)) {
      if (gemms < kGemmsBetween) ++gemms;
    } else if (is_attention(category)) {
      if (gemms == kGemmsBetween) groups.push_back(i);
      gemms = 0;
    }
  }
  return groups;
}

}  // namespace stepscope::analysis
