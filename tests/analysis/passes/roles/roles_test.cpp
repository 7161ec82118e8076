#include "analysis/passes/roles/roles.h"

#include <doctest/doctest.h>

#include "tests/analysis/passes/role_scene.h"

using namespace stepscope::analysis;
using namespace stepscope::tests;
using namespace stepscope::tests::kernel;

namespace {

// norm, qkv, rope, cache, attention, o_proj, norm, gate_up, activation, down.
void add_llama_layer(StepMaker& step, bool tensor_parallel) {
  step.run(kRmsNorm, 3).run(kNvjet, 10).run(kRotary, 2).run(kCacheWrite, 2).run(kFlash, 20);
  step.run(kNvjet, 8);
  if (tensor_parallel) step.run(kLamport, 6);
  step.run(kRmsNorm, 3).run(kNvjet, 15).run(kSilu, 2).run(kNvjet, 12);
  if (tensor_parallel) step.run(kLamport, 6);
}

void add_tail(StepMaker& step) {
  step.run(kRmsNorm, 3).run(kNvjetBig, 40).run(kElementwise, 2).run(kArgMax, 5);
}

void add_gptoss_layer(StepMaker& step) {
  step.run(kRmsNorm, 3).run(kNvjet, 10).run(kRotary, 2).run(kFlash, 20).run(kNvjet, 8);
  step.run(kLamport, 6).run(kRmsNorm, 3).run(kNvjet, 4).run(kElementwise, 1);
  step.run("_topk_forward", 2).run("_combined_routing_compute", 2);
  step.run("_matmul_ogs_NNT_swiglu", 30).run("_matmul_ogs_NNT", 20);
  step.run("_finalize_matmul_scatter_bf16", 4).run(kLamport, 6);
}

// Shared expert on the layer stream, routed experts beside it on stream 461.
void add_deepseek_layer(StepMaker& step, bool moe) {
  step.on("39").run(kRmsNorm, 30).run(kFusedA, 200).run(kNvjet, 40).run(kNvjet, 40);
  step.run(kRopeQuantize, 20).run(kSetMlaKv, 10).run(kFmhaMla, 100).run(kNvjet, 40);
  step.run(kCvtFp4, 20).run(kCutlassFp4, 80).run(kLamport, 120);
  step.on("461").join("39").run(kRmsNorm, 20);
  if (moe) {
    step.run(kRouterGemm, 30).run(kRouting, 20).run(kRouting, 20).run(kBlockQuantize, 10);
    step.run(kBmmUp, 60).run(kBmmDown, 60).run(kFinalize, 20);
  }
  step.on("39").run(kCvtFp4, 20).run(kCutlassFp4, 80).run(kSilu, 30).run(kCvtFp4, 20);
  step.run(kCutlassFp4, 80).run(kLamport, 120);
}

}  // namespace

TEST_CASE("a dense layer without tensor parallelism: every GEMM has its role by its place") {
  StepMaker step;
  step.run(kEmbedding, 5);
  for (int i = 0; i < 4; ++i) add_llama_layer(step, false);
  add_tail(step);
  const RoleScene made(step.trace());
  REQUIRE(made.scene.layers->count() == 4);
  CHECK(made.roles(LayerMap::kBefore, "7") == "embedding");
  for (int layer = 0; layer < 4; ++layer) {
    CHECK(made.roles(layer, "7") ==
          "layer norm | q/kv projection | attention preparation | attention preparation | "
          "attention | o_proj | "
          "layer norm | gate_up | activation | down");
  }
  CHECK(made.roles(LayerMap::kAfter, "7") == "final norm | lm_head | - | sampling");
  const auto& evidence = made.scene.roles.evidence;
  CHECK(evidence.at(Role::qkv_proj) == "between RMSNorm and attention, 4 calls = 4 layers");
  CHECK(evidence.at(Role::o_proj) == "between attention and RMSNorm, 4 calls = 4 layers");
  CHECK(evidence.at(Role::attention_prepare) ==
        "between the q/kv projection and attention, 8 calls = 2 x 4 layers");
  CHECK(evidence.at(Role::lm_head) == "the GEMM after the last layer, 1 call");
}

TEST_CASE("collectives of a dense layer stand behind o_proj and behind down") {
  StepMaker step;
  for (int i = 0; i < 3; ++i) add_llama_layer(step, true);
  add_tail(step);
  const RoleScene made(step.trace());
  CHECK(made.roles(1, "7") ==
        "layer norm | q/kv projection | attention preparation | attention preparation | attention "
        "| o_proj | "
        "attention collective | layer norm | gate_up | activation | down | MLP collective");
  CHECK(made.scene.roles.evidence.at(Role::o_proj) ==
        "between attention and all-reduce, 3 calls = 3 layers");
}

