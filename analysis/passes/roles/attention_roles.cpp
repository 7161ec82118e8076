#include "analysis/passes/roles/attention_roles.h"

#include <fmt/format.h>

#include <algorithm>

namespace stepscope::analysis {
namespace {

bool ends_block(KernelKind kind) {
  return kind == KernelKind::norm || kind == KernelKind::collective || is_moe_kind(kind);
}

bool is_gate(const RoleDraft& draft, std::uint32_t at) { return draft.traits(at).gates; }

std::size_t find_kind(const RoleDraft& draft, Run run, std::size_t from, std::size_t to,
                      KernelKind kind) {
  while (from < to && draft.kind(run[from]) != kind) ++from;
  return from;
}

// "RMSNorm", "all-reduce", ...: the word for a kernel that bounds a stretch.
std::string landmark(const RoleDraft& draft, std::uint32_t at) {
  switch (draft.kind(at)) {
    case KernelKind::norm:
      return std::string(draft.norm_word(at));
    case KernelKind::collective:
      return std::string(exchange_word(draft.traits(at).exchange));
    default:
      return is_moe_kind(draft.kind(at)) ? "the MoE kernels" : "the activation";
  }
}

// MoE kernels that stand where no feed-forward part can be told by place.
Role moe_by_name(const RoleDraft& draft, std::uint32_t at) {
  if (draft.kind(at) == KernelKind::expert_gemm) return Role::expert_gemm;
  return draft.traits(at).says_combine ? Role::combine : Role::routing;
}

class AttentionBlock {
 public:
  AttentionBlock(RoleDraft& draft, Run run, std::size_t attention)
      : draft_(draft), run_(run), attention_(attention), core_end_(attention + 1) {
    for (std::size_t i = attention; i < run.size(); ++i) {
      if (kind(i) == KernelKind::attention) core_end_ = i + 1;
    }
  }

  std::size_t assign() {
    before();
    core();
    return after();
  }

 private:
  KernelKind kind(std::size_t i) const { return draft_.kind(run_[i]); }

  void give(std::size_t i, Role role, std::uint32_t place) { draft_.give(run_[i], role, place); }

  // A collective or a MoE kernel among the kernels of attention; false when it is neither.
  bool give_foreign(std::size_t i, bool attention_scores) {
    const std::uint32_t at = run_[i];
    if (const auto exchange = exchange_by_name(draft_.traits(at))) {
      draft_.give(at, *exchange, "by name");
    } else if (kind(i) == KernelKind::collective) {
      draft_.give(at, Role::attention_collective, "in the attention block");
    } else if (kind(i) == KernelKind::expert_gemm ||
               (kind(i) == KernelKind::routing && !attention_scores)) {
      draft_.give(at, moe_by_name(draft_, at), "by name");
    } else {
      return false;
    }
    return true;
  }

  // The next kernel that is a GEMM, attention or an activation is an activation.
  bool gate_follows(std::size_t i) const {
    for (++i; i < attention_; ++i) {
      if (kind(i) == KernelKind::gemm || kind(i) == KernelKind::attention) return false;
      if (is_gate(draft_, run_[i])) return true;
    }
    return false;
  }

  void before() {
    const std::size_t first = find_kind(draft_, run_, 0, attention_, KernelKind::gemm);
    const std::size_t norm = find_kind(draft_, run_, 0, first, KernelKind::norm);
    const std::string from = norm < first ? landmark(draft_, run_[norm]) : "the layer's start";
    const std::uint32_t projection = draft_.place(fmt::format("between {} and attention", from));
    const std::uint32_t prepare = draft_.place("between the q/kv projection and attention");
    const std::uint32_t quantize = draft_.place("in front of the projection or of attention");
    const std::uint32_t start = draft_.place("at the start of the layer");
    const bool experts =
        find_kind(draft_, run_, 0, attention_, KernelKind::expert_gemm) < attention_;
    for (std::size_t i = 0; i < attention_; ++i) {
      if (give_foreign(i, !experts && i > first)) continue;
      if (kind(i) == KernelKind::gemm) {
        if (gate_follows(i)) {
          draft_.leave(run_[i], "a GEMM with an activation behind it, before attention");
        } else {
          give(i, Role::qkv_proj, projection);
        }
      } else if (kind(i) == KernelKind::indexer) {
        give(i, Role::attention_core, draft_.place("by name"));
      } else if (kind(i) == KernelKind::quantize) {
        give(i, Role::attention_quantize, quantize);
      } else if (kind(i) == KernelKind::norm && i < first) {
        give(i, Role::layer_norm, start);
      } else if (kind(i) == KernelKind::rope || (i > first && kind(i) != KernelKind::gemm_tail)) {
        give(i, Role::attention_prepare, prepare);
      }
    }
  }

