#include "analysis/passes/roles/moe_roles.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <optional>

#include "analysis/passes/roles/expert_roles.h"

namespace stepscope::analysis {
namespace {

using Runs = std::span<const std::vector<std::uint32_t>>;

constexpr Ns kNever = std::numeric_limits<Ns>::max();

// Starts of the landmarks of the layer, on any stream.
struct MoeTimes {
  Ns first_routing_ns = kNever;
  Ns first_expert_ns = kNever;
  Ns last_expert_ns = kNever;
  bool has_experts() const { return first_expert_ns != kNever; }
  Ns first_ns() const { return std::min(first_routing_ns, first_expert_ns); }
};

MoeTimes times_of(const RoleDraft& draft, Runs runs) {
  MoeTimes times;
  for (const std::vector<std::uint32_t>& run : runs) {
    for (const std::uint32_t at : run) {
      const Ns start_ns = draft.start_ns(at);
      if (draft.kind(at) == KernelKind::routing) {
        times.first_routing_ns = std::min(times.first_routing_ns, start_ns);
      } else if (draft.kind(at) == KernelKind::expert_gemm) {
        times.last_expert_ns =
            times.has_experts() ? std::max(times.last_expert_ns, start_ns) : start_ns;
        times.first_expert_ns = std::min(times.first_expert_ns, start_ns);
      }
    }
  }
  return times;
}

// GEMM, activation, GEMM with nothing heavy in between; positions of events.
struct Pair {
  std::uint32_t gate_up = 0;
  std::uint32_t activation = 0;
  std::uint32_t down = 0;
};

// A dense GEMM of the feed-forward part.
struct Loose {
  std::uint32_t at = 0;
  std::size_t run = 0;
  std::size_t index = 0;  // in the run
};

class DenseOfMoe {
 public:
  DenseOfMoe(RoleDraft& draft, Runs runs, const MoeTimes& times)
      : draft_(draft), runs_(runs), times_(times) {}

  void assign() {
    for (std::size_t run = 0; run < runs_.size(); ++run) collect(run);
    // Without expert kernels the experts themselves may be dense GEMMs.
    const bool told = times_.has_experts() && pairs_.size() == 1;
    if (told) give_pair(pairs_.front());
    if (times_.has_experts() || pairs_.empty()) find_router();
    if (times_.has_experts() && router_found_ && pairs_.empty()) find_fused_shared();
    const auto has_role = [&](const Loose& gemm) { return draft_.role(gemm.at) != Role::none; };
    std::erase_if(loose_, has_role);
    const std::string why =
        fmt::format("{} in the feed-forward part of a MoE layer", gemms_text(loose_.size()));
    for (const Loose& gemm : loose_) draft_.leave(gemm.at, why);
  }

 private:
  KernelKind kind(std::size_t run, std::size_t i) const { return draft_.kind(runs_[run][i]); }

  void collect(std::size_t run) {
    std::optional<std::uint32_t> gemm;  // the last one, nothing heavy behind it
    std::optional<std::uint32_t> gate;  // an activation behind it
    for (std::size_t i = 0; i < runs_[run].size(); ++i) {
      const std::uint32_t at = runs_[run][i];
      const bool named_router = kind(run, i) == KernelKind::gemm && draft_.traits(at).moe_by_name;
      if (named_router) {
        draft_.give(at, Role::router, "by name");
        router_found_ = true;
      } else if (kind(run, i) == KernelKind::gemm) {
        if (gemm && gate) pairs_.push_back({*gemm, *gate, at});
        gate.reset();
        gemm = at;
        loose_.push_back({at, run, i});
      } else if (draft_.traits(at).gates && draft_.role(at) == Role::none) {
        if (gemm && !gate) gate = at;
      }
      if (named_router || is_moe_kind(kind(run, i))) {
        gemm.reset();
        gate.reset();
      }
    }
  }

  void give_pair(const Pair& pair) {
    const std::uint32_t place = draft_.place("around an activation beside the routed experts");
    draft_.give(pair.gate_up, Role::shared_gate_up, place);
    draft_.give(pair.activation, Role::shared_activation, place);
    draft_.give(pair.down, Role::shared_down, place);
  }

  bool in_pair(std::uint32_t at) const {
    return std::ranges::any_of(
        pairs_, [&](const Pair& pair) { return pair.gate_up == at || pair.down == at; });
  }

  // Where the routing of a run begins; its experts when it has no routing.
  std::size_t first_moe(std::size_t run) const {
    std::size_t experts = runs_[run].size();
    for (std::size_t i = 0; i < runs_[run].size(); ++i) {
      if (kind(run, i) == KernelKind::routing) return i;
      if (kind(run, i) == KernelKind::expert_gemm) experts = std::min(experts, i);
    }
    return experts;
  }

  void find_router() {
    if (router_found_) return;
    std::vector<std::size_t> first(runs_.size());
    for (std::size_t run = 0; run < runs_.size(); ++run) first[run] = first_moe(run);
    std::vector<const Loose*> beside;
    std::vector<const Loose*> before;
    for (const Loose& gemm : loose_) {
      if (in_pair(gemm.at)) continue;
      if (first[gemm.run] == runs_[gemm.run].size()) {
        if (draft_.start_ns(gemm.at) < times_.first_ns()) beside.push_back(&gemm);
      } else if (gemm.index < first[gemm.run]) {
        before.push_back(&gemm);
      }
    }
    if (before.size() == 1) {
      draft_.give(before[0]->at, Role::router, "right before the routing");
    } else if (before.empty() && beside.size() == 1) {
      draft_.give(beside[0]->at, Role::router, "the only other GEMM before the routing");
    } else {
      return;
    }
    router_found_ = true;
  }

