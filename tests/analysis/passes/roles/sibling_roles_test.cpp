#include "analysis/passes/roles/sibling_roles.h"

#include <doctest/doctest.h>

#include "tests/analysis/passes/role_scene.h"

using namespace stepscope::analysis;
using namespace stepscope::tests;
using namespace stepscope::tests::kernel;

namespace {

void add_layer(StepMaker& step, bool first_reduction) {
  step.run(kRmsNorm, 3).run(kNvjet, 10).run(kFmhaMla, 20).run(kNvjet, 4);
  step.run(kCvtFp4, 1).run(kCutlassFp4, 8);
  if (first_reduction) step.run(kLamport, 6);
  step.run(kCvtFp4, 1).run(kCutlassFp4, 15).run(kSilu, 2).run(kCvtFp4, 1).run(kCutlassFp4, 12);
  step.run(kLamport, 6);
}

}  // namespace

TEST_CASE("a layer without the collective between its blocks is read as its siblings are") {
  StepMaker step;
  for (int layer = 0; layer < 4; ++layer) add_layer(step, layer > 0);
  const RoleScene made(step.trace());
  REQUIRE(made.scene.layers->count() == 4);
  CHECK(made.roles(0, "7") ==
        "layer norm | q/kv projection | attention | o_proj | attention quantize | o_proj | "
        "MLP quantize | gate_up | activation | MLP quantize | down | MLP collective");
}

TEST_CASE("without a sibling the place does not tell") {
  StepMaker step;
  for (int layer = 0; layer < 4; ++layer) add_layer(step, false);
  const RoleScene made(step.trace());
  REQUIRE(made.scene.layers->count() == 4);
  int untold = 0;
  for (std::uint32_t at = 0; at < made.scene.events.size(); ++at) {
    const bool gemm = made.scene.category(at).category == "gemm-dense";
    untold += gemm && made.scene.roles.role_of[at] == Role::none ? 1 : 0;
  }
  CHECK(untold > 0);
}
