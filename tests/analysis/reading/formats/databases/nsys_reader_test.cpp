#include "analysis/reading/formats/databases/nsys_reader.h"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <string>
#include <vector>

#include "tests/support/sqlite_trace_maker.h"
#include "tests/support/temp_folder.h"

using namespace stepscope::analysis;
using stepscope::tests::NsysEvent;
using stepscope::tests::NsysMaker;
using stepscope::tests::NsysVersion;
using stepscope::tests::SqliteMaker;
using stepscope::tests::TempFolder;

namespace {

struct Reading {
  FileContent content;
  Trace trace;
  std::vector<SqliteFile::Fault> faults;
};

using Fill = std::function<void(NsysMaker&)>;

std::expected<Reading, AnalyzeError> try_read(const Fill& fill,
                                              NsysVersion version = NsysVersion::v2025) {
  TempFolder folder;
  const auto path = folder.path() / "n.sqlite";
  {
    NsysMaker maker(path, version);
    fill(maker);
  }
  auto file = SqliteFile::open(path, "n.sqlite", {});
  REQUIRE(file.has_value());
  CHECK(is_nsys(**file));
  TraceBuilder builder(1000);
  auto content = read_nsys(**file, builder);
  if (!content) return std::unexpected(content.error());
  builder.end_file(content->metadata, std::nullopt);
  return Reading{*content, builder.finish(), (*file)->faults()};
}

Reading read(const Fill& fill, NsysVersion version = NsysVersion::v2025) {
  auto reading = try_read(fill, version);
  if (!reading) FAIL(reading.error().message);
  return *std::move(reading);
}

const std::string& name_of(const Trace& trace, const DeviceEvent& event) {
  return trace.names[event.name];
}

std::vector<std::string> event_names(const Trace& trace) {
  std::vector<std::string> names;
  for (const DeviceEvent& event : trace.device_events) names.push_back(name_of(trace, event));
  return names;
}

std::vector<std::string> marker_names(const Trace& trace) {
  std::vector<std::string> names;
  for (const Marker& marker : trace.markers) names.push_back(trace.names[marker.name]);
  return names;
}

using Texts = std::vector<std::string>;

}  // namespace

TEST_CASE("kernels, copies, fills, calls and ranges of both ages") {
  for (const NsysVersion version : {NsysVersion::v2023, NsysVersion::v2025}) {
    const Reading reading = read(
        [](NsysMaker& maker) {
          maker.call("cudaLaunchKernel_v7000", {100, 150, 41})
              .call("cudaMemcpyAsync_v3020", {160, 170, 42})
              .call("cudaEventQuery_v3020", {171, 172, 43})
              .kernel("void gemm<float>(int)", {200, 1200, 41})
              .copy(1, 1, 2, {1300, 1400, 42, 9})
              .fill({1500, 1501, 44, 9})
              .range("step[DECODE bs=32]", 90, 180)
              .registered_range("execute_context_0(0)_generation_64(64)", 95, 175);
        },
        version);
    const Trace& trace = reading.trace;
    REQUIRE(trace.device_events.size() == 3);
    const DeviceEvent& kernel = trace.device_events[0];
    CHECK(name_of(trace, kernel) == "void gemm<float>(int)");
    CHECK(kernel.start_ns == NsysMaker::kSessionStartNs + 200);
    CHECK(kernel.dur_ns == 1000);
    CHECK(kernel.correlation == 41);
    CHECK(kernel.kind == DeviceKind::kernel);
    CHECK(trace.kernel_args[kernel.args].grid == "[4, 2, 1]");
    CHECK(trace.kernel_args[kernel.args].block == "[128, 1, 1]");
    const Timeline& timeline = trace.timelines[kernel.timeline];
    CHECK(timeline.pid == "100");
    CHECK(timeline.device == "0");
    CHECK(timeline.stream == "7");
    CHECK(name_of(trace, trace.device_events[1]) == "Memcpy HtoD (Pinned -> Device)");
    CHECK(trace.device_events[1].kind == DeviceKind::memcpy);
    CHECK(name_of(trace, trace.device_events[2]) == "Memset (Device)");
    CHECK(trace.device_events[2].kind == DeviceKind::memset);
    CHECK(trace.timelines[trace.device_events[2].timeline].stream == "9");

    REQUIRE(trace.launches.size() == 2);
    CHECK(trace.names[trace.launches[0].name] == "cudaLaunchKernel");
    CHECK(trace.launches[0].correlation == 41);
    CHECK(trace.launches[0].start_ns == NsysMaker::kSessionStartNs + 100);
    CHECK(trace.launches[0].dur_ns == 50);
    CHECK(trace.names[trace.launches[1].name] == "cudaMemcpyAsync");
    CHECK(marker_names(trace) ==
          Texts{"step[DECODE bs=32]", "execute_context_0(0)_generation_64(64)"});
    REQUIRE(trace.scopes.size() == 1);
    CHECK(trace.scopes[0].label.empty());

    CHECK(reading.content.facts.events == 8);
    CHECK(reading.content.facts.device_events == 3);
    CHECK(reading.content.facts.launches == 3);
    CHECK(reading.content.facts.kernel_launches == 1);
    CHECK(reading.content.facts.fractions);
    CHECK(reading.content.metadata.device_names == Texts{"NVIDIA B200"});
    CHECK(reading.content.notes.empty());
    CHECK(reading.faults.empty());
    CHECK(trace.has_launches);
    CHECK(trace.has_cpu_events);
  }
}

