#include "analysis/passes/launch_stats.h"

#include <doctest/doctest.h>

#include "tests/analysis/passes/trace_fixture.h"

using namespace stepscope::analysis;
using namespace stepscope::tests;

namespace {

LaunchStats stats_of(const TraceMaker& maker, const Interval& window) {
  const TraceFixture fixture(maker);
  const LaunchLinks links(fixture.trace);
  StepScene scene{.view = fixture.view,
                  .links = links,
                  .device = fixture.device(),
                  .window = window,
                  .events = {},
                  .primary = 0,
                  .parts = {},
                  .layers = {},
                  .no_layers_reason = {},
                  .roles = {}};
  for (const EventIndex event : fixture.device().events) {
    if (touches(fixture.view.interval(event), window)) scene.events.push_back(event);
  }
  return launch_stats(scene);
}

}  // namespace

TEST_CASE("latency of calls with one event, depth at the start of each") {
  // a: 0 -> 10, b: 2 -> 20, c: 4 -> 30, d: 35 -> 40. Latencies 10, 18, 26, 5; lower median 10.
  // At 10 b and c wait: 2; at 20 c: 1; at 30 and 40 none. Depths 2 1 0 0; lower median 0.
  TraceMaker maker;
  maker.launched({"a", 10, 8}, 0).launched({"b", 20, 8}, 2).launched({"c", 30, 8}, 4);
  maker.launched({"d", 40, 8}, 35);
  const LaunchStats stats = stats_of(maker, {10, 48});
  CHECK(stats.launches == 4);
  CHECK(stats.graph_launches == 0);
  CHECK(stats.graph_kernels == 0);
  CHECK(stats.unlinked_events == 0);
  CHECK_FALSE(stats.kernels_per_graph_median.has_value());
  CHECK(stats.latency_min_ns == 5);
  CHECK(stats.latency_median_ns == 10);
  CHECK(stats.latency_max_ns == 26);
  CHECK(stats.depth_median == 0);
  CHECK(stats.depth_max == 2);
}

TEST_CASE("a graph launch waits as one until its first node, and has no latency") {
  // Graph 50 at 5: nodes 30, 40, 50; graph 51 at 6: node 60; e: 7 -> 20.
  // At 20 both graphs wait: 2; at 30, 40, 50 the second: 1; at 60: 0. Lower median of 0 1 1 1 2: 1.
  TraceMaker maker;
  maker.launch("cudaGraphLaunch", 5, 1, 50).launch("cudaGraphLaunch", 6, 1, 51);
  maker.add({"n", 30, 5, "7", 50}).add({"n", 40, 5, "7", 50}).add({"n", 50, 5, "7", 50});
  maker.add({"n", 60, 5, "7", 51}).launched({"e", 20, 5}, 7);
  const LaunchStats stats = stats_of(maker, {20, 65});
  CHECK(stats.launches == 3);
  CHECK(stats.graph_launches == 2);
  CHECK(stats.graph_kernels == 4);
  CHECK(stats.kernels_per_graph_median == 1);  // of 1 and 3
  CHECK(stats.latency_min_ns == 13);
  CHECK(stats.latency_max_ns == 13);
  CHECK(stats.depth_median == 1);
  CHECK(stats.depth_max == 2);
}

TEST_CASE("an event that starts before its call has no latency and never waited") {
  TraceMaker maker;
  maker.launched({"a", 10, 8}, 15).launched({"b", 20, 8}, 12);
  // At 10 nothing was launched; at 20 b starts.
  const LaunchStats stats = stats_of(maker, {10, 28});
  CHECK(stats.launches == 2);
  CHECK(stats.latency_min_ns == 8);
  CHECK(stats.latency_max_ns == 8);
  CHECK(stats.depth_max == 0);
}

TEST_CASE("a call of two events has no latency of its own") {
  TraceMaker maker;
  maker.launch("cudaLaunchKernel", 0, 1, 5).add({"a", 10, 5, "7", 5}).add({"b", 20, 5, "7", 5});
  const LaunchStats stats = stats_of(maker, {10, 25});
  CHECK(stats.launches == 1);
  CHECK_FALSE(stats.latency_median_ns.has_value());
}

TEST_CASE("what no launch tells is absent") {
  TraceMaker maker;
  maker.add({"a", 10, 5}).add({"b", 20, 5});
  const LaunchStats stats = stats_of(maker, {10, 25});
  CHECK(stats.launches == 0);
  CHECK(stats.unlinked_events == 2);
  CHECK_FALSE(stats.latency_min_ns.has_value());
  CHECK_FALSE(stats.depth_median.has_value());
  CHECK_FALSE(stats.depth_max.has_value());
}

TEST_CASE("only events of the window count") {
  TraceMaker maker;
  maker.launched({"a", 10, 5}, 0).launched({"b", 20, 5}, 1).launched({"c", 90, 5}, 2);
  const LaunchStats stats = stats_of(maker, {18, 30});
  CHECK(stats.launches == 1);
  CHECK(stats.depth_max == 0);
}
