#include "analysis/passes/steps/step_markers.h"

#include <doctest/doctest.h>

#include "tests/analysis/passes/trace_fixture.h"

using namespace stepscope::analysis;
using namespace stepscope::tests;

TEST_CASE("nested markers: the outermost bounds, the inner step span names") {
  TraceMaker maker;
  maker.add({"k", 0, 1});
  maker.mark("execute_context_0(0)_generation_4(4)", 0, 100).mark("step[DECODE bs=4]", 10, 90);
  maker.mark("step[EXTEND bs=2 toks=64]", 100, 200);
  const Trace trace = maker.build();
  const std::vector<StepMarker> outer = outermost(trace, trace.markers);
  REQUIRE(outer.size() == 2);
  CHECK(outer[0].span == Interval{0, 100});
  CHECK(trace.names[outer[0].name] == "execute_context_0(0)_generation_4(4)");
  CHECK(trace.names[outer[0].step_span.value()] == "step[DECODE bs=4]");
  CHECK(outer[0].text.form == MarkerForm::bracket);
  CHECK(outer[0].text.phase == "decode");
  CHECK_FALSE(outer[0].text.tokens.has_value());  // of the step span, which names none
  CHECK(outer[1].text.tokens == 64);
}

TEST_CASE("markers that overlap without nesting are both kept; equal ones are one") {
  TraceMaker maker;
  maker.mark("step[DECODE bs=1]", 0, 10).mark("step[DECODE bs=2]", 5, 15);
  maker.mark("step[DECODE bs=3]", 5, 15);
  const Trace trace = maker.build();
  const std::vector<StepMarker> outer = outermost(trace, trace.markers);
  REQUIRE(outer.size() == 2);
  CHECK(outer[1].text.batch_size == 2);
}

TEST_CASE("an event belongs to the first marker with start <= time < end") {
  TraceMaker maker;
  maker.mark("step[DECODE bs=1]", 0, 10).mark("step[DECODE bs=2]", 5, 15);
  maker.mark("step[DECODE bs=3]", 20, 30).mark("step[DECODE bs=4]", 40, 50);
  for (const Ns at : {0, 7, 10, 15, 20, 29, 30}) maker.add({"k", at, 1});
  const TraceFixture fixture(maker);
  const auto steps = steps_of_markers(
      fixture.trace, outermost(fixture.trace, fixture.trace.markers), fixture.device().events,
      [&](EventIndex event) { return std::optional(fixture.view.event(event).start_ns); });
  // 0 and 7 (also in the second, which comes later), 10; 15 is in none; 20 and 29; 30 in none.
  REQUIRE(steps.size() == 3);
  CHECK(steps[0].events == std::vector<EventIndex>{0, 1});
  CHECK(steps[1].events == std::vector<EventIndex>{2});
  CHECK(steps[2].events == std::vector<EventIndex>{4, 5});
  CHECK(steps[2].label == "step[DECODE bs=3]");
  CHECK(steps[2].batch_size == 3);
}

TEST_CASE("an event without a time belongs to no marker") {
  TraceMaker maker;
  maker.mark("step[DECODE bs=1]", 0, 10).add({"k", 1, 1});
  const TraceFixture fixture(maker);
  const auto steps =
      steps_of_markers(fixture.trace, outermost(fixture.trace, fixture.trace.markers),
                       fixture.device().events, [](EventIndex) { return std::optional<Ns>(); });
  CHECK(steps.empty());
}
