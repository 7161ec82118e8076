#include <array>

#include "analysis/passes/roles/roles.h"

namespace stepscope::analysis {
namespace {

struct RoleWords {
  std::string_view name;
  std::string_view component;
};

// In the order of the enumeration.
constexpr auto kWords = std::to_array<RoleWords>({
    {"", ""},
    {"q/kv projection", "attention"},
    {"attention preparation", "attention"},
    {"attention", "attention"},
    {"attention output", "attention"},
    {"o_proj", "attention"},
    {"attention quantize", "attention"},
    {"gate_up", "mlp"},
    {"activation", "mlp"},
    {"down", "mlp"},
    {"MLP quantize", "mlp"},
    {"router", "moe"},
    {"routing", "moe"},
    {"dispatch", ""},
    {"expert gate_up", "moe"},
    {"expert down", "moe"},
    {"expert GEMM", "moe"},
    {"expert activation", "moe"},
    {"expert quantize", "moe"},
    {"combine", ""},
    {"shared expert gate_up", "moe"},
    {"shared expert activation", "moe"},
    {"shared expert down", "moe"},
    {"shared expert quantize", "moe"},
    {"attention collective", "communication"},
    {"MLP collective", "communication"},
    {"MoE collective", "communication"},
    {"layer norm", "norm"},
    {"final norm", "norm"},
    {"embedding", "embedding"},
    {"lm_head", "other"},
    {"sampling", "sampling"},
});
static_assert(kWords.size() == static_cast<std::size_t>(Role::sampling) + 1);

const RoleWords& words_of(Role role) { return kWords.at(static_cast<std::size_t>(role)); }

}  // namespace

std::string_view role_name(Role role) { return words_of(role).name; }

std::string_view role_component(Role role) { return words_of(role).component; }

std::optional<MoePartKind> moe_part(Role role) {
  switch (role) {
    case Role::router:
    case Role::routing:
      return MoePartKind::router;
    case Role::dispatch:
      return MoePartKind::dispatch;
    case Role::expert_gate_up:
    case Role::expert_down:
    case Role::expert_gemm:
    case Role::expert_activation:
    case Role::expert_quantize:
      return MoePartKind::routed_experts;
    case Role::combine:
      return MoePartKind::combine;
    case Role::shared_gate_up:
    case Role::shared_activation:
    case Role::shared_down:
    case Role::shared_quantize:
      return MoePartKind::shared_expert;
    case Role::moe_collective:
      return MoePartKind::collectives;
    default:
      return {};
  }
}

}  // namespace stepscope::analysis
