#include "analysis/passes/roles/moe_roles.h"

#include <doctest/doctest.h>

#include "tests/analysis/passes/role_run.h"

using namespace stepscope::analysis;
using namespace stepscope::tests;
using namespace stepscope::tests::kernel;

namespace {

std::string moe(RoleRun& made) {
  const std::vector<std::vector<std::uint32_t>> runs{made.run};
  assign_moe_feed_forward(made.draft, runs);
  return made.roles();
}

}  // namespace

TEST_CASE("a shared expert before the router, its activation fused or not") {
  RoleRun made({kNvjet, kSilu, kNvjet, kNvjet, kTopk, kBmmUp, kBmmDown});
  CHECK(moe(made) ==
        "shared expert gate_up | shared expert activation | shared expert down | router | routing "
        "| expert gate_up | expert down");
  RoleRun fused({kRouterGemm, kNvjet, kNvjet, kTopk, kBmmUp, kBmmDown});
  CHECK(moe(fused) ==
        "router | shared expert gate_up | shared expert down | routing | expert gate_up | "
        "expert down");
  CHECK(fused.place(1) == "two GEMMs beside the router and the routed experts");
}

TEST_CASE("of two quantizations before one GEMM the earlier serves the experts") {
  // The tokens of a dispatch are quantized on this stream and sent on another one.
  RoleRun made(
      {kRouterGemm, kTopk, kCvtFp4, kCvtFp4, kNvjet, kSilu, kCvtFp4, kNvjet, kBmmUp, kBmmDown});
  CHECK(moe(made) ==
        "router | routing | expert quantize | shared expert quantize | shared expert gate_up | "
        "shared expert activation | shared expert quantize | shared expert down | "
        "expert gate_up | expert down");
}

TEST_CASE("three GEMMs before the routing: which is the router can not be told") {
  RoleRun made({kNvjet, kNvjet, kNvjet, kTopk, kBmmUp, kBmmDown});
  CHECK(moe(made) == "- | - | - | routing | expert gate_up | expert down");
  CHECK(made.place(0) ==
        "the place does not tell: 3 GEMMs in the feed-forward part of a MoE layer");
}

TEST_CASE("dense GEMMs before and behind the experts are no shared expert") {
  // The projections of a latent MoE: beside the router, but not beside each other.
  RoleRun made({kRouterGemm, kTopk, kNvjet, kBmmUp, kBmmDown, kNvjet});
  CHECK(moe(made) == "router | routing | - | expert gate_up | expert down | -");
}

TEST_CASE("experts that are dense GEMMs are not taken for a shared expert") {
  RoleRun made({kNvjet, kTopk, kNvjet, kSilu, kNvjet, kNvjet, kSilu, kNvjet});
  CHECK(moe(made) == "- | routing | - | - | - | - | - | -");
}

TEST_CASE("the router may run on another stream than the routing") {
  RoleRun made({kNvjet, kTopk, kBmmUp, kBmmDown, kFinalize});
  const std::vector<std::vector<std::uint32_t>> runs{{0}, {1, 2, 3, 4}};
  assign_moe_feed_forward(made.draft, runs);
  CHECK(made.roles() == "router | routing | expert gate_up | expert down | combine");
  CHECK(made.place(0) == "the only other GEMM before the routing");
}

TEST_CASE("collectives before, between and behind the experts") {
  RoleRun made({kNcclAllReduce, kNcclAllGather, kBmmUp, kNcclAllReduce, kBmmDown,
                "ncclDevKernel_ReduceScatter_Sum", kNcclAllReduce});
  CHECK(moe(made) ==
        "attention collective | dispatch | expert gate_up | MoE collective | expert down | combine "
        "| MoE collective");
}