  void core() {
    const std::uint32_t by_name = draft_.place("by name");
    const std::uint32_t between = draft_.place("between attention kernels");
    for (std::size_t i = attention_; i < core_end_; ++i) {
      if (kind(i) == KernelKind::attention || kind(i) == KernelKind::indexer) {
        give(i, Role::attention_core, by_name);
      } else if (kind(i) == KernelKind::gemm) {
        give(i, Role::qkv_proj, between);
      } else if (kind(i) == KernelKind::quantize) {
        give(i, Role::attention_quantize, between);
      } else if (kind(i) != KernelKind::gemm_tail && !give_foreign(i, true)) {
        give(i, Role::attention_prepare, between);
      }
    }
  }

  // GEMMs from attention up to the norm, collective, MoE kernel or activation that stops them.
  struct Stretch {
    std::vector<std::size_t> gemms;
    std::size_t stop = 0;
  };
  Stretch stretch() const {
    Stretch out;
    out.stop = core_end_;
    for (; out.stop < run_.size(); ++out.stop) {
      const std::size_t i = out.stop;
      if (kind(i) == KernelKind::gemm) out.gemms.push_back(i);
      if (is_moe_kind(kind(i))) break;
      if (!out.gemms.empty() && (ends_block(kind(i)) || is_gate(draft_, run_[i]))) break;
    }
    // Nothing after attention on this stream projects: what follows is the feed-forward part.
    if (out.gemms.empty()) out.stop = core_end_;
    return out;
  }

  std::size_t after() {
    const auto [gemms, stop] = stretch();
    const std::size_t end = run_.size();
    if (gemms.empty()) return feed_forward_after(core_end_);
    const bool at_end = stop == end;
    const bool clear = at_end
                           ? gemms.size() == 1
                           : kind(stop) == KernelKind::norm || kind(stop) == KernelKind::collective;
    const std::string to = at_end ? "the layer's end" : landmark(draft_, run_[stop]);
    const std::string between = fmt::format("between attention and {}", to);
    if (clear) {
      for (const std::size_t i : gemms) give(i, Role::o_proj, draft_.place(between));
      finish(gemms);
      return at_end ? end : feed_forward_after(stop);
    }
    const std::string why = fmt::format("{} {}", gemms_text(gemms.size()), between);
    if (at_end || gemms.size() == 1) {
      for (const std::size_t i : gemms) draft_.leave(run_[i], why);
      return gemms.back() + 1;
    }
    // No norm in between: the first projects, the last belongs to what follows.
    give(gemms.front(), Role::o_proj, draft_.place("the first GEMM after attention"));
    finish(std::span(gemms).first(1));
    for (std::size_t i = 1; i + 1 < gemms.size(); ++i) draft_.leave(run_[gemms[i]], why);
    return gemms[gemms.size() - 2] + 1;
  }

  // What stands between attention and the last of the `gemms`.
  void finish(std::span<const std::size_t> gemms) {
    const std::uint32_t place = draft_.place("between attention and o_proj");
    for (std::size_t i = core_end_; i < gemms.back(); ++i) {
      if (kind(i) == KernelKind::gemm || kind(i) == KernelKind::gemm_tail) continue;
      if (give_foreign(i, true)) continue;
      const bool quantize = kind(i) == KernelKind::quantize;
      give(i, quantize ? Role::attention_quantize : Role::attention_finish, place);
    }
  }

