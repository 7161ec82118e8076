#include "analysis/passes/shown_step.h"

#include <doctest/doctest.h>

#include "analysis/passes/steps/step_source.h"
#include "tests/analysis/passes/trace_fixture.h"

using namespace stepscope::analysis;
using namespace stepscope::tests;

namespace {

ShownStep show(const TraceFixture& fixture, std::size_t at) {
  const LaunchLinks links(fixture.trace);
  const StepSet set = find_steps(fixture.view, links, fixture.device());
  const auto steps = measure_steps(fixture.view, fixture.device(), set);
  const WindowIndex index(fixture.view, fixture.device());
  return show_step(fixture.view, links, fixture.device(), index, {steps, at}, {});
}

}  // namespace

TEST_CASE("components close with idle to the window") {
  // attn 0-10, gemm 10-20 and norm 18-22 on stream 7; communication 5-30 on stream 8; idle 30-35
  // before moe 35-40. Charged: attention 10, mlp 10, norm 2, communication 22-30 = 8, moe 5.
  TraceMaker maker;
  maker.mark("step[DECODE bs=1]", -10, 0);
  maker.launched({"attn", 0, 10}, -9).launched({"gemm", 10, 10}, -8).launched({"norm", 18, 4}, -7);
  maker.launched({"nccl", 5, 25, "8"}, -6).launched({"moe", 35, 5}, -5);
  const TraceFixture fixture(maker);
  const ShownStep shown = show(fixture, 0);
  REQUIRE(shown.components.size() == 5);
  CHECK(shown.components[0].component == "attention");
  CHECK(shown.components[1].component == "mlp");
  CHECK(shown.components[2].component == "communication");
  CHECK(shown.components[2].charged_ns == 8);
  CHECK(shown.components[2].sum_ns == 25);
  CHECK(shown.components[2].hidden_ns == 17);
  CHECK(shown.components[3].component == "moe");
  CHECK(shown.components[4].component == "norm");
  CHECK(shown.components[4].charged_ns == 2);
  CHECK(shown.components[4].hidden_ns == 2);
  Ns sum_ns = shown.accounting.idle_ns;
  for (const ComponentRow& row : shown.components) sum_ns += row.charged_ns;
  CHECK(sum_ns == 40);
  CHECK(shown.accounting.window_ns == 40);
  CHECK(shown.idle_causes.latency_or_dependency == 5);
}

TEST_CASE("events of another step in the window are charged and counted as foreign") {
  // Step 2's copy runs at 20-25, in the middle of step 1's window.
  TraceMaker maker;
  maker.mark("step[DECODE bs=1]", -20, -10).mark("step[DECODE bs=1]", -10, 0);
  maker.launched({"gemm", 0, 50}, -15);
  maker.launched({"copy", 20, 5, "8"}, -5).launched({"gemm", 60, 50}, -4);
  const TraceFixture fixture(maker);
  const ShownStep first = show(fixture, 0);
  CHECK(first.foreign_events == 1);
  CHECK(first.accounting.kernels.size() == 2);
  CHECK(first.accounting.copy_total_ns == 5);
  const ShownStep second = show(fixture, 1);
  CHECK(second.prefetch_events == 1);
  CHECK(second.foreign_events == 0);
  CHECK(second.step.span_ns == 60);  // from the end of step 1's work at 50
  CHECK(second.accounting.window_ns == 60);
}
