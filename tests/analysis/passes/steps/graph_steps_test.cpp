#include "analysis/passes/steps/graph_steps.h"

#include <doctest/doctest.h>

#include "tests/analysis/passes/trace_fixture.h"

using namespace stepscope::analysis;
using namespace stepscope::tests;

namespace {

// A graph replay of `layers` layers (attn, gemm, moe; 10 each) from start_ns on.
void replay(TraceMaker& maker, Ns start_ns, std::int64_t correlation, int layers = 3) {
  maker.launch("cudaGraphLaunch", start_ns - 5, 1, correlation);
  for (int i = 0; i < layers; ++i) {
    for (const char* name : {"attn", "gemm", "moe"}) {
      maker.add({name, start_ns, 10, "7", correlation});
      start_ns += 10;
    }
  }
}

std::vector<OwnedStep> graph_steps_of(const TraceMaker& maker) {
  const TraceFixture fixture(maker);
  return graph_steps(fixture.view, LaunchLinks(fixture.trace), fixture.device(),
                     work_ns_of(fixture.view, fixture.device().events));
}

std::vector<std::size_t> sizes(const std::vector<OwnedStep>& steps) {
  std::vector<std::size_t> found;
  for (const OwnedStep& step : steps) found.push_back(step.events.size());
  return found;
}

}  // namespace

TEST_CASE("every replay that holds whole layers is a step") {
  TraceMaker maker;
  replay(maker, 100, 1);
  replay(maker, 300, 2);
  const auto steps = graph_steps_of(maker);
  CHECK(sizes(steps) == std::vector<std::size_t>{9, 9});
  CHECK(steps[0].label == "cudaGraphLaunch");
}

TEST_CASE("graphs with fewer than three attention groups are pieces, no steps") {
  TraceMaker maker;
  replay(maker, 100, 1, 2);
  replay(maker, 300, 2, 2);
  CHECK(graph_steps_of(maker).empty());
}

TEST_CASE("graphs that hold less than half of the busy time are no steps") {
  TraceMaker maker;
  replay(maker, 100, 1);        // 90
  maker.add({"add", 500, 90});  // exactly half is enough
  CHECK(graph_steps_of(maker).size() == 1);
  maker.add({"add", 700, 1});
  CHECK(graph_steps_of(maker).empty());
}

TEST_CASE("events between replays are split at the longest idle gap") {
  // Replays 100-190 and 300-390. Sampling at 195-200 and 205-210, set-up at 280-285: the gap of 70
  // before 280 is the longest, so two events go back and one forward. What comes before the first
  // replay is its own, and what follows the last one too.
  TraceMaker maker;
  maker.add({"add", 50, 5});
  replay(maker, 100, 1);
  maker.add({"add", 195, 5}).add({"add", 205, 5}).add({"add", 280, 5});
  replay(maker, 300, 2);
  maker.add({"add", 400, 5});
  CHECK(sizes(graph_steps_of(maker)) == std::vector<std::size_t>{1 + 9 + 2, 1 + 9 + 1});
}

TEST_CASE("when the longest gap lies before the next replay all go to the step before") {
  TraceMaker maker;
  replay(maker, 100, 1);
  maker.add({"add", 195, 5});
  replay(maker, 300, 2);
  CHECK(sizes(graph_steps_of(maker)) == std::vector<std::size_t>{10, 9});
}

TEST_CASE("an eager stretch with whole layers between replays is a step of its own") {
  TraceMaker maker;
  replay(maker, 100, 1);
  Ns at_ns = 200;
  for (int i = 0; i < 3; ++i) {
    for (const char* name : {"attn", "gemm", "gemm"}) {
      maker.add({name, at_ns, 5});
      at_ns += 6;
    }
  }
  replay(maker, 300, 2);
  const auto steps = graph_steps_of(maker);
  REQUIRE(steps.size() == 3);
  CHECK(steps[2].label == "eager");
  CHECK(sizes(steps) == std::vector<std::size_t>{9, 9, 9});
}

TEST_CASE("draft work between the replays of a deeper model is no step") {
  // Verify 100-340 and 600-840 of 8 layers, between them a draft graph of 3 (400-490), fewer than
  // half of 8. The longest gap is the one of 110 behind it, so it goes to the step before.
  TraceMaker maker;
  replay(maker, 100, 1, 8);
  replay(maker, 400, 2, 3);
  replay(maker, 600, 3, 8);
  const auto steps = graph_steps_of(maker);
  CHECK(sizes(steps) == std::vector<std::size_t>{24 + 9, 24});
}

TEST_CASE("a draft graph launched again and again is no eager step") {
  // Three draft launches of one layer each: 3 attention groups, fewer than half of 8. They follow
  // at 345, the gap of 5 before them is shorter than the one before 600.
  TraceMaker maker;
  replay(maker, 100, 1, 8);
  for (int i = 0; i < 3; ++i) replay(maker, 345 + 30 * i, 2 + i, 1);
  replay(maker, 600, 5, 8);
  CHECK(sizes(graph_steps_of(maker)) == std::vector<std::size_t>{24 + 9, 24});
}

TEST_CASE("two depths of which the lesser has half are both whole steps") {
  TraceMaker maker;
  replay(maker, 100, 1, 8);  // two batches of 4 layers in turn
  replay(maker, 600, 2, 4);
  CHECK(sizes(graph_steps_of(maker)) == std::vector<std::size_t>{24, 12});
}
