#include "analysis/passes/roles/kernel_traits.h"

#include <re2/re2.h>

#include <algorithm>
#include <array>
#include <unordered_map>
#include <utility>

namespace stepscope::analysis {
namespace {

struct CategoryKind {
  std::string_view category;
  KernelKind kind = KernelKind::other;
};

constexpr auto kKinds = std::to_array<CategoryKind>({
    {"attention-mla", KernelKind::attention},
    {"attention-fmha", KernelKind::attention},
    {"linear-attention", KernelKind::attention},
    {"attention-indexer", KernelKind::indexer},
    {"gemm-dense", KernelKind::gemm},
    {"gemm-moe", KernelKind::expert_gemm},
    {"moe-routing", KernelKind::routing},
    {"activation", KernelKind::activation},
    {"quantize", KernelKind::quantize},
    {"normalisation", KernelKind::norm},
    {"norm+rope", KernelKind::rope},
    {"rope/kv-cache", KernelKind::rope},
    {"sampling", KernelKind::sampling},
    {"embedding/gather", KernelKind::embedding},
});

constexpr auto kExchanges = std::to_array<std::pair<std::string_view, Exchange>>({
    {"comm-allreduce-nccl", Exchange::all_reduce},
    {"comm-allreduce-custom", Exchange::all_reduce},
    {"comm-allgather", Exchange::all_gather},
    {"comm-reducescatter", Exchange::reduce_scatter},
    {"comm-alltoall", Exchange::all_to_all},
    {"comm-sendrecv", Exchange::send_receive},
});

bool says(std::string_view name, const RE2& pattern) {
  return RE2::PartialMatch(re2::StringPiece(name.data(), name.size()), pattern);
}

KernelKind kind_of(std::string_view category) {
  const auto* found = std::ranges::find(kKinds, category, &CategoryKind::category);
  return found == kKinds.end() ? KernelKind::other : found->kind;
}

Exchange exchange_of(std::string_view category) {
  const auto* found =
      std::ranges::find(kExchanges, category, &std::pair<std::string_view, Exchange>::first);
  return found == kExchanges.end() ? Exchange::unnamed : found->second;
}

}  // namespace

KernelTraits traits_of(std::string_view name, const KernelCategory& category) {
  static const RE2 kSplitReduce(
      R"((?i)split_?k_?reduce|reduce_?split_?k|PostGSU|gemm_\w*_reduce_kernel)");
  static const RE2 kSigmoid(R"((?i)sigmoid)");
  static const RE2 kGate(R"((?i)silu|gelu|swish|glu)");
  static const RE2 kDispatch(R"((?i)dispatch)");
  static const RE2 kCombine(R"((?i)combine)");
  static const RE2 kFinalize(R"((?i)finalize|combine|unpermute|moe_?sum|post_?reorder)");
  KernelTraits traits;
  traits.moe_by_name = category.component == "moe";
  if (category.device_class == DeviceClass::copy) return traits;
  if (category.device_class == DeviceClass::comm) {
    traits.kind = KernelKind::collective;
    traits.exchange = exchange_of(category.category);
    traits.says_combine = says(name, kCombine);
    traits.says_dispatch = !traits.says_combine && says(name, kDispatch);
    return traits;
  }
  traits.kind = kind_of(category.category);
  if (traits.kind == KernelKind::gemm && says(name, kSplitReduce)) {
    traits.kind = KernelKind::gemm_tail;
  }
  if (traits.kind == KernelKind::attention && plans_attention(name)) traits.kind = KernelKind::rope;
  traits.gates =
      traits.kind == KernelKind::activation && (!says(name, kSigmoid) || says(name, kGate));
  traits.says_combine = traits.kind == KernelKind::routing && says(name, kFinalize);
  return traits;
}

std::vector<KernelTraits> traits_of(const TraceView& view, std::span<const EventIndex> events) {
  std::unordered_map<std::uint64_t, KernelTraits> known;
  std::vector<KernelTraits> traits;
  traits.reserve(events.size());
  for (const EventIndex index : events) {
    const DeviceEvent& event = view.event(index);
    const std::uint64_t key =
        std::uint64_t{event.name} << 2 | static_cast<std::uint64_t>(event.kind);
    const auto [place, added] = known.try_emplace(key);
    if (added) place->second = traits_of(view.trace.names[event.name], view.category(index));
    traits.push_back(place->second);
  }
  return traits;
}

std::string_view exchange_word(Exchange exchange) {
  switch (exchange) {
    case Exchange::all_reduce:
      return "all-reduce";
    case Exchange::all_gather:
      return "all-gather";
    case Exchange::reduce_scatter:
      return "reduce-scatter";
    case Exchange::all_to_all:
      return "all-to-all";
    case Exchange::send_receive:
      return "send/receive";
    case Exchange::unnamed:
    case Exchange::none:
      break;
  }
  return "collective";
}

std::string_view norm_word(std::string_view name) {
  static const RE2 kRms(R"((?i)rms)");
  static const RE2 kLayer(R"((?i)layer_?norm)");
  if (says(name, kRms)) return "RMSNorm";
  return says(name, kLayer) ? "LayerNorm" : "norm";
}

}  // namespace stepscope::analysis