TEST_CASE("a step as PyTorch alone runs it: gate, activation, up and down, norms in pieces") {
  StepMaker step;
  for (int i = 0; i < 4; ++i) {
    step.run(kElementwise, 3).run(kNvjet, 5).run(kNvjet, 5).run(kNvjet, 5).run(kElementwise, 2);
    step.run(kFlash, 20).run(kElementwise, 1).run(kNvjet, 5).run(kElementwise, 3);
    step.run(kNvjet, 8).run(kSilu, 2).run(kNvjet, 8).run(kElementwise, 2).run(kNvjet, 8);
  }
  const RoleScene made(step.trace());
  CHECK(made.roles(1, "7") ==
        "- | q/kv projection | q/kv projection | q/kv projection | attention preparation | "
        "attention | "
        "attention output | o_proj | - | gate_up | activation | gate_up | - | down");
  CHECK(made.scene.roles.evidence.at(Role::qkv_proj) ==
        "between the layer's start and attention, 12 calls = 3 x 4 layers");
}

TEST_CASE("MoE on one stream: the GEMM right before the routing is the router") {
  StepMaker step;
  for (int i = 0; i < 4; ++i) add_gptoss_layer(step);
  add_tail(step);
  const RoleScene made(step.trace());
  CHECK(made.roles(2, "7") ==
        "layer norm | q/kv projection | attention preparation | attention | o_proj | "
        "attention collective | layer norm | router | - | routing | routing | expert gate_up | "
        "expert down | combine | MoE collective");
  CHECK(made.scene.roles.evidence.at(Role::router) ==
        "right before the routing, 4 calls = 4 layers");
}

TEST_CASE("Triton experts: the same kernel twice around its activation") {
  StepMaker step;
  for (int i = 0; i < 4; ++i) {
    step.run(kRmsNorm, 3).run(kNvjet, 10).run(kRotary, 2).run(kFlash, 20).run(kNvjet, 8);
    step.run(kRmsNorm, 3).run(kNvjet, 4).run(kTopk, 2).run(kAlign, 2).run(kFusedMoe, 30);
    step.run(kSilu, 4).run(kFusedMoe, 20).run(kMoeSum, 3);
  }
  const RoleScene made(step.trace());
  CHECK(made.roles(0, "7") ==
        "layer norm | q/kv projection | attention preparation | attention | o_proj | layer norm | "
        "router | routing | routing | expert gate_up | expert activation | expert down | combine");
}

TEST_CASE("a shared expert on the layer stream, the routed experts beside it") {
  StepMaker step;
  for (int i = 0; i < 5; ++i) add_deepseek_layer(step, i >= 2);
  step.on("39").run(kRmsNorm, 30).run(kNvjet, 40);
  const RoleScene made(step.trace());
  REQUIRE(made.scene.layers->count() == 5);
  const std::string attention =
      "layer norm | q/kv projection | q/kv projection | q/kv projection | attention preparation | "
      "attention preparation | attention | o_proj | attention quantize | o_proj | attention "
      "collective | ";
  CHECK(made.roles(0, "39") ==
        attention + "MLP quantize | gate_up | activation | MLP quantize | down | MLP collective");
  CHECK(made.roles(0, "461") == "layer norm");
  CHECK(made.roles(4, "39") ==
        attention +
            "shared expert quantize | shared expert gate_up | shared expert activation | "
            "shared expert quantize | shared expert down | MoE collective");
  CHECK(made.roles(4, "461") ==
        "layer norm | router | routing | routing | expert quantize | expert gate_up | "
        "expert down | combine");
  CHECK(made.scene.roles.evidence.at(Role::shared_down) ==
        "around an activation beside the routed experts, 3 calls in 3 of 5 layers");
  CHECK(made.scene.roles.evidence.at(Role::gate_up) ==
        "around the activation of the feed-forward part, 2 calls in 2 of 5 layers");
}

TEST_CASE("one stream for all: the shared expert is the GEMM pair around an activation") {
  StepMaker step;
  for (int i = 0; i < 3; ++i) {
    step.run(kRmsNorm, 3).run(kNvjet, 10).run(kRotary, 2).run(kFlash, 20).run(kNvjet, 8);
    step.run(kLamport, 6).run(kRmsNorm, 3).run(kNvjet, 4);         // router
    step.run(kNvjet, 9).run(kSilu, 2).run(kNvjet, 7);              // shared expert
    step.run(kTopk, 2).run(kBlockQuantize, 2).run(kFusedMoe, 30);  // routed experts
    step.run(kSilu, 4).run(kFusedMoe, 20).run(kMoeSum, 3).run(kLamport, 6);
  }
  const RoleScene made(step.trace());
  CHECK(made.roles(1, "7") ==
        "layer norm | q/kv projection | attention preparation | attention | o_proj | "
        "attention collective | layer norm | router | shared expert gate_up | "
        "shared expert activation | shared expert down | routing | expert quantize | "
        "expert gate_up | expert activation | expert down | combine | MoE collective");
}

