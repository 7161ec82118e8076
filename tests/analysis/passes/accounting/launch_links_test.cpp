#include "analysis/passes/accounting/launch_links.h"

#include <doctest/doctest.h>

#include "tests/analysis/passes/trace_fixture.h"

using namespace stepscope::analysis;
using namespace stepscope::tests;

namespace {

std::optional<Ns> launch_start(const TraceFixture& fixture, EventIndex event) {
  const LaunchIndex launch = LaunchLinks(fixture.trace).launch_of(event);
  if (launch == kNoLaunch) return {};
  return fixture.trace.launches[launch].start_ns;
}

}  // namespace

TEST_CASE("of a correlation that is used again, the last launch at or before the event") {
  TraceMaker maker;
  maker.launch("cudaLaunchKernel", 10, 1, 5).launch("cudaLaunchKernel", 30, 1, 5);
  maker.launch("cudaLaunchKernel", 50, 1, 5);
  maker.add({"before", 5, 1, "7", 5});  // earlier than any: the first
  maker.add({"first", 29, 1, "7", 5}).add({"second", 30, 1, "7", 5}).add({"last", 99, 1, "7", 5});
  const TraceFixture fixture(maker);
  CHECK(launch_start(fixture, 0) == 10);
  CHECK(launch_start(fixture, 1) == 10);
  CHECK(launch_start(fixture, 2) == 30);
  CHECK(launch_start(fixture, 3) == 50);
}

TEST_CASE("a correlation that is used hundreds of times") {
  TraceMaker maker;
  for (Ns i = 0; i < 300; ++i) maker.launch("cudaLaunchKernel", i * 10, 1, 5);
  for (Ns i = 0; i < 300; ++i) maker.add({"k", i * 10 + 3, 1, "7", 5});
  const TraceFixture fixture(maker);
  const LaunchLinks links(fixture.trace);
  for (EventIndex i = 0; i < 300; ++i) {
    REQUIRE(fixture.trace.launches[links.launch_of(i)].start_ns == Ns{i} * 10);
  }
}

TEST_CASE("correlations of two processes do not meet") {
  TraceMaker maker;
  const ScopeId other = maker.scope(1);
  maker.launch("cudaLaunchKernel", 10, 1, 5).launch("cudaLaunchKernel", 20, 1, 5, other);
  maker.launch("cudaLaunchKernel", 15, 1, 6);
  maker.add({"a", 100, 1, "7", 5});
  maker.add({"b", 101, 1, "7", 5, "0", DeviceKind::kernel, other});
  maker.add({"c", 102, 1, "7", 6, "0", DeviceKind::kernel, other});
  const TraceFixture fixture(maker);
  CHECK(launch_start(fixture, 0) == 10);
  CHECK(launch_start(fixture, 1) == 20);
  CHECK_FALSE(launch_start(fixture, 2).has_value());
  CHECK(LaunchLinks(fixture.trace).has_launches(other));
}

TEST_CASE("no launch at all") {
  TraceMaker maker;
  maker.add({"a", 0, 1, "7", 5});
  const TraceFixture fixture(maker);
  CHECK_FALSE(launch_start(fixture, 0).has_value());
  CHECK_FALSE(LaunchLinks(fixture.trace).has_launches(0));
}

TEST_CASE("a graph replay is one launch with many kernels") {
  // As a decode step: one kernel by itself, then a graph of five under one correlation.
  TraceMaker maker;
  maker.launch("cudaLaunchKernel", 5, 2, 49).launch("cudaGraphLaunch", 10, 5, 50);
  maker.add({"embed", 6, 2, "7", 49});
  for (Ns i = 0; i < 5; ++i) maker.add({"k", 30 + i * 6, 5, "7", 50});
  const TraceFixture fixture(maker);
  const auto counts = count_launches(fixture.view, LaunchLinks(fixture.trace));
  REQUIRE(counts.size() == 1);
  CHECK(counts[0].launches == 2);
  CHECK(counts[0].graph_launches == 1);
  CHECK(counts[0].graph_kernels == 5);
  CHECK(counts[0].unlinked_events == 0);
  CHECK(counts[0].launches_without_kernels == 0);
}

TEST_CASE("unlinked kernels count with their time") {
  // Launched before the capture, correlation 0 without a call, none: 3 kernels of 10 + 3 + 4.
  TraceMaker maker;
  maker.launch("cudaLaunchKernel", 1, 2, 11);
  maker.add({"early", 2, 10, "7", 3}).add({"loose", 13, 3, "7"}).add({"nccl", 20, 4, "7", 0});
  maker.add({"linked", 30, 5, "7", 11});
  const TraceFixture fixture(maker);
  const auto counts = count_launches(fixture.view, LaunchLinks(fixture.trace));
  CHECK(counts[0].unlinked_events == 3);
  CHECK(counts[0].unlinked_sum_ns == 17);
  CHECK(counts[0].launches == 1);
}

TEST_CASE("only calls that launch count as launches without kernels") {
  TraceMaker maker;
  maker.launch("cudaLaunchKernel", 1, 1, 1).launch("cudaMemcpyAsync", 2, 1, 2);
  maker.launch("cudaStreamSynchronize", 3, 1, 3).launch("hipMemsetAsync", 4, 1, 4);
  maker.launch("cudaGraphLaunch", 5, 1, 5).launch("cudaEventRecord", 6, 1, 6);
  maker.add({"k", 2, 1, "7", 1});
  maker.add({"k", 2, 1, "7", 1, "1"});  // the second device of the process
  const TraceFixture fixture(maker);
  const auto counts = count_launches(fixture.view, LaunchLinks(fixture.trace));
  REQUIRE(counts.size() == 2);
  CHECK(counts[0].launches_without_kernels == 3);  // memcpy, memset, graph
  CHECK(counts[1].launches_without_kernels == 0);
  CHECK(counts[1].launches == 1);
}

TEST_CASE("names of launching calls") {
  for (const char* name :
       {"cudaLaunchKernel", "cudaLaunchKernelExC", "cuLaunchKernelEx", "hipModuleLaunchKernel",
        "hipExtModuleLaunchKernel", "cudaLaunchCooperativeKernel", "hipLaunchCooperativeKernel",
        "cuMemcpyHtoDAsync_v2", "cudaMemset2DAsync", "cudaGraphLaunch_v10000", "hipGraphLaunch"}) {
    CAPTURE(name);
    CHECK(is_launching_name(name));
  }
  for (const char* name : {"cudaGraphAddMemcpyNode", "cudaStreamSynchronize", "INVALID", "",
                           "cudaFuncSetAttribute", "LaunchKernel", "cudaMalloc"}) {
    CAPTURE(name);
    CHECK_FALSE(is_launching_name(name));
  }
  CHECK(is_graph_launch_name("cudaGraphLaunch"));
  CHECK(is_graph_launch_name("cuGraphLaunch"));
  CHECK_FALSE(is_graph_launch_name("cudaGraphInstantiate"));
}
