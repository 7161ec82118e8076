#include "analysis/compare_facts.h"

#include <doctest/doctest.h>

#include "tests/support/sample_breakdown.h"

using namespace stepscope;
using namespace stepscope::analysis;

namespace {

SideFacts facts_of(const ReportContext& context) {
  Breakdown breakdown;
  return side_facts(breakdown, ShownStep(), context);
}

KernelRow kernel(std::string name) {
  KernelRow row;
  row.name = std::move(name);
  return row;
}

}  // namespace

TEST_CASE("a run's title and provenance tell what it was") {
  ReportContext context;
  context.title = "DeepSeek-R1 FP4, B200, conc 4";
  context.provenance = {
      "Run 57, row dsr1-fp4-b200-sglang, framework sglang, 8192/1024 TP4 EP4, DP attention.",
      "Image lmsys/sglang:v0.5.6.", "Assumed, because the request left it open: framework."};
  const SideFacts facts = facts_of(context);
  CHECK(facts.model == "DeepSeek-R1 FP4");
  CHECK(facts.hardware == "B200");
  CHECK(facts.family == "NVIDIA");
  CHECK(facts.concurrency == "4");
  CHECK(facts.framework == "sglang");
  CHECK(facts.lengths == "8192/1024");
  CHECK(facts.parallelism == "TP4 EP4 DP attention");
  CHECK(facts.image == "lmsys/sglang:v0.5.6");
}

TEST_CASE("words of a request tell it where there is no title of a run") {
  ReportContext context;
  context.title = "trace.json";
  context.provenance = {
      "Understood as profile model=dsr1 precision=fp4 hardware=mi355x conc=4 phase=decode.",
      "Asked by someone, image commit 89ce609ab."};
  const SideFacts facts = facts_of(context);
  CHECK(facts.model == "dsr1");
  CHECK(facts.hardware == "mi355x");
  CHECK(facts.family == "AMD");
  CHECK(facts.concurrency == "4");
  CHECK(facts.image == "commit 89ce609ab");
  CHECK(facts.parallelism.empty());
  CHECK(facts.lengths.empty());
}

TEST_CASE("a trace names its device, and its markers the engine") {
  Breakdown breakdown = tests::sample_breakdown();
  const SideFacts facts = side_facts(breakdown, breakdown.shown[0], {});
  CHECK(facts.hardware == "NVIDIA B200");
  CHECK(facts.framework == "sglang");
  CHECK(facts.world_size == 2);
  CHECK(facts.model.empty());
  const auto framework = [&](std::string source, std::string label) {
    ShownStep shown;
    shown.step.source = std::move(source);
    shown.step.label = std::move(label);
    return side_facts(Breakdown(), shown, {}).framework;
  };
  CHECK(framework("engine", "execute_context_0(0)_generation_4(4)") == "vllm");
  CHECK(framework("engine", "decode[bs=4]") == "atom");
  CHECK(framework("engine", "execute_diffusion_step").empty());
  CHECK(framework("annotation", "step[x]").empty());
}

TEST_CASE("hardware families from device names and words of requests") {
  for (const char* name : {"NVIDIA H100 80GB HBM3", "Tesla V100-SXM2", "b200", "gb300", "h20"}) {
    CHECK(family_of_hardware(name) == "NVIDIA");
  }
  for (const char* name : {"AMD Instinct MI300X", "mi355x", "gfx942"}) {
    CHECK(family_of_hardware(name) == "AMD");
  }
  CHECK(family_of_hardware("AMD EPYC 9654") == "CPU");
  CHECK(family_of_hardware("CPU") == "CPU");
  CHECK(family_of_hardware("Intel Data Center GPU Max") == "Intel");
  CHECK(family_of_hardware("").empty());
  CHECK(family_of_hardware("Toaster 3000").empty());
}

TEST_CASE("kernel names tell the family where nothing else does") {
  CHECK(family_of_kernels({kernel("ncclDevKernel_AllReduce"), kernel("Cijk_Alik_Bljk_BBS")}) ==
        "AMD");
  CHECK(family_of_kernels({kernel("void ck::kernel_gemm<ck::Foo>")}) == "AMD");
  CHECK(family_of_kernels({kernel("nvjet_tst_64x32")}) == "NVIDIA");
  // RCCL's kernels carry NCCL's names, Triton's are the same everywhere.
  CHECK(family_of_kernels({kernel("ncclDevKernel_AllReduce"), kernel("triton_poi_fused_add")})
            .empty());
}

TEST_CASE("an engine inside another one is that engine; what is unknown does not differ") {
  SideFacts a;
  SideFacts b;
  a.framework = "sglang";
  CHECK_FALSE(frameworks_differ(a, b));
  b.framework = "dynamo-SGLang";
  CHECK_FALSE(frameworks_differ(a, b));
  CHECK_FALSE(frameworks_differ(b, a));
  b.framework = "dynamo-vllm";
  CHECK(frameworks_differ(a, b));
  a.family = "NVIDIA";
  CHECK_FALSE(families_differ(a, b));
  b.family = "AMD";
  CHECK(families_differ(a, b));
}

TEST_CASE("each fact that both sides tell differently is one sentence") {
  SideFacts a;
  SideFacts b;
  CHECK(fact_differences(a, b).empty());
  a.model = "dsr1";
  a.lengths = "8192/1024";
  a.parallelism = "TP4 EP4";
  a.concurrency = "4";
  a.batch_size = 4;
  CHECK(fact_differences(a, b).empty());
  b.model = "DSR1";
  b.lengths = "1024/1024";
  b.parallelism = "TP8 EP1";
  b.concurrency = "16";
  b.batch_size = 16;
  const std::vector<std::string> expected = {
      "the parallelism differs: TP4 EP4 in A, TP8 EP1 in B",
      "the input and output length differs: 8192/1024 in A, 1024/1024 in B",
      "the concurrency differs: 4 in A, 16 in B",
      "the batch size of the step differs: 4 in A, 16 in B"};
  CHECK(fact_differences(a, b) == expected);
  SideFacts c;
  SideFacts d;
  c.world_size = 4;
  d.world_size = 8;
  CHECK(fact_differences(c, d) ==
        std::vector<std::string>{"the world size differs: 4 in A, 8 in B"});
}
