#include "analysis/passes/roles/attention_roles.h"

#include <doctest/doctest.h>

#include "tests/analysis/passes/role_run.h"

using namespace stepscope::analysis;
using namespace stepscope::tests;
using namespace stepscope::tests::kernel;

TEST_CASE("q and k norms belong to attention; a gated norm in front of o_proj does not end it") {
  RoleRun made({kRmsNorm, kNvjet, kRmsNorm, kRotary, kFlash, kRmsNorm, kNvjet, kRmsNorm, kNvjet,
                kSilu, kNvjet});
  CHECK(assign_attention(made.draft, made.run, 4) == 8);
  CHECK(
      made.roles() ==
      "layer norm | q/kv projection | attention preparation | attention preparation | attention | "
      "attention output | o_proj | layer norm | - | - | -");
}

TEST_CASE("two norms between o_proj and the feed-forward part") {
  RoleRun made(
      {kRmsNorm, kNvjet, kFlash, kNvjet, kRmsNorm, kRmsNorm, kNvjet, kSilu, kNvjet, kRmsNorm});
  CHECK(assign_attention(made.draft, made.run, 2) == 6);
  CHECK(made.roles() ==
        "layer norm | q/kv projection | attention | o_proj | layer norm | layer norm | - | - | - | "
        "-");
}

TEST_CASE("without a norm behind attention the first GEMM projects, the last before it gates") {
  RoleRun made({kNvjet, kFlash, kNvjet, kNvjet, kSilu, kNvjet});
  CHECK(assign_attention(made.draft, made.run, 1) == 3);
  CHECK(made.roles() == "q/kv projection | attention | o_proj | - | - | -");
  RoleRun more({kNvjet, kFlash, kNvjet, kNvjet, kNvjet, kSilu, kNvjet});
  CHECK(assign_attention(more.draft, more.run, 1) == 4);
  CHECK(more.roles() == "q/kv projection | attention | o_proj | - | - | - | -");
  CHECK(more.place(3) == "the place does not tell: 3 GEMMs between attention and the activation");
}

TEST_CASE("several GEMMs up to the layer's end may be anything") {
  RoleRun made({kNvjet, kFlash, kNvjet, kNvjet});
  CHECK(assign_attention(made.draft, made.run, 1) == 4);
  CHECK(made.roles() == "q/kv projection | attention | - | -");
  CHECK(made.place(2) == "the place does not tell: 2 GEMMs between attention and the layer's end");
  RoleRun one({kNvjet, kFlash, kNvjet});
  CHECK(assign_attention(one.draft, one.run, 1) == 3);
  CHECK(one.roles() == "q/kv projection | attention | o_proj");
}

TEST_CASE("a GEMM with an activation behind it, before attention, has no role") {
  RoleRun made({kRmsNorm, kNvjet, kNvjet, kSilu, kFlash, kNvjet});
  CHECK(assign_attention(made.draft, made.run, 4) == 6);
  CHECK(made.roles() ==
        "layer norm | q/kv projection | - | attention preparation | attention | o_proj");
}

TEST_CASE("the norm inside a MLP is not where the feed-forward part begins") {
  RoleRun made({kRmsNorm, kNvjet, kFlash, kNvjet, kRmsNorm, kNvjet, kSilu, kRmsNorm, kNvjet});
  CHECK(assign_attention(made.draft, made.run, 2) == 5);
}

TEST_CASE("other streams beside the attention block, by the time at which they start") {
  RoleRun made({kNvjet, kRmsNorm, kNvjet, kCvtFp4, kNcclAllReduce});
  // The layer's first GEMM starts at 5, attention at 25: events start at 0, 10, 20, 30 and 40.
  assign_beside_attention(made.draft, made.run,
                          {.first_gemm_ns = 5, .attention_ns = 15, .feed_forward_ns = 100});
  CHECK(made.roles() == "q/kv projection | attention preparation | - | - | attention collective");
}
