#include "analysis/passes/layers/layer_labels.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <map>
#include <set>

#include "analysis/passes/steps/layer_tokens.h"

namespace stepscope::analysis {
namespace {

struct CategoryNoun {
  std::string_view category;
  KernelNoun noun;
};

constexpr auto kNouns = std::to_array<CategoryNoun>({
    {"attention-fmha", {"attention kernel", "attention kernels"}},
    {"attention-mla", {"attention kernel", "attention kernels"}},
    {"attention-indexer", {"indexer kernel", "indexer kernels"}},
    {"linear-attention", {"linear-attention kernel", "linear-attention kernels"}},
    {"gemm-dense", {"GEMM", "GEMMs"}},
    {"gemm-moe", {"expert GEMM", "expert GEMMs"}},
    {"moe-routing", {"routing kernel", "routing kernels"}},
    {"normalisation", {"norm", "norms"}},
    {"norm+rope", {"rotary or cache kernel", "rotary or cache kernels"}},
    {"rope/kv-cache", {"rotary or cache kernel", "rotary or cache kernels"}},
    {"comm-allreduce-nccl", {"all-reduce", "all-reduces"}},
    {"comm-allreduce-custom", {"all-reduce", "all-reduces"}},
    {"comm-allgather", {"all-gather", "all-gathers"}},
    {"comm-reducescatter", {"reduce-scatter", "reduce-scatters"}},
    {"comm-alltoall", {"all-to-all", "all-to-alls"}},
    {"quantize", {"quantization", "quantizations"}},
    {"activation", {"activation", "activations"}},
    {"elementwise/copy", {"elementwise kernel", "elementwise kernels"}},
});

using Counts = std::map<std::string_view, std::pair<KernelNoun, std::int64_t>>;

// The kernels of one layer on the layer stream, by noun.
Counts counts_of(const TraceView& view, std::span<const EventIndex> events, const LayerMap& layers,
                 std::size_t layer) {
  Counts counts;
  for (std::size_t i = layers.bounds[layer]; i < layers.bounds[layer + 1]; ++i) {
    const KernelNoun noun = kernel_noun(view.category(events[layers.sequence[i]]));
    auto& [kept, count] = counts[noun.one];
    kept = noun;
    ++count;
  }
  return counts;
}

std::string more_or_less(std::int64_t delta, const KernelNoun& noun) {
  const std::int64_t size = std::abs(delta);
  const std::string amount =
      size == 1 ? fmt::format("one {}", noun.one) : fmt::format("{} {}", size, noun.many);
  return amount + (delta > 0 ? " more" : " less");
}

std::vector<LayerToken> sorted_tokens(const TraceView& view, std::span<const EventIndex> events,
                                      const LayerMap& layers, std::size_t layer) {
  std::vector<LayerToken> tokens;
  for (std::size_t i = layers.bounds[layer]; i < layers.bounds[layer + 1]; ++i) {
    tokens.push_back(layer_token_of(view, events[layers.sequence[i]]));
  }
  std::sort(tokens.begin(), tokens.end());
  return tokens;
}

// "one all-reduce less", "one norm more and 2 GEMMs less", "5 kernels more", "other kernels".
std::string difference(const TraceView& view, std::span<const EventIndex> events,
                       const LayerMap& layers, std::size_t layer, std::size_t usual) {
  constexpr std::size_t kNamedMax = 2;
  Counts delta = counts_of(view, events, layers, layer);
  for (const auto& [word, entry] : counts_of(view, events, layers, usual)) {
    auto& [noun, count] = delta[word];
    noun = entry.first;
    count -= entry.second;
  }
  std::vector<std::string> named;
  std::int64_t in_all = 0;
  for (const auto& [word, entry] : delta) {
    if (entry.second == 0) continue;
    named.push_back(more_or_less(entry.second, entry.first));
    in_all += entry.second;
  }
  if (named.empty()) {
    const bool same_kernels =
        sorted_tokens(view, events, layers, layer) == sorted_tokens(view, events, layers, usual);
    return same_kernels ? "in another order" : "other kernels";
  }
  if (named.size() <= kNamedMax) return fmt::format("{}", fmt::join(named, " and "));
  if (in_all == 0) return "other kernels";
  return more_or_less(in_all, {"kernel", "kernels"});
}

bool has_token(const TraceView& view, std::span<const EventIndex> events, const LayerMap& layers,
               std::size_t layer, LayerToken token) {
  for (std::size_t i = layers.bounds[layer]; i < layers.bounds[layer + 1]; ++i) {
    if (layer_token_of(view, events[layers.sequence[i]]) == token) return true;
  }
  return false;
}

// Without what sets kinds of the same description apart.
std::vector<std::string> descriptions(const TraceView& view, std::span<const EventIndex> events,
                                      const LayerMap& layers) {
  std::vector<bool> linear;
  linear.reserve(layers.kinds.size());
  for (const LayerMap::Kind& kind : layers.kinds) {
    linear.push_back(
        has_token(view, events, layers, kind.members.front(), layer_tokens::kLinearAttention));
  }
  const bool any_linear = std::find(linear.begin(), linear.end(), true) != linear.end();
  std::vector<std::string> words;
  for (std::size_t i = 0; i < layers.kinds.size(); ++i) {
    const std::string attention = linear[i] ? "linear attention, " : "attention, ";
    words.push_back((any_linear ? attention : "") + (layers.kinds[i].moe ? "MoE" : "dense"));
  }
  return words;
}

}  // namespace

KernelNoun kernel_noun(const KernelCategory& category) {
  if (category.device_class == DeviceClass::copy) return {"copy", "copies"};
  for (const CategoryNoun& known : kNouns) {
    if (category.category == known.category) return known.noun;
  }
  if (category.device_class == DeviceClass::comm) return {"collective", "collectives"};
  return {"kernel", "kernels"};
}

std::vector<std::string> kind_labels(const TraceView& view, std::span<const EventIndex> events,
                                     const LayerMap& layers) {
  std::vector<std::string> labels = descriptions(view, events, layers);
  std::map<std::string, std::size_t> usual;  // by description, the kind with most layers
  for (std::size_t i = 0; i < labels.size(); ++i) {
    const auto [found, added] = usual.try_emplace(labels[i], i);
    const std::size_t most = layers.kinds[found->second].members.size();
    if (layers.kinds[i].members.size() > most) found->second = i;
  }
  std::set<std::string> used;
  for (std::size_t i = 0; i < labels.size(); ++i) {
    const std::size_t reference = usual.at(labels[i]);
    const std::size_t layer = layers.kinds[i].members.front();
    if (reference != i) {
      labels[i] +=
          ", " + difference(view, events, layers, layer, layers.kinds[reference].members.front());
    }
    if (!used.insert(labels[i]).second) {
      labels[i] += fmt::format(" (first in layer {})", layer + 1);
      used.insert(labels[i]);
    }
  }
  return labels;
}

}  // namespace stepscope::analysis
