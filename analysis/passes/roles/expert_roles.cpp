#include "analysis/passes/roles/expert_roles.h"

#include <algorithm>

namespace stepscope::analysis {
namespace {

// Expert GEMMs without an expert activation in between.
using Stretch = std::vector<std::uint32_t>;

// Between expert GEMMs, or an expert's by its name.
bool is_expert_activation(const RoleDraft& draft, Run run, std::size_t i) {
  if (draft.kind(run[i]) != KernelKind::activation) return false;
  if (draft.traits(run[i]).moe_by_name) return true;
  if (!draft.traits(run[i]).gates) return false;
  const auto heavy = [&](std::uint32_t at) {
    return draft.kind(at) == KernelKind::gemm || draft.kind(at) == KernelKind::expert_gemm;
  };
  std::size_t before = i;
  while (before > 0 && !heavy(run[before - 1])) --before;
  std::size_t after = i + 1;
  while (after < run.size() && !heavy(run[after])) ++after;
  return before > 0 && draft.kind(run[before - 1]) == KernelKind::expert_gemm &&
         after < run.size() && draft.kind(run[after]) == KernelKind::expert_gemm;
}

void give_all(RoleDraft& draft, Run run, Role role, std::uint32_t place) {
  for (const std::uint32_t at : run) draft.give(at, role, place);
}

// One activation or more: before the first all is gate_up, behind the last all is down; what stands
// between two of them is the end of one chunk and the start of the next.
void assign_around_activations(RoleDraft& draft, const std::vector<Stretch>& stretches) {
  const std::uint32_t place = draft.place("around the activation of the experts");
  give_all(draft, stretches.front(), Role::expert_gate_up, place);
  give_all(draft, stretches.back(), Role::expert_down, place);
  for (std::size_t i = 1; i + 1 < stretches.size(); ++i) {
    const Run middle = stretches[i];
    if (middle.size() % 2 != 0) {
      give_all(draft, middle, Role::expert_gemm, draft.place("between two activations"));
      continue;
    }
    give_all(draft, middle.first(middle.size() / 2), Role::expert_down, place);
    give_all(draft, middle.last(middle.size() / 2), Role::expert_gate_up, place);
  }
}

void assign_halves(RoleDraft& draft, Run gemms) {
  if (gemms.empty() || gemms.size() % 2 != 0) {
    give_all(draft, gemms, Role::expert_gemm, draft.place("by name"));
    return;
  }
  // Chunk by chunk, or all of the first kind and then all of the second: only pairs and equal names
  // tell which.
  const std::size_t half = gemms.size() / 2;
  bool halves = true;
  bool turns = true;
  for (std::size_t i = 0; i < gemms.size(); ++i) {
    halves = halves && draft.name(gemms[i]) == draft.name(gemms[i < half ? 0 : half]);
    turns = turns && draft.name(gemms[i]) == draft.name(gemms[i % 2]);
  }
  const bool two_names = draft.name(gemms.front()) != draft.name(gemms.back());
  if (gemms.size() > 2 && !(two_names && (halves || turns))) {
    give_all(draft, gemms, Role::expert_gemm, draft.place("by name"));
    return;
  }
  const bool in_turn = gemms.size() > 2 && turns;
  const std::uint32_t first =
      draft.place(in_turn ? "two expert GEMMs in turn" : "the first half of the expert GEMMs");
  const std::uint32_t second =
      draft.place(in_turn ? "two expert GEMMs in turn" : "the second half of the expert GEMMs");
  for (std::size_t i = 0; i < gemms.size(); ++i) {
    const bool gate_up = in_turn ? i % 2 == 0 : i < half;
    draft.give(gemms[i], gate_up ? Role::expert_gate_up : Role::expert_down,
               gate_up ? first : second);
  }
}

}  // namespace

void assign_experts(RoleDraft& draft, Run run) {
  std::vector<Stretch> stretches(1);
  for (std::size_t i = 0; i < run.size(); ++i) {
    if (draft.kind(run[i]) == KernelKind::expert_gemm) {
      stretches.back().push_back(run[i]);
    } else if (is_expert_activation(draft, run, i)) {
      draft.give(run[i], Role::expert_activation, "between the expert GEMMs");
      if (!stretches.back().empty()) stretches.emplace_back();
    }
  }
  if (stretches.back().empty() && stretches.size() > 1) stretches.pop_back();
  if (stretches.size() > 1) {
    assign_around_activations(draft, stretches);
  } else {
    assign_halves(draft, stretches.front());
  }
}

}  // namespace stepscope::analysis
