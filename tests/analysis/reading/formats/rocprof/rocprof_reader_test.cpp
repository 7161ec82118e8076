#include "analysis/reading/formats/rocprof/rocprof_reader.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "analysis/reading/read_trace.h"
#include "tests/support/rocprof_text.h"
#include "tests/support/temp_folder.h"
#include "tests/support/trace_text.h"

using namespace stepscope::analysis;
using namespace stepscope::tests;

namespace {

std::expected<Trace, AnalyzeError> read(std::string_view text, std::string_view name = "r.json") {
  const TempFolder folder;
  const std::filesystem::path path = write_file(folder.path(), name, text);
  return read_trace(std::span(&path, 1), {});
}

Trace good(std::string_view text, std::string_view name = "r.json") {
  auto trace = read(text, name);
  REQUIRE_MESSAGE(trace.has_value(), (trace ? "" : trace.error().message));
  return *std::move(trace);
}

// name@device/stream start+duration of each device event.
std::vector<std::string> lines(const Trace& trace) {
  std::vector<std::string> result;
  for (const DeviceEvent& e : trace.device_events) {
    const Timeline& t = trace.timelines[e.timeline];
    result.push_back(trace.names[e.name] + "@" + t.device + "/" + t.stream + " " +
                     std::to_string(e.start_ns) + "+" + std::to_string(e.dur_ns));
  }
  return result;
}

RocprofText sample() {
  RocprofText text;
  text.symbol(8, "void k<int>(int)", "void k<int>(int) [clone .kd]", "_Zk.kd");
  text.symbol(9, "", "demangled() [clone .kd]", "_Zd.kd").symbol(10, "", "", "_Zraw.kd");
  text.dispatch(8, 100, 150, 21).dispatch(9, 200, 260, 22, 12).dispatch(10, 300, 370, 23);
  text.copy(2, 10, 11, 400, 410).copy(3, 12, 10, 500, 520);
  text.copy(4, 11, 12, 600, 630, R"(, "stream_id": {"handle": 6})").copy(1, 10, 10, 700, 740);
  text.call(1, 90, 95, 21).call(2, 190, 195, 22).call(0, 290, 292, 24).call(0, 80, 81, 30, 3);
  text.marker("step[DECODE bs=4]", 85, 270, 40).marker("a point", 86, 86, 41, 0);
  return text;
}

}  // namespace

TEST_CASE("the first name of the text tells") {
  CHECK(is_rocprof("{\"rocprofiler-sdk-tool\":[{"));
  CHECK(is_rocprof("\xEF\xBB\xBF\n { \"rocprofiler-sdk-tool\" : ["));
  CHECK_FALSE(is_rocprof("{\"traceEvents\": [\"rocprofiler-sdk-tool\"]"));
  CHECK_FALSE(is_rocprof("\"rocprofiler-sdk-tool\""));
  CHECK_FALSE(is_rocprof("{"));
}

TEST_CASE("kernels, copies, launches and markers of one process") {
  const Trace trace = good(sample().file());
  CHECK(lines(trace) ==
        std::vector<std::string>{"void k<int>(int)@0/3 100+50", "demangled()@1/3 200+60",
                                 "_Zraw@0/3 300+70", "Memcpy HtoD@0/copy HtoD 400+10",
                                 "Memcpy DtoH@1/copy DtoH 500+20", "Memcpy DtoD@0/6 600+30"});
  CHECK(trace.summary.kernels == 3);
  CHECK(trace.summary.memcpys == 3);
  CHECK(trace.device_events[0].correlation == 21);
  // 1000 work-items in groups of 256 are 4 groups.
  CHECK(trace.kernel_args[trace.device_events[0].args].grid == "[4, 2, 1]");
  CHECK(trace.kernel_args[trace.device_events[0].args].block == "[256, 1, 1]");
  REQUIRE(trace.launches.size() == 3);  // what only sets up a launch is none
  CHECK(trace.names[trace.launches[0].name] == "hipLaunchKernel");
  CHECK(trace.launches[0].correlation == 21);
  CHECK(trace.launches[0].start_ns == 90);
  CHECK(trace.launches[0].dur_ns == 5);
  REQUIRE(trace.markers.size() == 1);
  CHECK(trace.names[trace.markers[0].name] == "step[DECODE bs=4]");
  CHECK(trace.markers[0].start_ns == 85);
  CHECK(trace.markers[0].dur_ns == 185);
  // 3 dispatches, 4 copies, 4 calls, 2 markers.
  CHECK(trace.summary.events == 13);
  CHECK(trace.summary.complete);
  CHECK(trace.summary.device_names == std::vector<std::string>{"GPU one", "GPU two"});
  CHECK(trace.summary.notes ==
        std::vector<std::string>{"r.json: 1 copies from host to host are no work of a device"});
  REQUIRE(trace.scopes.size() == 1);
  CHECK_FALSE(trace.scopes[0].rank.has_value());
}

TEST_CASE("members in any order, gzip and indentation give the same") {
  const RocprofText text = sample();
  const std::vector<std::string> expected = lines(good(text.file()));
  std::vector<std::string> order = {"agents", "buffer_records", "kernel_symbols", "metadata",
                                    "strings"};
  do {
    const Trace trace = good(rocprof_file({text.process(order)}));
    CHECK(lines(trace) == expected);
    CHECK(trace.launches.size() == 3);
    CHECK(trace.markers.size() == 1);
  } while (std::ranges::next_permutation(order).found);
  CHECK(lines(good(gzip(text.file()))) == expected);
  std::string spaced;
  for (const char c : text.file()) {
    spaced += c;
    if (c == '{' || c == ',') spaced += "\n    ";
  }
  CHECK(lines(good(spaced)) == expected);
}

