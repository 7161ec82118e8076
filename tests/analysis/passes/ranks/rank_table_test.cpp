#include "analysis/passes/ranks/rank_table.h"

#include <doctest/doctest.h>

#include "tests/analysis/passes/rank_fixture.h"

using namespace stepscope::analysis;
using namespace stepscope::tests;

namespace {

struct StepSpec {
  Ns start_ns = 0;
  Ns end_ns = 0;
  std::string phase = "decode";
};

// Devices with steps of one event each.
struct Steps {
  Steps(TraceMaker maker, std::vector<std::vector<StepSpec>> specs) : fixture(maker) {
    for (std::size_t d = 0; d < specs.size(); ++d) {
      const Device& device = fixture.table.devices.at(d);
      StepSet set;
      for (std::size_t i = 0; i < specs[d].size(); ++i) {
        OwnedStep step;
        step.phase = specs[d][i].phase;
        step.events = {device.events.at(i)};
        set.steps.push_back(std::move(step));
      }
      steps.push_back(measure_steps(fixture.view, device, set));
    }
  }

  RankSteps same(std::size_t device, std::size_t step) const {
    return same_step(fixture.view, fixture.table.devices, steps, device, step);
  }

  RankFixture fixture;
  std::vector<std::vector<MeasuredStep>> steps;
};

// One device for each rank.
Steps of_ranks(const std::vector<std::vector<StepSpec>>& specs) {
  RankMaker run(static_cast<int>(specs.size()));
  for (std::size_t rank = 0; rank < specs.size(); ++rank) {
    for (const StepSpec& step : specs[rank]) {
      run.call(static_cast<int>(rank), step.start_ns, step.end_ns, "nvjet_tst_64x8");
    }
  }
  return {run.maker, specs};
}

std::vector<int> indices(const RankSteps& same) {
  std::vector<int> found;
  for (const RankStep& rank : same.ranks) found.push_back(rank.step->step.index);
  return found;
}

}  // namespace

TEST_CASE("the step that overlaps the shown one longest, on every rank") {
  // Rank 1 began to record one step later: its step 0 is rank 0's step 1.
  const Steps run = of_ranks({{{0, 90}, {100, 190}, {200, 290}},
                              {{105, 195}, {205, 295}},
                              {{40, 130}, {140, 230}, {240, 300}}});
  const RankSteps same = run.same(0, 1);
  // Rank 2: [40, 130) shares 30 ns with [100, 190), [140, 230) shares 50.
  CHECK(indices(same) == std::vector<int>{1, 0, 1});
  CHECK(same.shown == 0);
  CHECK(same.notes == std::vector<std::string>{"ranks have 2 to 3 steps"});
  CHECK(run.same(1, 0).shown == 1);
  CHECK(indices(run.same(1, 0)) == std::vector<int>{1, 0, 1});
}

TEST_CASE("clocks that do not compare: the same number when there are equally many steps") {
  const Steps run = of_ranks({{{0, 90}, {100, 190}},
                              {{5'000, 5'090}, {5'100, 5'190}},
                              {{7'000, 7'090}, {7'100, 7'190}, {7'200, 7'290}}});
  const RankSteps same = run.same(0, 1);
  CHECK(indices(same) == std::vector<int>{1, 1});
  CHECK(same.ranks[1].rank == 1);
  CHECK(same.notes == std::vector<std::string>{
                          "rank 1 has no step at this time: the one of the same number is taken",
                          "rank 2 has no step at this time", "ranks have 2 to 3 steps"});
}

TEST_CASE("a step of another time is taken only when it is of the shown phase") {
  // Equally many steps that never overlap, as in a decode file of one rank and a prefill file of
  // another; the third rank's clock is off.
  const Steps run = of_ranks({{{0, 90}, {100, 190}},
                              {{5'000, 5'900, "prefill"}, {6'000, 6'900, "prefill"}},
                              {{9'000, 9'090}, {9'100, 9'190}}});
  const RankSteps same = run.same(0, 1);
  CHECK(indices(same) == std::vector<int>{1, 1});
  CHECK(same.ranks[1].rank == 2);
  CHECK(same.notes == std::vector<std::string>{
                          "rank 1 has no step at this time",
                          "rank 2 has no step at this time: the one of the same number is taken"});
}

TEST_CASE("a rank without steps is left out and named") {
  const Steps run = of_ranks({{{0, 90}}, {{0, 95}}});
  auto steps = run.steps;
  steps[1].clear();
  const RankSteps same = same_step(run.fixture.view, run.fixture.table.devices, steps, 0, 0);
  CHECK(indices(same) == std::vector<int>{0});
  CHECK(same.notes == std::vector<std::string>{"rank 1 has no step"});
}

