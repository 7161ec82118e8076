#include "analysis/reading/formats/databases/rpd_reader.h"

#include <doctest/doctest.h>

#include <functional>
#include <string>
#include <vector>

#include "tests/support/sqlite_trace_maker.h"
#include "tests/support/temp_folder.h"

using namespace stepscope::analysis;
using stepscope::tests::RpdMaker;
using stepscope::tests::SqliteMaker;
using stepscope::tests::TempFolder;

namespace {

struct Reading {
  FileContent content;
  Trace trace;
};

using Fill = std::function<void(RpdMaker&)>;
using Texts = std::vector<std::string>;

std::expected<Reading, AnalyzeError> try_read(const Fill& fill) {
  TempFolder folder;
  const auto path = folder.path() / "r.rpd";
  {
    RpdMaker maker(path);
    fill(maker);
  }
  auto file = SqliteFile::open(path, "r.rpd", {});
  REQUIRE(file.has_value());
  CHECK(is_rpd(**file));
  TraceBuilder builder(1000);
  auto content = read_rpd(**file, builder);
  if (!content) return std::unexpected(content.error());
  CHECK((*file)->faults().empty());
  builder.end_file(content->metadata, std::nullopt);
  return Reading{*content, builder.finish()};
}

Reading read(const Fill& fill) {
  auto reading = try_read(fill);
  if (!reading) FAIL(reading.error().message);
  return *std::move(reading);
}

Texts event_names(const Trace& trace) {
  Texts names;
  for (const DeviceEvent& event : trace.device_events) names.push_back(trace.names[event.name]);
  return names;
}

}  // namespace

TEST_CASE("operations, calls and user markers") {
  const Reading reading = read([](RpdMaker& maker) {
    maker.call("UserMarker", 5, 50, "execute_model")
        .call("hipLaunchKernel", 10, 12)
        .call("hipMemcpyAsync", 13, 14)
        .call("hipGraphLaunch", 15, 20)
        .call("UserMarker", 60, 90, "execute_model")
        .call("UserMarker", 61, 62, "once")
        .call("hipDeviceSynchronize", 91, 99)
        .kernel_call(2, "gemm", 40, 256)
        .op("KernelExecution", "gemm", {100, 150, 2})
        .op("CopyDeviceToHost", "", {160, 170, 3})
        .op("Task", "_Z4attn", {180, 190, 4})
        .op("Task", "", {190, 200, 4})
        .op("FillBuffer", "", {200, 201})
        .op("Marker", "", {202, 209})
        .op("Barrier", "", {202, 209});
  });
  const Trace& trace = reading.trace;
  CHECK(event_names(trace) ==
        Texts{"gemm", "CopyDeviceToHost", "_Z4attn", "unknown kernel (Task)", "FillBuffer"});
  const DeviceEvent& kernel = trace.device_events[0];
  CHECK(kernel.start_ns == 100);
  CHECK(kernel.dur_ns == 50);
  CHECK(kernel.correlation == 2);
  CHECK(trace.kernel_args[kernel.args].grid == "[40, 1, 1]");
  CHECK(trace.kernel_args[kernel.args].block == "[256, 1, 1]");
  CHECK(trace.timelines[kernel.timeline].pid == "1560");
  CHECK(trace.timelines[kernel.timeline].device == "2");
  CHECK(trace.timelines[kernel.timeline].stream == "0");
  CHECK(trace.device_events[1].kind == DeviceKind::memcpy);
  CHECK(trace.device_events[2].correlation == trace.device_events[3].correlation);
  CHECK(trace.device_events[4].kind == DeviceKind::memset);
  CHECK(trace.device_events[4].correlation == kNoCorrelation);

  REQUIRE(trace.launches.size() == 3);
  CHECK(trace.names[trace.launches[2].name] == "hipGraphLaunch");
  CHECK(trace.launches[2].correlation == 4);
  REQUIRE(trace.markers.size() == 2);
  CHECK(trace.names[trace.markers[0].name] == "execute_model");
  CHECK(trace.markers[0].dur_ns == 45);
  CHECK(reading.content.facts.device_events == 5);
  CHECK(reading.content.facts.events == 14);
  CHECK(reading.content.facts.launches == 4);
  CHECK(reading.content.facts.kernel_launches == 2);
  CHECK(reading.content.facts.fractions);
  CHECK(reading.content.notes.empty());
  REQUIRE(trace.scopes.size() == 1);
  CHECK(trace.scopes[0].label.empty());
}

