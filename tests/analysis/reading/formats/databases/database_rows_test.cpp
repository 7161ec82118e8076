#include "analysis/reading/formats/databases/database_rows.h"

#include <doctest/doctest.h>

#include <limits>

using namespace stepscope::analysis;

TEST_CASE("a row's span, and why it has none") {
  DropCounts dropped;
  const auto span = device_span(10, 25, dropped);
  REQUIRE(span.has_value());
  CHECK(span->start_ns == 10);
  CHECK(span->dur_ns == 15);
  CHECK(device_span(10, 10, dropped)->dur_ns == 0);
  CHECK(device_span(-5, 0, dropped)->dur_ns == 5);

  CHECK_FALSE(device_span(10, std::nullopt, dropped).has_value());
  CHECK_FALSE(device_span(std::nullopt, 25, dropped).has_value());
  CHECK_FALSE(device_span(0, 0, dropped).has_value());
  CHECK_FALSE(device_span(25, 10, dropped).has_value());
  constexpr auto kMost = std::numeric_limits<std::int64_t>::max();
  CHECK_FALSE(device_span(-2, kMost, dropped).has_value());
  CHECK(dropped.no_dur == 1);
  CHECK(dropped.bad_ts == 2);
  CHECK(dropped.negative_dur == 1);
  CHECK(dropped.malformed == 1);
  CHECK(host_span(1, 3)->dur_ns == 2);
  CHECK_FALSE(host_span(3, 1).has_value());
}

TEST_CASE("timelines and launch arguments by number") {
  TraceBuilder builder(100);
  DatabaseTimelines timelines(builder);
  const TimelineId first = timelines.of(0, 12, 3, 7);
  CHECK(timelines.of(0, 12, 3, 7) == first);
  CHECK(timelines.of(0, 12, 3, std::nullopt) != first);
  CHECK(timelines.of(0, 12, 3, 7) == first);
  const Timeline& named = builder.trace().timelines[first];
  CHECK(named.pid == "12");
  CHECK(named.device == "3");
  CHECK(named.stream == "7");
  CHECK(builder.trace().timelines[timelines.of(0, 12, 3, std::nullopt)].stream.empty());

  LaunchArguments arguments(builder);
  CHECK(arguments.of({}, {}) == 0);
  CHECK(arguments.of({1, 2, std::nullopt}, {}) == 0);
  const ArgsId args = arguments.of({1, 2, 3}, {64, 1, 1});
  CHECK(args != 0);
  CHECK(arguments.of({1, 2, 3}, {64, 1, 1}) == args);
  CHECK(arguments.of({1, 2, 3}, {}) != args);
}

TEST_CASE("names of calls") {
  CHECK(without_version("cudaLaunchKernel_v7000") == "cudaLaunchKernel");
  CHECK(without_version("cudaLaunchKernel_ptsz_v7000") == "cudaLaunchKernel_ptsz");
  CHECK(without_version("cuLaunchKernelEx") == "cuLaunchKernelEx");
  CHECK(without_version("my_value") == "my_value");
  CHECK(without_version("x_v") == "x_v");
  CHECK(without_version("_v3") == "_v3");

  for (const auto* call : {"cudaLaunchKernel", "cuLaunchKernelEx", "hipGraphLaunch",
                           "cudaMemcpyAsync", "cuMemsetD32Async", "cuMemPrefetchAsync",
                           "hipExtModuleLaunchKernel", "cuModuleLoadData", "something new"}) {
    CAPTURE(call);
    CHECK(may_start_work(call));
  }
  for (const auto* call : {"cudaEventRecord", "cudaStreamSynchronize", "cudaStreamIsCapturing",
                           "cuModuleUnload", "cudaFree", "cudaMalloc", "hipGetDevice"}) {
    CAPTURE(call);
    CHECK_FALSE(may_start_work(call));
  }
}

TEST_CASE("a limit that was passed is seen within a few thousand rows, and none before") {
  TraceBuilder builder(1);
  builder.name_of("a");
  RowLimit limit(builder);
  for (int row = 0; row < 10'000; ++row) CHECK_FALSE(limit.passed());
  builder.name_of("b");
  int rows = 1;
  while (!limit.passed() && rows < 10'000) ++rows;
  CHECK(rows <= 4096);
}