  bool works(std::size_t i) const {
    return kind(i) == KernelKind::gemm || kind(i) == KernelKind::expert_gemm;
  }

  // `stop` ends the attention block. The feed-forward part begins behind the last norm before its
  // first activation or MoE kernel, else at the stop.
  std::size_t feed_forward_after(std::size_t stop) {
    const std::size_t end = run_.size();
    std::size_t trigger = stop;
    while (trigger < end && !is_gate(draft_, run_[trigger]) && !is_moe_kind(kind(trigger))) {
      ++trigger;
    }
    std::size_t start =
        stop < end && ends_block(kind(stop)) && !is_moe_kind(kind(stop)) ? stop + 1 : stop;
    bool work_follows = trigger < end;
    for (std::size_t i = std::min(trigger, end); i-- > stop;) {
      if (kind(i) == KernelKind::norm && work_follows) {
        start = i + 1;
        break;
      }
      work_follows = work_follows || works(i);
    }
    bridge(stop, start);
    return start;
  }

  // Norms and collectives between the attention block and the feed-forward part.
  void bridge(std::size_t stop, std::size_t start) {
    const std::string first =
        stop < start && ends_block(kind(stop)) ? landmark(draft_, run_[stop]) : "attention";
    const auto gemms = static_cast<std::size_t>(
        std::count_if(run_.begin() + static_cast<std::ptrdiff_t>(stop),
                      run_.begin() + static_cast<std::ptrdiff_t>(start),
                      [&](std::uint32_t at) { return draft_.kind(at) == KernelKind::gemm; }));
    for (std::size_t i = stop; i < start; ++i) {
      if (const auto exchange = exchange_by_name(draft_.traits(run_[i]))) {
        draft_.give(run_[i], *exchange, "by name");
      } else if (kind(i) == KernelKind::collective) {
        draft_.give(run_[i], Role::attention_collective,
                    "between attention and the feed-forward part");
      } else if (kind(i) == KernelKind::norm) {
        draft_.give(run_[i], Role::layer_norm, "in front of the feed-forward part");
      } else if (kind(i) == KernelKind::gemm) {
        draft_.leave(run_[i],
                     fmt::format("{} between {} and the next norm", gemms_text(gemms), first));
      }
    }
  }

  RoleDraft& draft_;
  Run run_;
  std::size_t attention_;
  std::size_t core_end_;  // behind the last attention kernel
};

}  // namespace

std::size_t assign_attention(RoleDraft& draft, Run run, std::size_t attention) {
  return AttentionBlock(draft, run, attention).assign();
}

void assign_beside_attention(RoleDraft& draft, Run run, const LayerTimes& times) {
  const std::uint32_t beside = draft.place("on another stream, before attention");
  for (const std::uint32_t at : run) {
    const Ns start_ns = draft.start_ns(at);
    const bool early = start_ns < times.attention_ns;
    const bool prepares = early && start_ns >= times.first_gemm_ns;
    const KernelKind kind = draft.kind(at);
    if (const auto exchange = exchange_by_name(draft.traits(at))) {
      draft.give(at, *exchange, "by name");
    } else if (kind == KernelKind::collective) {
      draft.give(at, Role::attention_collective, "on another stream, beside the attention block");
    } else if (is_moe_kind(kind)) {
      draft.give(at, moe_by_name(draft, at), "by name");
    } else if (kind == KernelKind::gemm && early) {
      draft.give(at, Role::qkv_proj, beside);
    } else if (kind == KernelKind::gemm) {
      draft.leave(at, "a GEMM on another stream, beside attention and o_proj");
    } else if (kind == KernelKind::attention || kind == KernelKind::indexer) {
      draft.give(at, Role::attention_core, "by name");
    } else if (kind == KernelKind::quantize && early) {
      draft.give(at, Role::attention_quantize, beside);
    } else if (kind == KernelKind::norm && !prepares) {
      draft.give(at, Role::layer_norm, "on another stream of the layer");
    } else if (kind == KernelKind::rope || (prepares && kind != KernelKind::gemm_tail)) {
      draft.give(at, Role::attention_prepare, beside);
    }
  }
}

}  // namespace stepscope::analysis