  // A shared expert whose activation is fused into a GEMM.
  void find_fused_shared() {
    std::vector<const Loose*> rest;
    for (const Loose& gemm : loose_) {
      if (draft_.role(gemm.at) == Role::none) rest.push_back(&gemm);
    }
    if (rest.size() != 2 || rest[0]->run != rest[1]->run) return;
    for (std::size_t i = rest[0]->index; i < rest[1]->index; ++i) {
      if (is_moe_kind(kind(rest[0]->run, i))) return;
    }
    const std::uint32_t place = draft_.place("two GEMMs beside the router and the routed experts");
    draft_.give(rest[0]->at, Role::shared_gate_up, place);
    draft_.give(rest[1]->at, Role::shared_down, place);
  }

  RoleDraft& draft_;
  Runs runs_;
  const MoeTimes& times_;
  std::vector<Pair> pairs_;
  std::vector<Loose> loose_;  // dense GEMMs that are no router by name
  bool router_found_ = false;
};

void assign_collective(RoleDraft& draft, std::uint32_t at, const MoeTimes& times) {
  const KernelTraits& traits = draft.traits(at);
  if (const auto named = exchange_by_name(traits)) {
    draft.give(at, *named, "by name");
    return;
  }
  const Ns start_ns = draft.start_ns(at);
  const bool before = times.has_experts() && start_ns < times.first_expert_ns;
  const bool behind = times.has_experts() && start_ns > times.last_expert_ns;
  const bool gathers = traits.exchange == Exchange::all_to_all ||
                       traits.exchange == Exchange::all_gather ||
                       traits.exchange == Exchange::send_receive;
  if (before && gathers) {
    draft.give(at, Role::dispatch, "before the experts");
  } else if (before) {
    draft.give(at, Role::attention_collective, "between attention and the feed-forward part");
  } else if (behind && (gathers || traits.exchange == Exchange::reduce_scatter)) {
    draft.give(at, Role::combine, "behind the experts");
  } else {
    draft.give(at, Role::moe_collective, "in the feed-forward part of a MoE layer");
  }
}

void assign_routing(RoleDraft& draft, std::uint32_t at, const MoeTimes& times) {
  const Ns start_ns = draft.start_ns(at);
  const bool begun = times.has_experts() && start_ns > times.first_expert_ns;
  if (begun && (start_ns > times.last_expert_ns || draft.traits(at).says_combine)) {
    draft.give(at, Role::combine, "behind the experts");
  } else {
    draft.give(at, Role::routing, begun ? "between expert GEMMs" : "before the experts");
  }
}

// A quantization serves the next GEMM of its stream that is not the router. Of two by the same name
// before a GEMM the earlier one serves something else, such as a dispatch on another stream.
void assign_quantize(RoleDraft& draft, Run run, const MoeTimes& times) {
  std::optional<Role> next;
  std::optional<NameId> serving;  // the quantization of `next`
  for (std::size_t i = run.size(); i-- > 0;) {
    const std::uint32_t at = run[i];
    if (draft.kind(at) == KernelKind::gemm || draft.kind(at) == KernelKind::expert_gemm) {
      if (draft.role(at) == Role::router) continue;
      next = draft.role(at);
      serving.reset();
      continue;
    }
    if (draft.kind(at) != KernelKind::quantize) continue;
    if (serving == draft.name(at)) next.reset();
    serving = draft.name(at);
    const std::optional<MoePartKind> part = next ? moe_part(*next) : std::nullopt;
    if (part == MoePartKind::shared_expert) {
      draft.give(at, Role::shared_quantize, "in front of a GEMM of the shared expert");
    } else if (part == MoePartKind::routed_experts) {
      draft.give(at, Role::expert_quantize, "in front of an expert GEMM");
    } else if (!next && times.has_experts() && draft.start_ns(at) > times.first_routing_ns &&
               draft.start_ns(at) < times.first_expert_ns) {
      draft.give(at, Role::expert_quantize, "between router and experts");
    }
  }
}

}  // namespace

void assign_moe_feed_forward(RoleDraft& draft, Runs runs) {
  const MoeTimes times = times_of(draft, runs);
  for (const std::vector<std::uint32_t>& run : runs) assign_experts(draft, run);
  DenseOfMoe(draft, runs, times).assign();
  for (const std::vector<std::uint32_t>& run : runs) {
    assign_quantize(draft, run, times);
    for (const std::uint32_t at : run) {
      if (draft.kind(at) == KernelKind::collective) {
        assign_collective(draft, at, times);
      } else if (draft.kind(at) == KernelKind::routing) {
        assign_routing(draft, at, times);
      } else if (draft.kind(at) == KernelKind::norm) {
        draft.give(at, Role::layer_norm, "in front of or in the feed-forward part");
      }
    }
  }
}

}  // namespace stepscope::analysis
