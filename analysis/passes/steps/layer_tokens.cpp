#include "analysis/passes/steps/layer_tokens.h"

#include <array>

#include "analysis/passes/names/kernel_category.h"

namespace stepscope::analysis {
namespace {

struct CategoryToken {
  std::string_view category;
  LayerToken token;
};

// The indexer of sparse attention and what plans attention stand before the attention of their own
// layer, so they begin none.
constexpr auto kCategoryTokens = std::to_array<CategoryToken>({
    {"gemm-dense", layer_tokens::kGemmDense},
    {"normalisation", layer_tokens::kNorm},
    {"attention-fmha", layer_tokens::kAttention},
    {"attention-mla", layer_tokens::kAttention},
    {"linear-attention", layer_tokens::kLinearAttention},
    {"gemm-moe", layer_tokens::kGemmMoe},
    {"moe-routing", layer_tokens::kMoeRouting},
    {"rope/kv-cache", layer_tokens::kKv},
    {"norm+rope", layer_tokens::kKv},
});

constexpr auto kTexts = std::to_array<std::string_view>(
    {"attention", "linear-attention", "gemm-dense", "gemm-moe", "moe-routing", "normalisation",
     "rope/kv-cache", "comm", "copy"});

}  // namespace

LayerToken layer_token_of(const TraceView& view, EventIndex event) {
  const KernelCategory& category = view.category(event);
  if (category.device_class == DeviceClass::comm) return layer_tokens::kComm;
  if (category.device_class == DeviceClass::copy) return layer_tokens::kCopy;
  for (const CategoryToken& known : kCategoryTokens) {
    if (category.category != known.category) continue;
    const bool plans = is_attention_token(known.token) &&
                       plans_attention(view.trace.names[view.event(event).name]);
    if (!plans) return known.token;
  }
  return layer_tokens::kFirstName + view.event(event).name;
}

std::string_view layer_token_text(const TraceView& view, LayerToken token) {
  if (token < kTexts.size()) return kTexts[token];
  return view.trace.names[token - layer_tokens::kFirstName];
}

}  // namespace stepscope::analysis
