#include "analysis/compare_side.h"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>

#include "analysis/analyze.h"
#include "analysis/passes/names/kernel_category.h"
#include "tests/support/sample_breakdown.h"
#include "tests/support/trace_maker.h"

using namespace stepscope;
using namespace stepscope::analysis;

namespace {

const ComparedRow& row(const std::vector<ComparedRow>& rows, std::string_view key) {
  const auto found = std::ranges::find(rows, key, &ComparedRow::key);
  REQUIRE(found != rows.end());
  return *found;
}

// One step of a phase: gemm from the start on stream 7, norm after `idle`; index counts up.
struct StepSpec {
  std::string marker;
  Ns gemm_ns = 0;
  Ns idle_ns = 0;
  Ns norm_ns = 0;
};

Breakdown breakdown_of(const std::vector<StepSpec>& steps, StepChoice choice) {
  tests::TraceMaker maker;
  Ns start = 0;
  for (const StepSpec& step : steps) {
    maker.mark(step.marker, start, start + 100'000);
    maker.launched({.name = "nvjet_gemm", .start_ns = start + 1000, .dur_ns = step.gemm_ns},
                   start + 10);
    if (step.norm_ns > 0) {
      maker.launched({.name = "RMSNormKernel",
                      .start_ns = start + 1000 + step.gemm_ns + step.idle_ns,
                      .dur_ns = step.norm_ns},
                     start + 20);
    }
    start += 1'000'000;
  }
  AnalyzeOptions options;
  options.phase = "decode";
  options.step = choice;
  const auto classifier = KernelClassifier::create("");
  auto breakdown = analyze_trace(maker.build(), *classifier, options);
  REQUIRE(breakdown);
  return *std::move(breakdown);
}

CompareSide side_of(const Breakdown& breakdown) {
  auto side = compare_side(breakdown, {});
  REQUIRE(side);
  return *std::move(side);
}

// Step 0 is left out; of the three of batch size 4 (walls 1300, 1200, 1100) the median is step 3.
// The prefill step and the one of batch size 8 are no part of the group.
const std::vector<StepSpec> kSteps = {
    {"step[DECODE bs=4 toks=4]", 9000, 100, 100}, {"step[EXTEND bs=4 toks=400]", 90'000, 0, 0},
    {"step[DECODE bs=4 toks=4]", 900, 100, 300},  {"step[DECODE bs=4 toks=4]", 1000, 150, 50},
    {"step[DECODE bs=4 toks=4]", 1100, 0, 0},     {"step[DECODE bs=8 toks=8]", 500, 0, 10}};

}  // namespace

TEST_CASE("of all steps the side is the one that R9 shows, with the range of each row") {
  const CompareSide side = side_of(breakdown_of(kSteps, StepChoice::all));
  CHECK(side.step_index == 3);
  CHECK(side.phase == "decode");
  CHECK(side.wall_ns == 1200);
  CHECK(side.idle_ns == 150);
  CHECK(side.steps == 3);
  CHECK(side.min_ns == 1100);
  CHECK(side.max_ns == 1300);
  CHECK(side.idle_min_ns == 0);
  CHECK(side.idle_max_ns == 150);
  const ComparedRow& gemm = row(side.kernels, "nvjet_gemm");
  CHECK(gemm.charged_ns == 1000);
  CHECK(gemm.charged_min_ns == 900);
  CHECK(gemm.charged_max_ns == 1100);
  CHECK(gemm.stream == "7");
  const ComparedRow& norm = row(side.kernels, "RMSNormKernel");
  CHECK(norm.charged_ns == 50);
  CHECK(norm.charged_min_ns == 0);  // step 4 has none
  CHECK(norm.charged_max_ns == 300);
  CHECK(gemm.min_ns.has_value());
  CHECK_FALSE(row(side.components, "norm").min_ns.has_value());  // components do not tell
  CHECK(side.leading_category == "gemm-dense");
  CHECK(row(side.categories, "gemm-dense").charged_max_ns == 1100);
  CHECK(row(side.components, "norm").charged_min_ns == 0);
}

TEST_CASE("the side of all steps has the figures of the median analysed alone") {
  const CompareSide all = side_of(breakdown_of(kSteps, StepChoice::all));
  const CompareSide median = side_of(breakdown_of(kSteps, StepChoice::median));
  CHECK(median.step_index == all.step_index);
  CHECK(median.wall_ns == all.wall_ns);
  CHECK(median.steps == all.steps);
  CHECK(median.min_ns == all.min_ns);
  CHECK(median.max_ns == all.max_ns);
  CHECK(median.idle_ns == all.idle_ns);
  REQUIRE(median.kernels.size() == all.kernels.size());
  for (const ComparedRow& one : median.kernels) {
    CHECK(row(all.kernels, one.key).charged_ns == one.charged_ns);
    CHECK_FALSE(one.charged_min_ns.has_value());
  }
  CHECK_FALSE(median.idle_min_ns.has_value());
}

TEST_CASE("a kernel that the shown step lacks but others have is a row without time") {
  // Walls 1000, 1000 and 1090: the median of steps 1 to 3 is step 2, which has no norm.
  const CompareSide side = side_of(breakdown_of({{"step[DECODE bs=4 toks=4]", 10, 0, 0},
                                                 {"step[DECODE bs=4 toks=4]", 910, 0, 90},
                                                 {"step[DECODE bs=4 toks=4]", 1000, 0, 0},
                                                 {"step[DECODE bs=4 toks=4]", 1090, 0, 0}},
                                                StepChoice::all));
  REQUIRE(side.step_index == 2);
  const ComparedRow& norm = row(side.kernels, "RMSNormKernel");
  CHECK(norm.calls == 0);
  CHECK(norm.charged_ns == 0);
  CHECK(norm.charged_min_ns == 0);
  CHECK(norm.charged_max_ns == 90);
}

TEST_CASE("the only step is its own range") {
  const CompareSide side =
      side_of(breakdown_of({{"step[DECODE bs=4 toks=4]", 900, 100, 300}}, StepChoice::median));
  CHECK(side.steps == 1);
  CHECK(side.min_ns == 1300);
  CHECK(side.max_ns == 1300);
  CHECK(side.idle_min_ns == 100);
  CHECK(row(side.kernels, "nvjet_gemm").charged_min_ns == 900);
  CHECK(row(side.kernels, "nvjet_gemm").charged_max_ns == 900);
}

TEST_CASE("every list of a side and idle sum to its wall") {
  for (const Breakdown& breakdown : {tests::sample_breakdown(), tests::large_breakdown(40),
                                     breakdown_of(kSteps, StepChoice::all)}) {
    const CompareSide side = side_of(breakdown);
    for (const auto* rows : {&side.categories, &side.components, &side.kernels}) {
      Ns sum = side.idle_ns;
      for (const ComparedRow& one : *rows) sum += one.charged_ns;
      CHECK(sum == side.wall_ns);
    }
  }
}

TEST_CASE("layers: kinds by their words, rows by role or category and place, idle as a row") {
  Breakdown breakdown = tests::sample_breakdown();
  Layers layers;
  const auto layer_row = [](std::string category, std::string role, Ns charged) {
    LayerRow out;
    out.stream = "39";
    out.category = std::move(category);
    out.role = std::move(role);
    out.calls = 1;
    out.charged_ns = charged;
    out.sum_ns = charged;
    return out;
  };
  LayerKind moe;
  moe.moe = true;
  moe.count = 58;
  moe.median_wall_ns = 160;
  moe.min_wall_ns = 150;
  moe.max_wall_ns = 170;
  moe.idle_ns = 20;
  moe.rows = {layer_row("gemm-dense", "o_proj", 100), layer_row("normalisation", "", 10),
              layer_row("normalisation", "", 30)};
  LayerKind twin = moe;
  twin.rows.pop_back();
  twin.median_wall_ns = 130;
  layers.kinds = {moe, twin};
  breakdown.shown[0].layers = layers;
  const CompareSide side = side_of(breakdown);
  REQUIRE(side.layer_kinds.size() == 2);
  CHECK(side.layer_kinds[0].key == "MoE");
  CHECK(side.layer_kinds[0].calls == 58);
  CHECK(side.layer_kinds[0].charged_ns == 160);
  CHECK(side.layer_kinds[0].busy_ns == 140);
  CHECK(side.layer_kinds[0].min_ns == 150);
  CHECK(side.layer_kinds[1].key == "MoE, kind 2");
  std::vector<std::string> keys;
  for (const ComparedRow& one : side.layer_rows) keys.push_back(one.key);
  CHECK(keys == std::vector<std::string>{"MoE / o_proj / 1", "MoE / normalisation / 1",
                                         "MoE / normalisation / 2", "MoE / idle",
                                         "MoE, kind 2 / o_proj / 1",
                                         "MoE, kind 2 / normalisation / 1", "MoE, kind 2 / idle"});
  CHECK(side.layer_rows[2].charged_ns == 30);
  CHECK(side.layer_rows[2].label == "normalisation, place 2");
}

TEST_CASE("nothing shown is an error with the reason that the analysis gave") {
  Breakdown breakdown = tests::sample_breakdown();
  breakdown.shown.clear();
  breakdown.diagnostics.notes = {"no step of phase prefill in this trace"};
  CHECK(compare_side(breakdown, {}).error() == "no step of phase prefill in this trace");
  breakdown.diagnostics.notes.clear();
  CHECK(compare_side(breakdown, {}).error() == "it holds no step to compare");
}