TEST_CASE("copies have Kineto's names as far as the columns tell") {
  const Reading reading = read([](NsysMaker& maker) {
    maker.copy(2, 2, 0, {1, 2})
        .copy(8, 2, 2, {3, 4})
        .copy(10, 2, 2, {5, 6})
        .copy(1, 7, 9, {7, 8})
        .copy(11, 4, 4, {9, 10})
        .copy(77, 0, 0, {11, 12})
        .copy(-1, 0, 0, {13, 14});
  });
  CHECK(event_names(reading.trace) == Texts{"Memcpy DtoH (Device -> Pageable)",
                                            "Memcpy DtoD (Device -> Device)",
                                            "Memcpy PtoP (Device -> Device)", "Memcpy HtoD",
                                            "Memcpy HtoD (Unified Memory)", "Memcpy", "Memcpy"});
}

TEST_CASE("rows that are no events are counted by their reason") {
  const Reading reading = read([](NsysMaker& maker) {
    maker.kernel("good", {100, 200})
        .kernel("negative", {200, 100})
        .kernel("no time", {0, 0})
        .kernel("zero", {300, 300})
        .run(
            "CREATE TABLE CUPTI_ACTIVITY_KIND_MEMSET (start TEXT, end, deviceId BLOB);"
            "INSERT INTO CUPTI_ACTIVITY_KIND_MEMSET VALUES ('400', '450', '0'), (400, 450, x'00'), "
            "('soon', 450, 0),"
            " (400, NULL, 0), (400, x'01', 0), (-9223372036854775807, 9223372036854775807, 0);");
  });
  CHECK(event_names(reading.trace) == Texts{"good", "zero", "Memset (Device)"});
  CHECK(reading.trace.device_events[2].dur_ns == 50);
  CHECK(reading.content.facts.device_events == 10);
  const DropCounts& dropped = reading.trace.summary.dropped;
  CHECK(dropped.negative_dur == 1);
  CHECK(dropped.bad_ts == 2);
  CHECK(dropped.no_dur == 2);
  CHECK(dropped.malformed == 2);
  CHECK(reading.trace.scopes.size() == 1);  // a row without a process is of its GPU's owner
}

