#include "analysis/passes/steps/step_window.h"

#include <doctest/doctest.h>

#include "tests/analysis/passes/trace_fixture.h"

using namespace stepscope::analysis;
using namespace stepscope::tests;

namespace {

StepWindow window_of(const TraceMaker& maker, std::optional<Ns> not_before = {},
                     std::optional<Ns> not_after = {}) {
  const TraceFixture fixture(maker);
  return step_window(fixture.view, fixture.device().events, not_before, not_after);
}

}  // namespace

TEST_CASE("from the first start to the last end") {
  TraceMaker maker;
  maker.add({"a", 10, 100}).add({"b", 20, 5}).add({"c", 115, 5});
  const StepWindow cut = window_of(maker);
  CHECK(cut.window == Interval{10, 120});
  CHECK_FALSE(cut.leading.has_value());
  CHECK_FALSE(cut.trailing.has_value());
}

TEST_CASE("a leading stray: at most 1 % of busy, gap longer than half of what follows") {
  // Busy 2 + 198 = 200, of which 2 is 1 %. The gap of 101 is more than half of 200 - 0.
  TraceMaker maker;
  maker.add({"setup", 0, 1}).add({"setup", 1, 1}).add({"work", 103, 198});
  const StepWindow cut = window_of(maker);
  CHECK(cut.window == Interval{103, 301});
  REQUIRE(cut.leading.has_value());
  CHECK(cut.leading->gap_ns == 101);
  CHECK(cut.leading->events == 2);
  CHECK(cut.leading->busy_ns == 2);

  TraceMaker short_gap;  // 99 is exactly half of 198
  short_gap.add({"setup", 0, 1}).add({"work", 100, 198});
  CHECK(window_of(short_gap).window == Interval{0, 298});

  TraceMaker too_busy;  // 3 of 201
  too_busy.add({"setup", 0, 3}).add({"work", 1000, 198});
  CHECK(window_of(too_busy).window == Interval{0, 1198});
}

TEST_CASE("of several leading gaps the last one that qualifies") {
  TraceMaker maker;
  maker.add({"s", 0, 1}).add({"s", 5000, 1}).add({"work", 8000, 1000});
  const StepWindow cut = window_of(maker);
  CHECK(cut.window == Interval{8000, 9000});
  CHECK(cut.leading->gap_ns == 2999);
  CHECK(cut.leading->events == 2);
}

TEST_CASE("a trailing stray is cut likewise, mirrored") {
  TraceMaker maker;
  maker.add({"work", 0, 1000}).add({"s", 2000, 1}).add({"s", 9000, 1});
  const StepWindow cut = window_of(maker);
  CHECK(cut.window == Interval{0, 1000});
  REQUIRE(cut.trailing.has_value());
  CHECK(cut.trailing->gap_ns == 1000);
  CHECK(cut.trailing->events == 2);
  CHECK(cut.trailing->busy_ns == 2);
}

TEST_CASE("nothing but events without duration") {
  TraceMaker maker;
  maker.add({"a", 10, 0}).add({"b", 20, 0});
  CHECK(window_of(maker).window == Interval{10, 10});
}

TEST_CASE("the neighbours' work bounds the window; what is cut off is prefetch") {
  TraceMaker maker;
  maker.add({"early", 0, 5, "8"}).add({"into", 8, 4, "8"}).add({"work", 12, 50, "7"});
  maker.add({"late", 61, 3, "8"});
  const StepWindow cut = window_of(maker, 10, 60);
  CHECK(cut.window == Interval{10, 60});
  CHECK(cut.early_events == 1);  // "into" reaches into the window
  CHECK(cut.late_events == 1);
  const StepWindow outside = window_of(maker, -5, 100);
  CHECK(outside.window == Interval{0, 64});
  CHECK(outside.early_events == 0);
}

