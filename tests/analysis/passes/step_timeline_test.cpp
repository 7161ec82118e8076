#include "analysis/passes/step_timeline.h"

#include <doctest/doctest.h>

#include <tuple>
#include <vector>

#include "analysis/passes/accounting/accounting.h"
#include "tests/analysis/passes/trace_fixture.h"

using namespace stepscope::analysis;
using namespace stepscope::tests;

namespace {

StepScene scene_of(const TraceFixture& fixture, const LaunchLinks& links, const Interval& window,
                   std::vector<EventIndex> events) {
  return {fixture.view, links, fixture.device(), window, std::move(events), 0, {}, {}, {}, {}};
}

}  // namespace

TEST_CASE("events are drawn from the start of the window, clipped to it, by row") {
  TraceMaker maker;
  // On the main stream 10 before the window to 20 inside, then 40-45; beside it 30-31.
  maker.add({"gemm", 90, 30, "7"}).add({"norm", 140, 5, "7"}).add({"gemm", 130, 1, "9"});
  const TraceFixture fixture(maker);
  const LaunchLinks links(fixture.trace);
  const Interval window{100, 150};
  const StepScene scene = scene_of(fixture, links, window, fixture.device().events);
  const Accounting accounting =
      account(fixture.view, fixture.device(), fixture.device().events, window);
  // Rows by falling sum: gemm on 7 (20), norm on 7 (5), gemm on 9 (1).
  using Row = std::tuple<Ns, Ns, std::uint32_t, std::uint32_t, int>;
  std::vector<Row> rows;
  for (const TimelineEvent& event : step_timeline(scene, accounting)) {
    rows.emplace_back(event.start_ns, event.dur_ns, event.stream, event.kernel, event.layer);
  }
  CHECK(rows == std::vector<Row>{{0, 20, 0, 0, -1}, {30, 1, 1, 2, -1}, {40, 5, 0, 1, -1}});
}

TEST_CASE("a step with too many events is not drawn") {
  TraceMaker maker;
  maker.add({"gemm", 0, 1});
  const TraceFixture fixture(maker);
  const LaunchLinks links(fixture.trace);
  const std::vector<EventIndex> many(kTimelineEventsMax + 1, 0);
  const StepScene scene = scene_of(fixture, links, {0, 1}, many);
  CHECK(step_timeline(scene, {}).empty());
}