TEST_CASE("of a rank's devices the first with a step of the phase at this time") {
  TraceMaker maker;
  const ScopeId first = maker.scope(0);
  const ScopeId second = maker.scope(1);
  const auto gemm = [&](ScopeId scope, const std::string& device, Ns start_ns, Ns end_ns) {
    maker.add({.name = "nvjet_tst_64x8",
               .start_ns = start_ns,
               .dur_ns = end_ns - start_ns,
               .device = device,
               .scope = scope});
  };
  gemm(first, "0", 0, 100);
  gemm(first, "1", 0, 50);
  gemm(second, "0", 0, 100);
  gemm(second, "1", 200, 300);
  gemm(second, "2", 50, 60);
  const Steps run(maker, {{{0, 100, "decode"}},
                          {{0, 50, "decode"}},
                          {{0, 100, "prefill"}},
                          {{200, 300, "decode"}},
                          {{50, 60, "decode"}}});
  const RankSteps same = run.same(1, 0);
  REQUIRE(same.ranks.size() == 2);
  CHECK(same.ranks[0].device->device == "1");  // the shown one
  CHECK(same.ranks[1].rank == 1);
  CHECK(same.ranks[1].device->device == "1");  // no step overlaps [0, 50): the first of decode
  CHECK(run.same(0, 0).ranks[1].device->device == "2");
}

TEST_CASE("processes without a rank's number stand for themselves, after the others") {
  TraceMaker maker;
  const ScopeId other = maker.scope({});
  const ScopeId numbered = maker.scope(4);
  for (const ScopeId scope : {ScopeId{0}, other, numbered}) {
    maker.add({.name = "nvjet_tst_64x8", .start_ns = 0, .dur_ns = 10, .scope = scope});
  }
  const Steps run(maker, {{{0, 10}}, {{0, 10}}, {{0, 10}}});
  const RankSteps same = run.same(1, 0);
  REQUIRE(same.ranks.size() == 3);
  CHECK(same.ranks[0].rank == 4);
  CHECK(!same.ranks[1].rank);
  CHECK(same.shown == 1);
}

TEST_CASE("rows of the ranks: each over its own window, waits where they can be told") {
  // Rank 0 waits 40 of its all-reduce, under which nothing runs; the expert GEMM of rank 1 hides
  // half of its own: exposed 20 - 10.
  RankMaker run(2);
  run.call(0, 0, 30, "bmm_E2m1_E2m1E2m1_Fp32_t128x8x512");
  run.call(0, 30, 100);
  run.call(0, 110, 120, "nvjet_tst_64x8");
  run.call(1, 70, 100).call(1, 0, 80, "bmm_E2m1_E2m1E2m1_Fp32_t128x8x512", "9");
  const RankFixture fixture(run.maker);
  const RankSteps same = same_step(fixture.view, fixture.table.devices, fixture.steps, 0, 0);
  std::vector<RankRow> rows = rank_rows(fixture.view, LaunchLinks(fixture.trace), same);
  REQUIRE(rows.size() == 2);
  CHECK(rows[0].rank == 0);
  CHECK(rows[0].shown);
  CHECK(!rows[1].shown);
  CHECK(rows[0].wall_ns == 120);
  CHECK(rows[0].busy_ns == 110);
  CHECK(rows[0].compute_ns == 40);
  CHECK(rows[0].comm_exposed_ns == 70);
  CHECK(rows[0].moe_ns == 30);
  CHECK(rows[1].wall_ns == 100);
  CHECK(rows[1].compute_ns == 80);
  CHECK(rows[1].comm_exposed_ns == 20);
  CHECK(rows[1].moe_ns == 80);
  CHECK(!rows[0].wait_ns);

  const auto match = match_collectives(fixture.view, same.ranks, same.shown, 2);
  REQUIRE(match);
  add_waits(rows, same, *match);
  CHECK(rows[0].wait_ns == 40);
  CHECK(rows[0].transfer_ns == 30);
  CHECK(rows[1].wait_ns == 0);
  CHECK(rows[1].transfer_ns == 30);
}

TEST_CASE("a rank whose calls all lack a partner has no wait, not a wait of 0") {
  RankMaker run(2);
  run.call(0, 0, 100).call(1, 200, 300).call(1, 90, 95, "nvjet_tst_64x8");
  const RankFixture fixture(run.maker);
  const RankSteps same = same_step(fixture.view, fixture.table.devices, fixture.steps, 0, 0);
  std::vector<RankRow> rows = rank_rows(fixture.view, LaunchLinks(fixture.trace), same);
  add_waits(rows, same, *match_collectives(fixture.view, same.ranks, same.shown, 2));
  CHECK(!rows.at(0).wait_ns);
  CHECK(!rows.at(1).transfer_ns);
}
