#include "analysis/passes/roles/feed_forward_roles.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

namespace stepscope::analysis {
namespace {

constexpr std::size_t kNowhere = std::numeric_limits<std::size_t>::max();

struct Shape {
  std::vector<std::size_t> gemms;
  std::vector<std::size_t> behind;  // GEMMs that a norm or collective cuts off from the others
  std::size_t gate = kNowhere;      // the last gated activation
  std::size_t before = 0;           // GEMMs before it
};

Shape shape_of(const RoleDraft& draft, Run run) {
  Shape shape;
  bool ended = false;  // a norm or collective has followed a GEMM behind the activation
  for (std::size_t i = 0; i < run.size(); ++i) {
    const KernelKind kind = draft.kind(run[i]);
    if (kind == KernelKind::gemm) {
      (ended ? shape.behind : shape.gemms).push_back(i);
    } else if (kind == KernelKind::norm || kind == KernelKind::collective) {
      ended = ended || (shape.gate != kNowhere && shape.gemms.size() > shape.before);
    }
    if (!draft.traits(run[i]).gates) continue;
    shape.gemms.insert(shape.gemms.end(), shape.behind.begin(), shape.behind.end());
    shape.behind.clear();
    ended = false;
    shape.gate = i;
    shape.before = shape.gemms.size();
  }
  return shape;
}

// gate_up, activation, down; also with gate and up as two GEMMs, the activation behind either.
bool is_mlp(const Shape& shape) {
  const std::size_t after = shape.gemms.size() - shape.before;
  return shape.gate != kNowhere &&
         ((shape.before == 1 && (after == 1 || after == 2)) || (shape.before == 2 && after == 1));
}

void assign_gemms(RoleDraft& draft, Run run) {
  const Shape shape = shape_of(draft, run);
  const std::vector<std::size_t>& gemms = shape.gemms;
  if (is_mlp(shape)) {
    const std::uint32_t place = draft.place("around the activation of the feed-forward part");
    for (const std::size_t i : gemms) draft.give(run[i], Role::gate_up, place);
    draft.give(run[gemms.back()], Role::down, place);
    draft.give(run[shape.gate], Role::mlp_activation, "between gate_up and down");
  } else if (shape.gate == kNowhere && gemms.size() == 2) {
    draft.give(run[gemms[0]], Role::gate_up, "the first of two GEMMs of the feed-forward part");
    draft.give(run[gemms[1]], Role::down, "the second of two GEMMs of the feed-forward part");
  } else {
    const std::string why =
        shape.gate == kNowhere
            ? fmt::format("{} in the feed-forward part", gemms_text(gemms.size()))
            : fmt::format("{} around the activation of the feed-forward part",
                          gemms_text(gemms.size()));
    for (const std::size_t i : gemms) draft.leave(run[i], why);
  }
  for (const std::size_t i : shape.behind) {
    draft.leave(run[i],
                fmt::format("{} behind the feed-forward part", gemms_text(shape.behind.size())));
  }
}

void assign_rest(RoleDraft& draft, Run run) {
  bool mlp_follows = false;
  for (std::size_t i = run.size(); i-- > 0;) {
    const KernelKind kind = draft.kind(run[i]);
    if (kind == KernelKind::gemm) {
      const Role role = draft.role(run[i]);
      mlp_follows = role == Role::gate_up || role == Role::down;
    } else if (kind == KernelKind::quantize && mlp_follows) {
      draft.give(run[i], Role::mlp_quantize, "in front of gate_up or down");
    }
  }
  bool begun = false;
  for (const std::uint32_t at : run) {
    begun = begun || draft.kind(at) == KernelKind::gemm;
    if (const auto exchange = exchange_by_name(draft.traits(at))) {
      draft.give(at, *exchange, "by name");
    } else if (draft.kind(at) == KernelKind::collective && begun) {
      draft.give(at, Role::mlp_collective, "behind the feed-forward part");
    } else if (draft.kind(at) == KernelKind::collective) {
      draft.give(at, Role::attention_collective, "between attention and the feed-forward part");
    } else if (draft.kind(at) == KernelKind::norm) {
      draft.give(at, Role::layer_norm, "in the feed-forward part");
    }
  }
}

// Collectives on a stream of their own: before or behind the GEMMs of the feed-forward part.
void assign_side(RoleDraft& draft, Run run, Ns first_gemm_ns) {
  for (const std::uint32_t at : run) {
    if (const auto exchange = exchange_by_name(draft.traits(at))) {
      draft.give(at, *exchange, "by name");
    } else if (draft.kind(at) == KernelKind::collective) {
      if (draft.start_ns(at) < first_gemm_ns) {
        draft.give(at, Role::attention_collective, "between attention and the feed-forward part");
      } else {
        draft.give(at, Role::mlp_collective, "behind the feed-forward part");
      }
    } else if (draft.kind(at) == KernelKind::norm) {
      draft.give(at, Role::layer_norm, "on another stream of the layer");
    } else if (draft.kind(at) == KernelKind::gemm) {
      draft.leave(at, "a GEMM on another stream, beside the feed-forward part");
    }
  }
}

}  // namespace

void assign_dense_feed_forward(RoleDraft& draft, std::span<const std::vector<std::uint32_t>> runs) {
  const auto first_gemm = [&](Run run) {
    return std::ranges::find(run, KernelKind::gemm, [&](auto at) { return draft.kind(at); });
  };
  // The first stream that has GEMMs holds the feed-forward part.
  std::size_t main = 0;
  while (main < runs.size() && first_gemm(runs[main]) == Run(runs[main]).end()) ++main;
  const Ns first_gemm_ns =
      main < runs.size() ? draft.start_ns(*first_gemm(runs[main])) : std::numeric_limits<Ns>::min();
  for (std::size_t i = 0; i < runs.size(); ++i) {
    if (i == main) {
      assign_gemms(draft, runs[i]);
      assign_rest(draft, runs[i]);
    } else {
      assign_side(draft, runs[i], first_gemm_ns);
    }
  }
}

}  // namespace stepscope::analysis
