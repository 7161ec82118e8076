#include "analysis/passes/roles/expert_roles.h"

#include <doctest/doctest.h>

#include "tests/analysis/passes/role_run.h"

using namespace stepscope::analysis;
using namespace stepscope::tests;
using namespace stepscope::tests::kernel;

namespace {

std::string experts(RoleRun& made) {
  assign_experts(made.draft, made.run);
  return made.roles();
}

}  // namespace

TEST_CASE("expert GEMMs around their activation") {
  RoleRun once({kFusedMoe, kFusedMoe, kSilu, kFusedMoe});
  CHECK(experts(once) == "expert gate_up | expert gate_up | expert activation | expert down");
  RoleRun chunks({kFusedMoe, kSilu, kFusedMoe, kFusedMoe, kSilu, kFusedMoe});
  CHECK(experts(chunks) ==
        "expert gate_up | expert activation | expert down | expert gate_up | expert activation | "
        "expert down");
  RoleRun odd({kFusedMoe, kSilu, kFusedMoe, kSilu, kFusedMoe});
  CHECK(experts(odd) ==
        "expert gate_up | expert activation | expert GEMM | expert activation | expert down");
}

TEST_CASE("expert GEMMs without an activation: halves, or two names in turn") {
  RoleRun two({kBmmUp, kBmmDown});
  CHECK(experts(two) == "expert gate_up | expert down");
  RoleRun halves({kBmmUp, kBmmUp, kBmmDown, kBmmDown});
  CHECK(experts(halves) == "expert gate_up | expert gate_up | expert down | expert down");
  RoleRun turns({kBmmUp, kBmmDown, kBmmUp, kBmmDown});
  CHECK(experts(turns) == "expert gate_up | expert down | expert gate_up | expert down");
  RoleRun one({"fmoe_bf16_blockscaleFp8_g1u1_vs_silu_1tg_ps_32x256"});
  CHECK(experts(one) == "expert GEMM");
  RoleRun same({kFusedMoe, kFusedMoe, kFusedMoe, kFusedMoe});
  CHECK(experts(same) == "expert GEMM | expert GEMM | expert GEMM | expert GEMM");
}

TEST_CASE("an activation beside the experts is not theirs") {
  RoleRun made({kNvjet, kSilu, kNvjet, kFusedMoe, kSilu, kNvjet});
  CHECK(experts(made) == "- | - | - | expert GEMM | - | -");
}
