#include <doctest/doctest.h>

#include <set>

#include "analysis/passes/roles/roles.h"

using namespace stepscope::analysis;

TEST_CASE("every role has its name, component and part of MoE") {
  std::set<std::string_view> names;
  for (int i = 1; i <= static_cast<int>(Role::sampling); ++i) {
    const std::string_view name = role_name(static_cast<Role>(i));
    CHECK_FALSE(name.empty());
    if (name != "activation") CHECK(names.insert(name).second);
  }
  CHECK(role_name(Role::none).empty());
  CHECK(role_name(Role::qkv_proj) == "q/kv projection");
  CHECK(role_name(Role::shared_gate_up) == "shared expert gate_up");
  CHECK(role_component(Role::none).empty());
  CHECK(role_component(Role::attention_quantize) == "attention");
  CHECK(role_component(Role::shared_quantize) == "moe");
  CHECK(role_component(Role::mlp_quantize) == "mlp");
  CHECK(role_component(Role::lm_head) == "other");
  CHECK(role_component(Role::moe_collective) == "communication");
  // Communication by its name, or a kernel that sums the experts' outputs.
  CHECK(role_component(Role::combine).empty());
  CHECK(moe_part(Role::routing) == MoePartKind::router);
  CHECK(moe_part(Role::shared_quantize) == MoePartKind::shared_expert);
  CHECK(moe_part(Role::moe_collective) == MoePartKind::collectives);
  CHECK_FALSE(moe_part(Role::gate_up).has_value());
}
