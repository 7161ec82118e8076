#include "analysis/passes/accounting/window_index.h"

#include <doctest/doctest.h>

#include <random>

#include "tests/analysis/passes/trace_fixture.h"

using namespace stepscope::analysis;
using namespace stepscope::tests;

TEST_CASE("only events that touch the window, in start order") {
  TraceMaker maker;
  maker.add({"a", 0, 100}).add({"b", 5, 5}).add({"c", 10, 0}).add({"d", 20, 0}).add({"e", 20, 5});
  maker.add({"f", 21, 0});
  const TraceFixture fixture(maker);
  const WindowIndex index(fixture.view, fixture.device());
  // b ends as the window opens and e starts as it closes; c and d have no duration and lie on
  // edges.
  CHECK(index.events_in({10, 20}) == std::vector<EventIndex>{0, 2, 3});
  CHECK(index.events_in({200, 300}).empty());
}

TEST_CASE("the same events as a look at every one, over many blocks") {
  std::mt19937 random(7);
  TraceMaker maker;
  for (int i = 0; i < 3000; ++i) {
    const Ns start_ns = static_cast<Ns>(random() % 100'000);
    const Ns dur_ns = static_cast<Ns>(random() % 100 == 0 ? random() % 50'000 : random() % 60);
    maker.add({"k", start_ns, dur_ns, i % 2 == 0 ? "1" : "2"});
  }
  const TraceFixture fixture(maker);
  const WindowIndex index(fixture.view, fixture.device());
  for (int round = 0; round < 200; ++round) {
    const Ns start_ns = static_cast<Ns>(random() % 110'000);
    const Interval window{start_ns, start_ns + static_cast<Ns>(random() % 2000)};
    std::vector<EventIndex> expected;
    for (const EventIndex event : fixture.device().events) {
      if (touches(fixture.view.interval(event), window)) expected.push_back(event);
    }
    REQUIRE(index.events_in(window) == expected);
  }
}

TEST_CASE("the extent ends with the event that ends last") {
  TraceMaker maker;
  maker.add({"a", 3, 50}).add({"b", 10, 5});
  const TraceFixture fixture(maker);
  CHECK(extent(fixture.view, fixture.device().events) == Interval{3, 53});
}
