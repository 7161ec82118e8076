#include "analysis/passes/steps/step_choice.h"

#include <doctest/doctest.h>

#include <algorithm>

using namespace stepscope::analysis;

namespace {

MeasuredStep step(const std::string& phase, Ns span_ns, Ns busy_ns,
                  std::optional<std::int64_t> batch_size = {}) {
  MeasuredStep made;
  made.step.phase = phase;
  made.step.source = "engine";
  made.step.span_ns = span_ns;
  made.step.busy_ns = busy_ns;
  made.batch_size = batch_size;
  return made;
}

std::vector<MeasuredStep> numbered(std::vector<MeasuredStep> steps) {
  for (std::size_t i = 0; i < steps.size(); ++i) steps[i].step.index = static_cast<int>(i);
  return steps;
}

StepPick median_of(const std::vector<MeasuredStep>& steps, const std::string& phase = "decode",
                   std::optional<int> concurrency = {}) {
  AnalyzeOptions options;
  options.concurrency = concurrency;
  const auto picks = choose_steps(steps, phase, options);
  REQUIRE(picks.has_value());
  REQUIRE(picks->size() == 1);
  return picks->front();
}

bool says(const std::vector<std::string>& notes, const std::string& sentence) {
  return std::find(notes.begin(), notes.end(), sentence) != notes.end();
}

Device device(ScopeId scope, std::optional<int> rank) {
  Device made;
  made.scope = scope;
  made.rank = rank;
  return made;
}

}  // namespace

TEST_CASE("step 0 is left out, then the lower median by span, busy time and index") {
  // Spans are equal, so busy time 31 < 32 decides: of two the lower is the first, index 1.
  const auto steps =
      numbered({step("decode", 35, 30), step("decode", 35, 31), step("decode", 35, 32)});
  const StepPick pick = median_of(steps);
  CHECK(pick.step == 1);
  CHECK(pick.spread.count == 2);
  CHECK(pick.spread.of == 3);
  CHECK(pick.spread.min_ns == 35);
  CHECK(pick.spread.median_ns == 35);
  CHECK(pick.spread.max_ns == 35);
  CHECK(pick.spread.first_left_out);
  CHECK_FALSE(pick.spread.only_first);
  CHECK(says(pick.notes, "step 0 left out: the first after the profiler started"));
}

TEST_CASE("the lower of two middles") {
  const auto steps = numbered({step("decode", 99, 1), step("decode", 40, 1), step("decode", 10, 1),
                               step("decode", 30, 1), step("decode", 20, 1)});
  CHECK(median_of(steps).step == 4);  // 10 20 30 40
  CHECK(median_of(steps).spread.median_ns == 20);
}

TEST_CASE("step 0 stays when it is the only one, and is named as what it is") {
  const StepPick pick = median_of(numbered({step("decode", 35, 30), step("prefill", 50, 40)}));
  CHECK(pick.step == 0);
  CHECK(pick.spread.only_first);
  CHECK_FALSE(pick.spread.first_left_out);
  CHECK(says(pick.notes, "first step after the profiler started"));
}

TEST_CASE("the first step of a phase that is not the rank's first is kept") {
  const StepPick pick =
      median_of(numbered({step("prefill", 50, 40), step("decode", 20, 1), step("decode", 30, 1)}));
  CHECK(pick.step == 1);
  CHECK(pick.spread.count == 2);
}

TEST_CASE("an unknown phase answers any question, and says so") {
  const StepPick pick = median_of(numbered({step("unknown", 35, 30)}), "prefill");
  CHECK(pick.step == 0);
  CHECK(says(pick.notes, "the phase of the step is unknown; it answers for prefill"));
  const auto none = choose_steps(numbered({step("decode", 1, 1)}), "prefill", {});
  REQUIRE(none.has_value());
  CHECK(none->empty());
}

TEST_CASE("verify steps answer for decode when no step is marked so") {
  const auto verify = numbered({step("verify", 9, 1), step("draft", 3, 1), step("verify", 40, 1),
                                step("draft", 3, 1), step("verify", 20, 1), step("draft", 3, 1)});
  const StepPick pick = median_of(verify);
  CHECK(pick.step == 4);
  CHECK(pick.spread.count == 2);
  const std::string note =
      "speculative decoding: no step is marked decode, so a verify step is shown";
  CHECK(says(pick.notes, note));
  CHECK_FALSE(says(median_of(verify, "verify").notes, note));
  CHECK(median_of(verify, "draft").step == 3);
  AnalyzeOptions options;
  options.step = StepChoice::all;
  const auto all = choose_steps(verify, "decode", options);
  REQUIRE(all.has_value());
  CHECK(all->size() == 3);
  CHECK(says(all->at(1).notes, note));
  const auto none = choose_steps(verify, "prefill", {});
  REQUIRE(none.has_value());
  CHECK(none->empty());
}

TEST_CASE("decode steps beside verify steps are shown as asked, with a word of caution") {
  const auto both = numbered({step("verify", 9, 1), step("decode", 3, 1), step("decode", 4, 1)});
  const StepPick pick = median_of(both);
  CHECK(pick.step == 1);
  CHECK(says(pick.notes,
             "the trace has 1 verify step as well: with speculative decoding a decode step may be "
             "the draft model's"));
}