TEST_CASE("an operation without a description has the name of its call's kernel") {
  const Reading reading = read([](RpdMaker& maker) {
    maker.call("hipLaunchKernel", 1, 2)
        .kernel_call(1, "from the call", 1, 1)
        .op("KernelExecution", "", {5, 6, 1})
        .op("CopyDeviceToDevice", "", {7, 8, 1});
  });
  CHECK(event_names(reading.trace) == Texts{"from the call", "CopyDeviceToDevice"});
}

TEST_CASE("several processes are ranks by their GPUs") {
  const Reading reading = read([](RpdMaker& maker) {
    maker.call("hipLaunchKernel", 1, 2, "", 70)
        .call("hipLaunchKernel", 1, 2, "", 60)
        .call("UserMarker", 1, 2, "step[DECODE bs=1]", 60)
        .op("KernelExecution", "a", {10, 11, 1, 2})
        .op("KernelExecution", "b", {12, 13, 2, 3})
        .op("KernelExecution", "c", {14, 15, 0, 3});  // unlinked: of the GPU's owner
  });
  const Trace& trace = reading.trace;
  REQUIRE(trace.scopes.size() == 2);
  CHECK(trace.scopes[0].label == "GPU02-PID70");
  CHECK(trace.scopes[0].rank == 0);
  CHECK(trace.scopes[1].label == "GPU03-PID60");
  const auto scope = [&](int event) {
    return trace.timelines[trace.device_events[static_cast<std::size_t>(event)].timeline].scope;
  };
  CHECK(scope(0) == 0);
  CHECK(scope(1) == 1);
  CHECK(scope(2) == 1);
  REQUIRE(trace.markers.size() == 1);
  CHECK(trace.markers[0].scope == 1);
  CHECK(reading.content.notes.size() == 1);
}

TEST_CASE("odd rows are counted or have no launch") {
  const Reading reading = read([](RpdMaker& maker) {
    maker.op("KernelExecution", "good", {10, 20, 77})
        .op("KernelExecution", "negative", {20, 10})
        .op("KernelExecution", "no time", {0, 0})
        .run(
            "INSERT INTO rocpd_op VALUES (1, 'gpu', x'00', 0, '', 'soon', 9, 1, 1), "
            "(2, 1, 0, 0, '', 30, 40, 12345, 12345);"
            "INSERT INTO rocpd_api_ops (api_id, op_id) VALUES ('x', 1), (x'01', 2);");
  });
  CHECK(event_names(reading.trace) == Texts{"good", "unknown kernel (unknown type)"});
  CHECK(reading.trace.device_events[0].correlation == 77);
  CHECK(reading.trace.device_events[1].correlation == kNoCorrelation);
  CHECK(reading.trace.summary.dropped.negative_dur == 1);
  CHECK(reading.trace.summary.dropped.bad_ts == 2);
}

TEST_CASE("nothing ran, or the main table has other columns") {
  const Reading reading =
      read([](RpdMaker& maker) { maker.call("hipLaunchKernel", 1, 2).call("hipFree", 3, 4); });
  CHECK(reading.content.facts.device_events == 0);
  CHECK(reading.content.facts.launches == 2);
  CHECK(reading.content.facts.kernel_launches == 1);

  const auto refused = try_read(
      [](RpdMaker& maker) { maker.run("ALTER TABLE rocpd_op RENAME COLUMN gpuId TO agent"); });
  REQUIRE_FALSE(refused.has_value());
  CHECK(refused.error().fault == AnalyzeFault::unsupported_format);
  CHECK(refused.error().message ==
        "r.rpd: an RPD database whose table rocpd_op has no column \"gpuId\"; record it again with "
        "a current rocmProfileData");
}

TEST_CASE("other databases are no RPD") {
  TempFolder folder;
  SqliteMaker(folder.path() / "o.db").run("CREATE TABLE rocpd_op (id)");
  const auto file = SqliteFile::open(folder.path() / "o.db", "o.db", {});
  REQUIRE(file.has_value());
  CHECK_FALSE(is_rpd(**file));
}