TEST_CASE("expert parallel: dispatch and combine by name or by their place around the experts") {
  const auto layer = [](StepMaker& step, const std::string& before, const std::string& after) {
    step.run(kRmsNorm, 3).run(kNvjet, 10).run(kRotary, 2).run(kFlash, 20).run(kNvjet, 8);
    step.run(kRmsNorm, 3).run(kNvjet, 4).run(kTopk, 2).run(before, 9).run(kFusedMoe, 30);
    step.run(kSilu, 4).run(kFusedMoe, 20).run(after, 9);
  };
  const std::string expected =
      "layer norm | q/kv projection | attention preparation | attention | o_proj | layer norm | "
      "router | "
      "routing | dispatch | expert gate_up | expert activation | expert down | combine";
  StepMaker named;
  for (int i = 0; i < 3; ++i) layer(named, kDispatch, kCombine);
  CHECK(RoleScene(named.trace()).roles(1, "7") == expected);
  StepMaker placed;
  for (int i = 0; i < 3; ++i) layer(placed, kNcclAllGather, "ncclDevKernel_ReduceScatter_Sum");
  CHECK(RoleScene(placed.trace()).roles(1, "7") == expected);
}

TEST_CASE("GEMMs between the all-reduce and the next norm have no role, and the row says why") {
  StepMaker step;
  for (int i = 0; i < 3; ++i) {
    step.run(kRmsNorm, 3).run(kNvjet, 10).run(kFlash, 20).run(kNvjet, 8).run(kLamport, 6);
    step.run(kNvjet, 2).run(kNvjet, 2).run(kNvjet, 2);
    step.run(kRmsNorm, 3).run(kNvjet, 15).run(kSilu, 2).run(kNvjet, 12);
  }
  const RoleScene made(step.trace());
  CHECK(made.roles(0, "7") ==
        "layer norm | q/kv projection | attention | o_proj | attention collective | - | - | - | "
        "layer norm | gate_up | activation | down");
  CHECK(made.scene.roles.evidence.at(Role::none) ==
        "the place does not tell: 3 GEMMs between all-reduce and the next norm, "
        "9 calls = 3 x 3 layers");
}

TEST_CASE("a split-K reduction has the role of the GEMM before it") {
  StepMaker step;
  for (int i = 0; i < 3; ++i) {
    step.run(kRmsNorm, 3).run(kNvjet, 10).run(kSplitReduce, 1).run(kFlash, 20).run(kNvjet, 8);
    step.run(kSplitReduce, 1).run(kRmsNorm, 3).run(kNvjet, 15).run(kNvjet, 12);
    step.run(kSplitReduce, 1);
  }
  const RoleScene made(step.trace());
  CHECK(made.roles(2, "7") ==
        "layer norm | q/kv projection | q/kv projection | attention | o_proj | o_proj | "
        "layer norm | gate_up | down | down");
}

TEST_CASE("without layers only names tell") {
  StepMaker step;
  step.run(kFusedMoe, 10).run(kTopk, 2).run(kDispatch, 5).run(kNvjet, 3).run(kRouterGemm, 1);
  const RoleScene made(step.trace(), false);
  CHECK(made.roles(0, "7") == "expert GEMM | routing | dispatch | - | router");
  CHECK(made.scene.roles.evidence.at(Role::none) ==
        "the place does not tell: no layers were found in this step, 1 call");
}

TEST_CASE("counts beside the place") {
  CHECK(evidence_text("here", 61, 61, 61) == "here, 61 calls = 61 layers");
  CHECK(evidence_text("here", 122, 61, 61) == "here, 122 calls = 2 x 61 layers");
  CHECK(evidence_text("here", 58, 58, 61) == "here, 58 calls in 58 of 61 layers");
  CHECK(evidence_text("here", 116, 58, 61) == "here, 116 calls = 2 x 58 of 61 layers");
  CHECK(evidence_text("here", 60, 58, 61) == "here, 60 calls in 58 of 61 layers");
  CHECK(evidence_text("", 1, 0, 0) == "1 call");
}
