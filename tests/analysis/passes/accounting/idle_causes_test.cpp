#include "analysis/passes/accounting/idle_causes.h"

#include <doctest/doctest.h>

#include "tests/analysis/passes/trace_fixture.h"

using namespace stepscope::analysis;
using namespace stepscope::tests;

namespace {

void check(const TraceMaker& maker, const Interval& window, const IdleCauses& expected) {
  const TraceFixture fixture(maker);
  std::vector<EventIndex> inside;
  for (const EventIndex event : fixture.device().events) {
    if (touches(fixture.view.interval(event), window)) inside.push_back(event);
  }
  const IdleCauses got = idle_causes(fixture.view, LaunchLinks(fixture.trace), inside, window);
  CHECK(got.host == expected.host);
  CHECK(got.latency_or_dependency == expected.latency_or_dependency);
  CHECK(got.between_graph_nodes == expected.between_graph_nodes);
  CHECK(got.unknown == expected.unknown);
}

}  // namespace

TEST_CASE("up to the launch the device waits for the host, the rest is latency or dependency") {
  TraceMaker maker;
  maker.launched({"a", 0, 10}, -5).launched({"b", 30, 10}, 22);
  check(maker, {0, 40}, {.host = 12, .latency_or_dependency = 8});
}

TEST_CASE("launched before the gap: nothing to do with the host") {
  TraceMaker maker;
  maker.launched({"a", 0, 6}, -5).launched({"b", 7, 9}, 3);
  check(maker, {0, 16}, {.latency_or_dependency = 1});
}

TEST_CASE("a launch that starts after its kernel, as clocks may have it, is clamped") {
  TraceMaker maker;
  maker.launched({"a", 0, 10}, -5).launched({"b", 30, 10}, 35);
  check(maker, {0, 40}, {.host = 20});
}

TEST_CASE("gaps within a graph replay are between its nodes, the one before it is not") {
  // embed 6-8; graph launched at 10; nodes 30-35, 35.5.. scaled: 30-40, 41-50, 52-60.
  TraceMaker maker;
  maker.launched({"embed", 6, 2}, 5).launch("cudaGraphLaunch", 10, 5, 50);
  maker.add({"k", 30, 10, "7", 50}).add({"k", 41, 9, "7", 50}).add({"k", 52, 8, "7", 50});
  check(maker, {6, 60}, {.host = 2, .latency_or_dependency = 20, .between_graph_nodes = 3});
}

TEST_CASE("no launch: unknown; the end of the window: unknown") {
  TraceMaker maker;
  maker.add({"a", 0, 10}).add({"b", 15, 5});
  check(maker, {0, 30}, {.unknown = 15});
}

TEST_CASE("the event that ends a gap: lowest stream, and one that lasts") {
  TraceMaker maker;
  maker.add({"a", 0, 10});
  maker.add({"point", 20, 0, "1"});           // can not end a gap
  maker.launched({"late", 20, 5, "10"}, 18);  // host 8
  maker.launched({"early", 20, 5, "9"}, 12);  // host 2: stream 9 is the lower number
  check(maker, {0, 25}, {.host = 2, .latency_or_dependency = 8});
}

TEST_CASE("events that run into the window leave no gap at its start") {
  TraceMaker maker;
  maker.add({"a", 0, 20}).launched({"b", 25, 5}, 1);
  check(maker, {10, 30}, {.latency_or_dependency = 5});
}
