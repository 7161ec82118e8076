#include "analysis/passes/step_scene.h"

#include <doctest/doctest.h>

#include "tests/analysis/passes/trace_fixture.h"

using namespace stepscope::analysis;
using namespace stepscope::tests;

TEST_CASE("a scene knows its critical stream, who owns each instant, and why it has no layers") {
  // gemm 0-10 and 12-20 on 7; moe 5-14 on 8 owns 10-12, when the critical stream does nothing.
  TraceMaker maker;
  maker.add({"gemm", 0, 10}).add({"gemm", 12, 8}).add({"moe", 5, 9, "8"});
  const TraceFixture fixture(maker);
  const LaunchLinks links(fixture.trace);
  const StepScene scene =
      make_scene(fixture.view, links, fixture.device(), {0, 20}, fixture.device().events);
  CHECK(fixture.device().streams.at(scene.primary) == "7");
  REQUIRE(scene.parts.size() == 3);
  CHECK(scene.parts[1].start_ns == 10);
  CHECK(scene.parts[1].end_ns == 12);
  CHECK(scene.category(scene.parts[1].at).component == "moe");
  CHECK_FALSE(scene.layers.has_value());
  CHECK(scene.no_layers_reason.find("attention groups") != std::string::npos);
  CHECK(scene.roles.role_of.size() == scene.events.size());
}

TEST_CASE("a scene without events is all idle") {
  TraceMaker maker;
  maker.add({"gemm", 0, 10});
  const TraceFixture fixture(maker);
  const LaunchLinks links(fixture.trace);
  const StepScene scene = make_scene(fixture.view, links, fixture.device(), {20, 30}, {});
  CHECK(scene.parts.empty());
  CHECK_FALSE(scene.layers.has_value());
}
