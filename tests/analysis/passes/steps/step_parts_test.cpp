#include "analysis/passes/steps/step_parts.h"

#include <doctest/doctest.h>

#include "tests/analysis/passes/trace_fixture.h"

using namespace stepscope::analysis;
using namespace stepscope::tests;

namespace {

std::vector<StepPart> parts_of(const TraceMaker& maker, std::size_t at) {
  const TraceFixture fixture(maker);
  const LaunchLinks links(fixture.trace);
  const StepSet set = find_steps(fixture.view, links, fixture.device());
  const auto steps = measure_steps(fixture.view, fixture.device(), set);
  REQUIRE(at < steps.size());
  return step_parts(fixture.view, links, fixture.device(), steps, at);
}

MeasuredStep step(const std::string& phase) {
  MeasuredStep made;
  made.step.phase = phase;
  return made;
}

using Range = std::pair<std::size_t, std::size_t>;

}  // namespace

TEST_CASE("markers inside the step's own are its parts, by where their events were launched") {
  TraceMaker maker;
  maker.mark("execute_8_context_0(sq0sk0)_generation_4(sq8sk90)", 0, 100);
  maker.mark("step[TARGET_VERIFY bs=4]", 10, 40).mark("step[DRAFT_EXTEND bs=4]", 50, 80);
  maker.launched({"setup", 200, 10}, 5);
  maker.launched({"a", 220, 10}, 12).launched({"b", 225, 15}, 14);  // union 220-240
  maker.launched({"c", 250, 10}, 55).launched({"d", 270, 10}, 60);  // extent 250-280, busy 20
  maker.launched({"sample", 300, 10}, 90);
  const auto parts = parts_of(maker, 0);
  REQUIRE(parts.size() == 2);
  CHECK(parts[0].phase == "verify");
  CHECK(parts[0].label == "step[TARGET_VERIFY bs=4]");
  CHECK(parts[0].start_ns == 20);  // the window begins at 200
  CHECK(parts[0].wall_ns == 20);
  CHECK(parts[0].busy_ns == 20);
  CHECK(parts[0].events == 2);
  CHECK(parts[1].phase == "draft");
  CHECK(parts[1].start_ns == 50);
  CHECK(parts[1].wall_ns == 30);
  CHECK(parts[1].busy_ns == 20);
}

TEST_CASE("one marker inside is no part, and a marker of the same span is not the step itself") {
  TraceMaker maker;
  maker.mark("execute_4_context_0(sq0sk0)_generation_4(sq4sk90)", 0, 100);
  maker.mark("step[DECODE bs=4]", 0, 100);
  maker.launched({"a", 220, 10}, 12);
  CHECK(parts_of(maker, 0).empty());
}

TEST_CASE("parts without device events are none") {
  TraceMaker maker;
  maker.mark("execute_8_context_0(sq0sk0)_generation_4(sq8sk90)", 0, 100);
  maker.mark("step[TARGET_VERIFY bs=4]", 10, 40).mark("step[DRAFT_EXTEND bs=4]", 50, 80);
  maker.launched({"a", 220, 10}, 12);
  CHECK(parts_of(maker, 0).empty());
}

TEST_CASE("without launches the spans on the device tell the parts") {
  TraceMaker maker;
  maker.mark("execute_8_context_0(sq0sk0)_generation_4(sq8sk90)", 0, 100,
             MarkerKind::gpu_annotation);
  maker.mark("step[TARGET_VERIFY bs=4]", 10, 40, MarkerKind::gpu_annotation);
  maker.mark("step[DRAFT_EXTEND bs=4]", 50, 80, MarkerKind::gpu_annotation);
  maker.add({"a", 10, 30}).add({"b", 50, 30});
  const auto parts = parts_of(maker, 0);
  REQUIRE(parts.size() == 2);
  CHECK(parts[0].wall_ns == 30);
  CHECK(parts[1].start_ns == 40);
}

TEST_CASE("verify and draft as steps of their own stand side by side") {
  // Two cycles of verify and draft; each kernel starts 100 after its launch.
  TraceMaker maker;
  for (const Ns at : {0, 1000}) {
    maker.mark("step[TARGET_VERIFY bs=1]", at, at + 50).launched({"v", at + 105, 40}, at + 5);
    maker.mark("step[DRAFT_EXTEND bs=1]", at + 60, at + 90).launched({"d", at + 165, 20}, at + 65);
  }
  const auto of_verify = parts_of(maker, 2);
  REQUIRE(of_verify.size() == 2);
  CHECK(of_verify[0].phase == "verify");
  CHECK(of_verify[0].start_ns == 0);
  CHECK(of_verify[0].wall_ns == 40);
  CHECK(of_verify[1].phase == "draft");
  CHECK(of_verify[1].start_ns == 60);
  CHECK(of_verify[1].wall_ns == 20);
  CHECK(of_verify[1].busy_ns == 20);
  CHECK(of_verify[1].events == 1);
  const auto of_draft = parts_of(maker, 1);  // relative to the draft's own window
  REQUIRE(of_draft.size() == 2);
  CHECK(of_draft[0].start_ns == -60);
  CHECK(of_draft[1].start_ns == 0);
}

TEST_CASE("a cycle is a verify step and the draft work after it") {
  const std::vector<MeasuredStep> steps = {step("prefill"), step("draft"),   step("verify"),
                                           step("draft"),   step("decode"),  step("verify"),
                                           step("draft"),   step("prefill"), step("draft")};
  CHECK(speculative_cycle(steps, 0) == Range{0, 1});
  CHECK(speculative_cycle(steps, 1) == Range{1, 2});  // no verify step before it
  CHECK(speculative_cycle(steps, 2) == Range{2, 5});
  CHECK(speculative_cycle(steps, 4) == Range{2, 5});
  CHECK(speculative_cycle(steps, 6) == Range{5, 7});
  CHECK(speculative_cycle(steps, 8) == Range{8, 9});
}

TEST_CASE("a long run of decode steps after a verify step is plain decoding") {
  std::vector<MeasuredStep> steps = {step("verify")};
  for (int i = 0; i < 100; ++i) steps.push_back(step("decode"));
  CHECK(speculative_cycle(steps, 0) == Range{0, 1});
  CHECK(speculative_cycle(steps, 3) == Range{3, 4});
  CHECK(speculative_cycle(steps, 90) == Range{90, 91});
}