TEST_CASE("several processes are ranks in the order of their GPUs, with ids of their own") {
  RocprofText on_one(900);
  on_one.symbol(8, "a").dispatch(8, 100, 150, 1, 12).call(1, 90, 95, 1);
  RocprofText on_zero(1000);
  on_zero.symbol(8, "b").dispatch(8, 100, 150, 1, 11).call(1, 91, 95, 1);
  RocprofText launcher(800);
  launcher.call(0, 1, 2, 1);
  const Trace trace = good(rocprof_file({launcher.process(), on_one.process(), on_zero.process()}));
  REQUIRE(trace.scopes.size() == 2);
  CHECK(trace.scopes[0].rank == 0);
  CHECK(trace.scopes[1].rank == 1);
  REQUIRE(trace.timelines.size() == 2);
  CHECK(trace.timelines[0].pid == "1000");
  CHECK(trace.timelines[0].device == "0");
  CHECK(trace.timelines[1].pid == "900");
  CHECK(trace.timelines[1].device == "1");
  CHECK(trace.launches.size() == 2);
  CHECK(trace.launches[0].scope != trace.launches[1].scope);
  CHECK(trace.summary.notes.front() ==
        "r.json: 2 processes are taken for the ranks of the run, in the order of their GPUs");
  CHECK(trace.scopes[0].label == "GPU00-PID0001000");
  CHECK(trace.scopes[1].label == "GPU01-PID0000900");
}

TEST_CASE("processes that call themselves and their GPU the same are ranks of their own") {
  RocprofText first(900);
  first.symbol(8, "a").dispatch(8, 100, 150, 1, 11);
  RocprofText second(900);
  second.symbol(8, "b").dispatch(8, 100, 150, 1, 11);
  const Trace trace = good(rocprof_file({first.process(), second.process()}));
  REQUIRE(trace.scopes.size() == 2);
  CHECK(trace.scopes[0].label == "GPU00-PID0000900");
  CHECK(trace.scopes[1].label == "GPU00-PID0000900-000002");
}

TEST_CASE("one process among others without device work has the file's rank") {
  RocprofText text;
  text.symbol(8, "a").dispatch(8, 100, 150);
  RocprofText launcher(800);
  launcher.call(0, 1, 2, 1);
  const Trace trace =
      good(rocprof_file({launcher.process(), text.process()}), "host_rank5_results.json");
  REQUIRE(trace.scopes.size() == 1);
  CHECK(trace.scopes[0].rank == 5);
}

TEST_CASE("refused records are counted by reason") {
  RocprofText text;
  text.symbol(8, "a").dispatch(8, 100, 150).dispatch(8, 0, 150).dispatch(8, 100, 0);
  text.dispatch(8, 100, 99);
  text.raw("kernel_dispatch", R"({"start_timestamp": 1, "end_timestamp": 2})");
  text.raw("kernel_dispatch", R"({"size": 1})");
  const Trace trace = good(text.file());
  CHECK(trace.device_events.size() == 1);
  CHECK(trace.summary.dropped.bad_ts == 2);
  CHECK(trace.summary.dropped.no_dur == 1);
  CHECK(trace.summary.dropped.negative_dur == 1);
  CHECK(trace.summary.dropped.malformed == 1);
}

TEST_CASE("damage: the record is counted with its byte, the rest stands") {
  RocprofText text;
  text.symbol(8, "a").dispatch(8, 100, 150).raw("kernel_dispatch", R"({"size": 1, "x": "\q"})");
  text.dispatch(8, 200, 250).raw("kernel_dispatch", "17");
  const std::string file = text.file();
  const Trace trace = good(file);
  CHECK(trace.device_events.size() == 2);
  CHECK_FALSE(trace.summary.complete);
  CHECK_FALSE(trace.summary.cut_at_byte.has_value());
  REQUIRE(trace.summary.damaged.size() == 2);
  CHECK(trace.summary.damaged[0].byte == file.find("\\q") + 1);
  CHECK(trace.summary.damaged[0].reason == "illegal escape in a string");
  CHECK(trace.summary.damaged[1].byte == file.find("17]"));
  CHECK(trace.summary.damaged[1].reason == "a record that can not be read");
  CHECK(trace.summary.events == 4);
}

TEST_CASE("a lost kind keeps the numbers of those behind it") {
  std::string file = sample().file();
  const std::size_t at = file.find("\"NONE\", \"ENQUEUE\"");
  file.replace(at, 6, "\"NO\"NE\"");
  const Trace trace = good(file);
  REQUIRE(trace.launches.size() == 3);
  CHECK(trace.names[trace.launches[0].name] == "hipLaunchKernel");
}

TEST_CASE("a cut file gives what was complete, and says where it ends") {
  RocprofText text;
  text.symbol(8, "a").dispatch(8, 100, 150).dispatch(8, 200, 250);
  const std::string file = text.file();
  const std::string cut = file.substr(0, file.find("200") + 2);
  const Trace trace = good(cut);
  CHECK(trace.device_events.size() == 1);
  CHECK_FALSE(trace.summary.complete);
  CHECK(trace.summary.cut_at_byte == cut.size());
}

TEST_CASE("without dispatches: the reason") {
  RocprofText text;
  text.call(0, 1, 2, 1).call(1, 3, 4, 2);
  const auto result = read(text.file());
  REQUIRE_FALSE(result.has_value());
  CHECK(result.error().fault == AnalyzeFault::no_device_events);
  CHECK(result.error().message ==
        "r.json: rocprofv3 JSON without kernel dispatches (2 records of calls and markers); record "
        "with --kernel-trace, and with --hip-trace for the launches");
}
