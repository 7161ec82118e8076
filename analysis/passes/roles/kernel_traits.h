#pragma once
// What a kernel's category and name say that its place is judged by (R14): one small record for
// each event, worked out once for each name. Owns nothing of the trace.

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "analysis/passes/accounting/device_table.h"

namespace stepscope::analysis {

enum class KernelKind : std::uint8_t {
  other,
  attention,  // what attention groups are made of
  indexer,    // of sparse attention
  gemm,       // dense
  gemm_tail,  // the reduction of a split-K GEMM: belongs to the GEMM before it
  expert_gemm,
  routing,
  activation,
  quantize,
  norm,
  rope,  // rotary embedding, cache writes, plans of attention
  collective,
  sampling,
  embedding,
};

enum class Exchange : std::uint8_t {
  none,
  all_reduce,
  all_gather,
  reduce_scatter,
  all_to_all,
  send_receive,
  unnamed,  // the name hides which
};

struct KernelTraits {
  KernelKind kind = KernelKind::other;
  Exchange exchange = Exchange::none;
  bool moe_by_name = false;
  bool gates = false;          // an activation between two GEMMs: no lone sigmoid
  bool says_dispatch = false;  // of a collective
  bool says_combine = false;   // of a collective or a MoE kernel
};

// Parallel to `events`.
std::vector<KernelTraits> traits_of(const TraceView& view, std::span<const EventIndex> events);

KernelTraits traits_of(std::string_view name, const KernelCategory& category);

// "all-reduce", "send/receive", "collective".
std::string_view exchange_word(Exchange exchange);
// "RMSNorm", "LayerNorm" or "norm", by the kernel's name.
std::string_view norm_word(std::string_view name);

}  // namespace stepscope::analysis
