#include "analysis/passes/roles/roles.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <optional>
#include <utility>

#include "analysis/passes/roles/attention_roles.h"
#include "analysis/passes/roles/feed_forward_roles.h"
#include "analysis/passes/roles/moe_roles.h"
#include "analysis/passes/roles/role_draft.h"
#include "analysis/passes/roles/sibling_roles.h"

namespace stepscope::analysis {
namespace {

using Positions = std::vector<std::uint32_t>;

// What the name says without a place: before the first layer, and in a step without layers.
void assign_by_name(RoleDraft& draft, std::uint32_t at, bool experts) {
  const std::uint32_t by_name = draft.place("by name");
  switch (draft.kind(at)) {
    case KernelKind::attention:
    case KernelKind::indexer:
      return draft.give(at, Role::attention_core, by_name);
    case KernelKind::expert_gemm:
      return draft.give(at, Role::expert_gemm, by_name);
    case KernelKind::routing:
      if (!experts) return;
      return draft.give(at, draft.traits(at).says_combine ? Role::combine : Role::routing, by_name);
    case KernelKind::gemm:
      if (draft.traits(at).moe_by_name) draft.give(at, Role::router, by_name);
      return;
    case KernelKind::sampling:
      return draft.give(at, Role::sampling, by_name);
    case KernelKind::embedding:
      return draft.give(at, Role::embedding, by_name);
    case KernelKind::collective:
      if (const auto exchange = exchange_by_name(draft.traits(at))) {
        draft.give(at, *exchange, by_name);
      }
      return;
    default:
      return;
  }
}

// Top-k without expert GEMMs beside it may be anything.
bool has_experts(const RoleDraft& draft, Run run) {
  return std::ranges::any_of(
      run, [&](std::uint32_t at) { return draft.kind(at) == KernelKind::expert_gemm; });
}

void assign_without_layers(RoleDraft& draft) {
  Positions all(draft.size());
  std::iota(all.begin(), all.end(), 0U);
  const bool experts = has_experts(draft, all);
  for (const std::uint32_t at : all) {
    assign_by_name(draft, at, experts);
    if (draft.kind(at) == KernelKind::gemm && draft.role(at) == Role::none) {
      draft.leave(at, "no layers were found in this step");
    }
  }
}

// Events of the other streams of a layer, one run for each stream.
std::vector<Positions> split_by_stream(const RoleDraft& draft, Positions side) {
  std::sort(side.begin(), side.end(), [&](std::uint32_t a, std::uint32_t b) {
    return std::pair(draft.stream(a), a) < std::pair(draft.stream(b), b);
  });
  std::vector<Positions> runs;
  for (const std::uint32_t at : side) {
    if (runs.empty() || draft.stream(runs.back().back()) != draft.stream(at)) runs.emplace_back();
    runs.back().push_back(at);
  }
  return runs;
}

LayerTimes times_of(const RoleDraft& draft, Run own, std::size_t attention, std::size_t split) {
  LayerTimes times;
  times.attention_ns = draft.start_ns(own[attention]);
  times.first_gemm_ns = times.attention_ns;
  for (std::size_t i = attention; i-- > 0;) {
    if (draft.kind(own[i]) == KernelKind::gemm) times.first_gemm_ns = draft.start_ns(own[i]);
  }
  // Another stream may begin together with the norm that opens the feed-forward part, or with what
  // ends the attention block.
  times.feed_forward_ns = draft.start_ns(own[split > 0 ? split - 1 : 0]);
  return times;
}

void assign_layer(RoleDraft& draft, const LayerMap& layers, std::size_t layer) {
  const Run own =
      Run(layers.sequence)
          .subspan(layers.bounds[layer], layers.bounds[layer + 1] - layers.bounds[layer]);
  const std::size_t attention = layers.attention[layer] - layers.bounds[layer];
  const std::size_t split = assign_attention(draft, own, attention);
  const LayerTimes times = times_of(draft, own, attention, split);

  std::vector<Positions> feed_forward(1);
  feed_forward[0].assign(own.begin() + static_cast<std::ptrdiff_t>(split), own.end());
  for (Positions& run : split_by_stream(draft, layers.side[layer])) {
    // A stream with MoE kernels belongs to them as a whole, its router may start early.
    const bool moe =
        std::ranges::any_of(run, [&](std::uint32_t at) { return is_moe_kind(draft.kind(at)); });
    const auto cut = moe ? run.begin() : std::ranges::find_if(run, [&](std::uint32_t at) {
      return draft.start_ns(at) >= times.feed_forward_ns;
    });
    const auto early = static_cast<std::size_t>(cut - run.begin());
    assign_beside_attention(draft, Run(run).first(early), times);
    if (cut != run.end()) feed_forward.emplace_back(cut, run.end());
  }
  if (layers.kinds[layers.kind_of[layer]].moe) {
    assign_moe_feed_forward(draft, feed_forward);
  } else {
    assign_dense_feed_forward(draft, feed_forward);
  }
}

// The longest GEMM after the last layer projects onto the vocabulary; of equals the first.
std::optional<std::uint32_t> find_lm_head(const RoleDraft& draft, Run tail) {
  std::optional<std::uint32_t> best;
  for (const std::uint32_t at : tail) {
    if (draft.kind(at) != KernelKind::gemm) continue;
    if (!best || draft.dur_ns(at) > draft.dur_ns(*best)) best = at;
  }
  return best;
}

void assign_tail(RoleDraft& draft, Run tail) {
  const std::optional<std::uint32_t> lm_head = find_lm_head(draft, tail);
  const bool experts = has_experts(draft, tail);
  const auto gemms = static_cast<std::size_t>(
      std::ranges::count(tail, KernelKind::gemm, [&](std::uint32_t at) { return draft.kind(at); }));
  for (const std::uint32_t at : tail) {
    const KernelKind kind = draft.kind(at);
    if (at == lm_head) {
      draft.give(at, Role::lm_head,
                 gemms == 1
                     ? std::string("the GEMM after the last layer")
                     : fmt::format("the longest of {} after the last layer", gemms_text(gemms)));
    } else if (kind == KernelKind::gemm) {
      draft.leave(at, fmt::format("{} after the last layer", gemms_text(gemms)));
    } else if (kind == KernelKind::norm) {
      draft.give(at, Role::final_norm, "after the last layer");
    } else if (kind == KernelKind::routing && lm_head && at > *lm_head) {
      draft.give(at, Role::sampling, "top-k behind lm_head");  // torch.topk serves both
    } else {
      assign_by_name(draft, at, experts);
    }
  }
}

void assign_outside(RoleDraft& draft, const LayerMap& layers) {
  Positions head;
  Positions tail;
  for (std::uint32_t at = 0; at < draft.size(); ++at) {
    if (layers.layer_of[at] == LayerMap::kBefore) head.push_back(at);
    if (layers.layer_of[at] == LayerMap::kAfter) tail.push_back(at);
  }
  const bool experts = has_experts(draft, head);
  for (const std::uint32_t at : head) {
    assign_by_name(draft, at, experts);
    if (draft.kind(at) == KernelKind::gemm && draft.role(at) == Role::none) {
      draft.leave(at, "a GEMM before the first layer");
    }
  }
  assign_tail(draft, tail);
}

// The reduction of a split-K GEMM has the role of the GEMM before it on its stream.
void assign_gemm_tails(RoleDraft& draft) {
  std::map<StreamIndex, std::uint32_t> last;
  for (std::uint32_t at = 0; at < draft.size(); ++at) {
    if (draft.kind(at) == KernelKind::gemm) {
      last[draft.stream(at)] = at;
    } else if (draft.kind(at) == KernelKind::gemm_tail) {
      const auto found = last.find(draft.stream(at));
      if (found == last.end()) continue;
      draft.give(at, draft.role(found->second), draft.map.place_of[found->second]);
    }
  }
}

// For each role the place that most of its calls have, with their count.
void collect_evidence(const LayerMap* layers, RoleMap& map) {
  struct Tally {
    std::map<std::uint32_t, std::int64_t> places;
    std::int64_t calls = 0;
    std::size_t layers_with = 0;
    int last_layer = -1;
  };
  std::map<Role, Tally> tallies;
  for (std::size_t at = 0; at < map.role_of.size(); ++at) {
    if (map.place_of[at] == 0) continue;
    Tally& tally = tallies[map.role_of[at]];
    ++tally.places[map.place_of[at]];
    ++tally.calls;
    const int layer = layers == nullptr ? -1 : layers->layer_of[at];
    if (layer > tally.last_layer) {  // events come in the order of their layers
      ++tally.layers_with;
      tally.last_layer = layer;
    }
  }
  for (const auto& [role, tally] : tallies) {
    const auto most =
        std::ranges::max_element(tally.places, {}, [](const auto& place) { return place.second; });
    map.evidence[role] = evidence_text(map.places[most->first], tally.calls, tally.layers_with,
                                       layers == nullptr ? 0 : layers->count());
  }
}

}  // namespace

std::string evidence_text(std::string_view place, std::int64_t calls, std::size_t layers_with,
                          std::size_t layers) {
  const std::string counted = fmt::format("{} {}", calls, calls == 1 ? "call" : "calls");
  std::string start = place.empty() ? counted : fmt::format("{}, {}", place, counted);
  if (layers_with == 0) return start;
  const auto with = static_cast<std::int64_t>(layers_with);
  const std::string where = layers_with == layers
                                ? fmt::format("{} layers", layers)
                                : fmt::format("{} of {} layers", layers_with, layers);
  if (calls % with != 0) return fmt::format("{} in {}", start, where);
  if (calls != with) return fmt::format("{} = {} x {}", start, calls / with, where);
  return layers_with == layers ? fmt::format("{} = {}", start, where)
                               : fmt::format("{} in {}", start, where);
}

RoleMap assign_roles(const TraceView& view, std::span<const EventIndex> events,
                     const LayerMap* layers) {
  RoleDraft draft(view, events);
  if (layers == nullptr) {
    assign_without_layers(draft);
  } else {
    for (std::size_t layer = 0; layer < layers->count(); ++layer) {
      assign_layer(draft, *layers, layer);
    }
    assign_like_siblings(draft, *layers);
    assign_outside(draft, *layers);
  }
  assign_gemm_tails(draft);
  collect_evidence(layers, draft.map);
  return std::move(draft.map);
}

}  // namespace stepscope::analysis