TEST_CASE("a kernel whose name is missing keeps its time") {
  const std::string longest(50'000, 'k');
  const Reading reading = read([&](NsysMaker& maker) {
    maker.kernel(longest, {100, 200}).kernel("short", {200, 300}).kernel("gone", {300, 400});
    maker.run(
        fmt::format("UPDATE CUPTI_ACTIVITY_KIND_KERNEL SET demangledName=999 WHERE start=200;"
                    "UPDATE StringIds SET value=x'00FF' WHERE id={}",
                    maker.text_id("gone")));
  });
  CHECK(event_names(reading.trace) == Texts{longest, "short", "unknown kernel (name 12)"});
  CHECK(reading.content.notes ==
        Texts{"1 kernel names are not in the file; they are shown by number"});
}

TEST_CASE("no table of kernels: nothing was captured") {
  const Reading reading = read([](NsysMaker& maker) {
    maker.call("cudaLaunchKernel_v7000", {1, 2, 1}).range("capture_8_DECODE", 1, 2);
  });
  CHECK(reading.trace.device_events.empty());
  CHECK(reading.trace.launches.empty());
  CHECK(reading.content.facts.device_events == 0);
  CHECK(reading.content.facts.launches == 1);
  CHECK(reading.content.facts.kernel_launches == 1);
  CHECK(reading.content.facts.capture_markers);
}

TEST_CASE("columns that a version lacks") {
  const Reading reading = read([](NsysMaker& maker) {
    maker.run(
        "CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INT, \"end\" INT, deviceId INT, shortName "
        "INT, later TEXT); INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (5, 9, 0, 3, 'x');"
        "INSERT INTO StringIds VALUES (3, 'brief');");
    maker.call("cudaLaunchKernel", {1, 2, 1});
  });
  REQUIRE(reading.trace.device_events.size() == 1);
  const DeviceEvent& event = reading.trace.device_events[0];
  CHECK(name_of(reading.trace, event) == "brief");
  CHECK(event.correlation == kNoCorrelation);
  CHECK(event.args == 0);
  CHECK(reading.trace.timelines[event.timeline].stream.empty());
  CHECK(reading.trace.launches.size() == 1);  // no row says whose it is: there is one process
}

TEST_CASE("tables without their main columns are refused, whatever stands in for them") {
  const auto refused = try_read([](NsysMaker& maker) {
    maker.run(
        "CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INT, deviceId INT, \"end\" INT AS "
        "(start + 1))");
  });
  REQUIRE_FALSE(refused.has_value());
  CHECK(refused.error().fault == AnalyzeFault::unsupported_format);
  CHECK(refused.error().message ==
        "n.sqlite: an nsys export whose table CUPTI_ACTIVITY_KIND_KERNEL has no column \"end\"; "
        "export it again with a newer nsys");
}

TEST_CASE("a view or virtual table in place of a table is not read") {
  const Reading reading = read([](NsysMaker& maker) {
    maker.run(
        "CREATE VIEW CUPTI_ACTIVITY_KIND_KERNEL AS WITH RECURSIVE n(start) AS (SELECT 1 UNION ALL "
        "SELECT start FROM n) SELECT start, start AS \"end\", 0 AS deviceId FROM n;"
        "CREATE VIRTUAL TABLE NVTX_EVENTS USING fts5(start, \"end\", text);");
    maker.fill({5, 6});
  });
  CHECK(event_names(reading.trace) == Texts{"Memset (Device)"});
  CHECK(reading.faults.empty());
}

TEST_CASE("processes are ranks by their GPUs, and their correlations do not meet") {
  const Reading reading = read([](NsysMaker& maker) {
    for (const int rank : {1, 0}) {
      const int pid = 300 - rank;
      maker.call("cudaLaunchKernel_v7000", {100 + rank, 110, 41, 7, rank, pid})
          .kernel("gemm", {200 + rank, 300, 41, 7, rank, pid})
          .range("step[DECODE bs=1]", 90 + rank, 190, pid);
    }
    maker.call("cudaLaunchKernel_v7000", {1, 2, 41, 7, 0, 50}).range("step[DECODE bs=1]", 1, 2, 50);
  });
  const Trace& trace = reading.trace;
  REQUIRE(trace.scopes.size() == 2);
  CHECK(trace.scopes[0].label == "GPU00-PID300");
  CHECK(trace.scopes[0].rank == 0);
  CHECK(trace.scopes[1].label == "GPU01-PID299");
  CHECK(trace.scopes[1].rank == 1);
  REQUIRE(trace.launches.size() == 2);  // process 50 owns no GPU
  CHECK(trace.launches[0].scope == 0);
  CHECK(trace.launches[1].scope == 1);
  CHECK(trace.markers.size() == 2);
  CHECK(reading.content.notes ==
        Texts{"2 processes have device events; their ranks are counted by GPU, then process id: "
              "rank 0 is GPU00-PID300, rank 1 is GPU01-PID299"});
}

TEST_CASE("processes that call their GPU the same are told apart by the machine's numbers") {
  const Reading reading = read([](NsysMaker& maker) {
    maker.kernel("a", {1, 2, 1, 7, 0, 100}).kernel("b", {1, 2, 1, 7, 0, 200});
    maker.run(
        "CREATE TABLE TARGET_INFO_CUDA_DEVICE (gpuId INTEGER, cudaId INTEGER, pid INTEGER);"
        "INSERT INTO TARGET_INFO_CUDA_DEVICE VALUES (6, 0, 100), (4, 0, 200);"
        "INSERT INTO TARGET_INFO_GPU VALUES (0, 4, 'GPU four', 0), (0, 6, 'GPU six', 1);");
  });
  REQUIRE(reading.trace.scopes.size() == 2);
  CHECK(reading.trace.scopes[0].label == "GPU04-PID200");
  CHECK(reading.trace.scopes[1].label == "GPU06-PID100");
  CHECK(reading.content.metadata.device_names == Texts{"GPU four", "GPU six"});
}

TEST_CASE("the names of GPUs that did nothing are left out") {
  const Reading reading = read([](NsysMaker& maker) {
    maker.kernel("a", {1, 2, 1, 7, 1});
    maker.run("INSERT INTO TARGET_INFO_GPU VALUES (0, 5, 'used' || char(10), 1)");
  });
  CHECK(reading.content.metadata.device_names == Texts{"used???"});
}

TEST_CASE("graphs that were traced as a whole: said first, or the reason for nothing") {
  const Fill graphs = [](NsysMaker& maker) {
    maker.whole_graph({1000, 2'501'000, 41}).whole_graph({3'000'000, 4'000'000, 42});
    maker.whole_graph({0, 0, 43});
  };
  const std::string words =
      "CUDA graphs were traced as a whole (--cuda-graph-trace=graph): 3 graph launches hold 3.500 "
      "ms whose kernels are not in the file; record with --cuda-graph-trace=node";
  const Reading reading = read([&](NsysMaker& maker) {
    graphs(maker);
    maker.kernel("a", {1, 2, 1, 7, 0, 100}).kernel("b", {1, 2, 1, 7, 1, 200});
  });
  CHECK(reading.trace.first_notes == std::vector<std::string>{words});
  CHECK(reading.trace.device_events.size() == 2);

  const auto refused = try_read(graphs);
  REQUIRE_FALSE(refused.has_value());
  CHECK(refused.error().fault == AnalyzeFault::no_device_events);
  CHECK(refused.error().message == "n.sqlite: " + words);
}

TEST_CASE("of ranges those are kept that can be steps") {
  const Reading reading = read([](NsysMaker& maker) {
    maker.kernel("a", {1, 2}).range("once", 1, 100);
    for (int i = 0; i < 3; ++i) {
      maker.range(fmt::format("ProfilerStep#{}, op_id = {}", i, i), 200 + i, 300);
      maker.registered_range("decode loop", 400 + i, 500);
    }
    maker.range("backwards", 9, 3).range("backwards", 9, 3);
    maker.run(
        "INSERT INTO NVTX_EVENTS (start, end, eventType, text) VALUES (1, NULL, 34, 'mark'), (2, "
        "NULL, 34, 'mark'), (700, 800, 59, x'00'), (700, 800, 59, NULL)");
  });
  CHECK(marker_names(reading.trace) == Texts{"ProfilerStep#0", "ProfilerStep#1", "ProfilerStep#2",
                                             "decode loop", "decode loop", "decode loop"});
  CHECK(reading.trace.markers[0].kind == MarkerKind::user_annotation);
  CHECK(reading.trace.markers[0].dur_ns == 100);
}

TEST_CASE("more names than are allowed end the reading") {
  TempFolder folder;
  const auto path = folder.path() / "n.sqlite";
  {
    NsysMaker maker(path);
    for (int i = 0; i < 5; ++i) maker.kernel("k" + std::to_string(i), {i * 10 + 1, i * 10 + 5});
  }
  auto file = SqliteFile::open(path, "n.sqlite", {});
  REQUIRE(file.has_value());
  TraceBuilder builder(3);
  CHECK(read_nsys(**file, builder).has_value());
  CHECK(builder.limit_passed() == "different names");
}

TEST_CASE("other databases are no export of nsys") {
  TempFolder folder;
  SqliteMaker(folder.path() / "o.db").run("CREATE TABLE StringIds (id, value)");
  const auto file = SqliteFile::open(folder.path() / "o.db", "o.db", {});
  REQUIRE(file.has_value());
  CHECK_FALSE(is_nsys(**file));
}
