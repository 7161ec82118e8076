#pragma once
// What kernels are compared by when layers are looked for (R12). Attention, GEMM, MoE, norm and KV
// kernels are their category, because autotuners give them other names in other layers;
// communication and copies are their class; all else is its whole name, so that layers that
// quantize or activate differently are told apart. Owns nothing.

#include <cstdint>
#include <string_view>

#include "analysis/passes/accounting/device_table.h"

namespace stepscope::analysis {

// Numbers compare faster than words: one of the tokens below, or kFirstName + the NameId.
using LayerToken = std::uint32_t;

namespace layer_tokens {
inline constexpr LayerToken kAttention = 0;
inline constexpr LayerToken kLinearAttention = 1;
inline constexpr LayerToken kGemmDense = 2;
inline constexpr LayerToken kGemmMoe = 3;
inline constexpr LayerToken kMoeRouting = 4;
inline constexpr LayerToken kNorm = 5;
inline constexpr LayerToken kKv = 6;  // rotary embedding, also with a q/k norm; cache writes
inline constexpr LayerToken kComm = 7;
inline constexpr LayerToken kCopy = 8;
inline constexpr LayerToken kFirstName = 9;
}  // namespace layer_tokens

LayerToken layer_token_of(const TraceView& view, EventIndex event);
// "attention", "gemm-dense", "comm", or the name. Lives as long as the view.
std::string_view layer_token_text(const TraceView& view, LayerToken token);

inline bool is_attention_token(LayerToken token) {
  return token == layer_tokens::kAttention || token == layer_tokens::kLinearAttention;
}
inline bool is_gemm_token(LayerToken token) {
  return token == layer_tokens::kGemmDense || token == layer_tokens::kGemmMoe;
}
inline bool is_moe_token(LayerToken token) {
  return token == layer_tokens::kGemmMoe || token == layer_tokens::kMoeRouting;
}

}  // namespace stepscope::analysis