TEST_CASE("three marked steps: spans, periods and gaps") {
  // attn 20, 21, 22 long and moe 10 at the end of each span of 35; starts 100 and 110 apart.
  TraceMaker maker;
  const Ns starts[] = {1000, 1100, 1210};
  for (int i = 0; i < 3; ++i) {
    const Ns at_ns = starts[i];
    maker.mark("execute_context_0(0)_generation_4(4)", at_ns - 50, at_ns - 1);
    maker.mark("step[DECODE bs=4]", at_ns - 40, at_ns - 10);
    maker.launched({"attn", at_ns, 20 + i}, at_ns - 45);
    maker.launched({"moe", at_ns + 25, 10}, at_ns - 20);
  }
  const TraceFixture fixture(maker);
  const StepSet set = find_steps(fixture.view, LaunchLinks(fixture.trace), fixture.device());
  const auto steps = measure_steps(fixture.view, fixture.device(), set);
  REQUIRE(steps.size() == 3);
  for (int i = 0; i < 3; ++i) {
    const Step& step = steps[static_cast<std::size_t>(i)].step;
    CHECK(step.index == i);
    CHECK(step.label == "step[DECODE bs=4]");
    CHECK(step.start_ns == starts[i] - 1000);
    CHECK(step.span_ns == 35);
    CHECK(step.busy_ns == 30 + i);
    CHECK(step.events == 2);
  }
  CHECK(steps[0].step.period_ns == 100);
  CHECK(steps[0].step.gap_ns == 65);
  CHECK(steps[1].step.period_ns == 110);
  CHECK_FALSE(steps[2].step.period_ns.has_value());
}

TEST_CASE("a pipelined step's prefetch on another stream does not stretch its window") {
  // Step 2 copies at 50-60 on stream 8 while step 1 works until 100 on stream 7.
  TraceMaker maker;
  maker.mark("step[DECODE bs=1]", 0, 10).mark("step[DECODE bs=1]", 10, 20);
  maker.launched({"a", 0, 100, "7"}, 1);
  maker.launched({"copy", 50, 10, "8"}, 11).launched({"a", 110, 100, "7"}, 12);
  const TraceFixture fixture(maker);
  const StepSet set = find_steps(fixture.view, LaunchLinks(fixture.trace), fixture.device());
  const auto steps = measure_steps(fixture.view, fixture.device(), set);
  REQUIRE(steps.size() == 2);
  CHECK(steps[1].cut.window == Interval{100, 210});
  CHECK(steps[1].cut.early_events == 1);
  CHECK(steps[1].step.busy_ns == 100);
  CHECK(steps[0].step.period_ns == 100);
  CHECK(steps[0].step.gap_ns == 0);
}

TEST_CASE("steps are numbered by their work on the primary stream") {
  // The second marker's work starts earlier on stream 7, though its copy comes last.
  TraceMaker maker;
  maker.mark("step[DECODE bs=1]", 0, 10).mark("step[DECODE bs=2]", 10, 20);
  maker.launched({"copy", 0, 1, "8"}, 1).launched({"a", 200, 50, "7"}, 2);
  maker.launched({"a", 100, 50, "7"}, 11).launched({"copy", 300, 1, "8"}, 12);
  const TraceFixture fixture(maker);
  const StepSet set = find_steps(fixture.view, LaunchLinks(fixture.trace), fixture.device());
  const auto steps = measure_steps(fixture.view, fixture.device(), set);
  REQUIRE(steps.size() == 2);
  CHECK(steps[0].batch_size == 2);
  CHECK(steps[1].batch_size == 1);
}

TEST_CASE("a step says what its marker says of the batch") {
  TraceMaker maker;
  maker.mark("step[DECODE bs=2 toks=2 g_sk=30]", 0, 10).launched({"a", 20, 5}, 1);
  const TraceFixture fixture(maker);
  const StepSet set = find_steps(fixture.view, LaunchLinks(fixture.trace), fixture.device());
  const auto steps = measure_steps(fixture.view, fixture.device(), set);
  REQUIRE(steps.size() == 1);
  CHECK(steps[0].step.batch_size == 2);
  CHECK(steps[0].step.tokens == 2);
  CHECK(steps[0].step.kv_tokens == 30);
}