TEST_CASE("the period of a verify step reaches over its draft work") {
  auto steps = numbered({step("verify", 9, 1), step("draft", 3, 1), step("verify", 9, 1),
                         step("draft", 3, 1), step("verify", 9, 1), step("draft", 3, 1)});
  const Ns starts_ns[] = {0, 10, 20, 31, 45, 55};
  for (std::size_t i = 0; i < steps.size(); ++i) {
    steps[i].step.start_ns = starts_ns[i];
    if (i + 1 < steps.size()) steps[i].step.period_ns = starts_ns[i + 1] - starts_ns[i];
  }
  // The second cycle is 20 to 45; the last one has no end in the file.
  CHECK(median_of(steps, "verify").spread.median_period_ns == 25);
  CHECK(median_of(steps, "draft").spread.median_period_ns == 10);  // of 10 and 14
}

TEST_CASE("groups by batch size: the asked one, else the largest") {
  const auto steps =
      numbered({step("decode", 9, 1, 4), step("decode", 50, 1, 4), step("decode", 20, 1, 8),
                step("decode", 21, 1, 8), step("decode", 22, 1, 8), step("decode", 60, 1, 4)});
  CHECK(median_of(steps).step == 3);
  CHECK(says(median_of(steps).notes, "steps of batch size 8; 2 steps of other sizes left out"));
  const StepPick asked = median_of(steps, "decode", 4);
  CHECK(asked.step == 1);
  CHECK(asked.spread.count == 2);
  const StepPick missing = median_of(steps, "decode", 16);
  CHECK(missing.step == 3);
  CHECK(says(missing.notes, "no step has batch size 16; the largest group is shown"));
  const auto unnamed = numbered({step("decode", 9, 1), step("decode", 10, 1)});
  CHECK(says(median_of(unnamed, "decode", 16).notes,
             "the steps name no batch size, so 16 could not be looked for"));
}

TEST_CASE("groups of one size: the busiest, then the first") {
  const auto steps = numbered({step("prefill", 9, 9, 1), step("prefill", 20, 5, 2),
                               step("prefill", 20, 7, 3), step("prefill", 20, 7, 4)});
  CHECK(median_of(steps, "prefill").step == 2);
}

TEST_CASE("a step by its index, with the spread of its like") {
  AnalyzeOptions options;
  options.step = StepChoice::index;
  options.step_index = 2;
  const auto steps = numbered({step("decode", 9, 1, 4), step("prefill", 50, 1),
                               step("decode", 20, 1, 4), step("decode", 30, 1, 4)});
  const auto picks = choose_steps(steps, "prefill", options);
  REQUIRE(picks.has_value());
  CHECK(picks->at(0).step == 2);
  CHECK(picks->at(0).spread.count == 2);
  CHECK(picks->at(0).spread.max_ns == 30);
  options.step_index = 4;
  CHECK(choose_steps(steps, "decode", options).error() ==
        "there is no step 4: the trace has 4 steps, counted from 0");
  options.step_index = -1;
  CHECK_FALSE(choose_steps(steps, "decode", options).has_value());
}

TEST_CASE("all steps of the phase, the first too") {
  AnalyzeOptions options;
  options.step = StepChoice::all;
  const auto steps =
      numbered({step("decode", 9, 1), step("prefill", 50, 1), step("decode", 20, 1)});
  const auto picks = choose_steps(steps, "decode", options);
  REQUIRE(picks.has_value());
  REQUIRE(picks->size() == 2);
  CHECK(picks->at(0).step == 0);
  CHECK(picks->at(1).step == 2);
  CHECK(picks->at(0).spread.count == 1);  // compared are those after the first
}

TEST_CASE("median period over the compared steps that have one") {
  auto steps = numbered(
      {step("decode", 9, 1), step("decode", 9, 1), step("decode", 9, 1), step("decode", 9, 1)});
  steps[0].step.period_ns = 1;
  steps[1].step.period_ns = 12;
  steps[1].step.gap_ns = 3;
  steps[2].step.period_ns = 10;
  CHECK(median_of(steps).spread.median_period_ns == 10);
}

TEST_CASE("steps that overlap are called so") {
  auto steps = numbered({step("decode", 9, 1)});
  steps[0].step.period_ns = 7;
  steps[0].step.gap_ns = -2;
  CHECK(says(median_of(steps).notes, "steps overlap"));
}

TEST_CASE("without a question the phase with most busy time") {
  const auto first = numbered({step("decode", 1, 10), step("prefill", 1, 15)});
  const auto second = numbered({step("decode", 1, 6)});
  const std::vector<DeviceSteps> one = {first};
  CHECK(choose_phase(one, {}).phase == "prefill");
  const std::vector<DeviceSteps> both = {first, second};
  const PhaseChoice choice = choose_phase(both, {});
  CHECK(choice.phase == "decode");
  CHECK(says(choice.notes, "no phase was asked for; decode has most of the busy time"));
  CHECK(choose_phase(both, "prefill").phase == "prefill");
  CHECK(choose_phase(both, "prefill").notes.empty());
  CHECK_FALSE(choose_phase({}, {}).phase.has_value());
}

TEST_CASE("the lowest rank unless another is asked for") {
  // In the order of the table: ranks rise, those without a rank come last.
  const std::vector<Device> devices = {device(2, 1), device(0, 3), device(0, 3), device(1, {})};
  CHECK(devices_of_rank(devices, {}).value() == std::vector<std::size_t>{0});
  CHECK(devices_of_rank(devices, 3).value() == std::vector<std::size_t>{1, 2});
  CHECK(devices_of_rank(devices, 0).error() ==
        "there is no rank 0: the trace has device events of rank 1, 3");
  const std::vector<Device> unnamed = {device(0, {}), device(0, {}), device(1, {})};
  CHECK(devices_of_rank(unnamed, {}).value() == std::vector<std::size_t>{0, 1});
  CHECK(devices_of_rank(unnamed, 0).error() == "there is no rank 0: the trace names no ranks");
}
