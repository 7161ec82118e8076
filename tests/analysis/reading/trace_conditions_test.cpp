// Conditions of real traces, each rebuilt small, with the figures that a reader must deliver for
// them: calls, sums and windows, worked out by hand in the comments.

#include <doctest/doctest.h>

#include <algorithm>
#include <limits>
#include <map>
#include <string>
#include <vector>

#include "analysis/reading/read_trace.h"
#include "tests/support/temp_folder.h"
#include "tests/support/trace_text.h"

using namespace stepscope::analysis;
using stepscope::tests::gzip;
using stepscope::tests::TempFolder;
using stepscope::tests::TraceText;
using stepscope::tests::write_file;

namespace {

Trace read(const std::string& bytes) {
  TempFolder folder;
  std::vector<std::filesystem::path> paths = {write_file(folder.path(), "trace.json", bytes)};
  auto trace = read_trace(paths, {});
  if (!trace) FAIL(trace.error().message);
  return std::move(*trace);
}

Ns window_ns(const Trace& t) {
  Ns end = std::numeric_limits<Ns>::min();
  for (const DeviceEvent& e : t.device_events) end = std::max(end, e.start_ns + e.dur_ns);
  return end - t.summary.origin_ns;
}

Ns sum_ns(const Trace& t, const std::string& name = "") {
  Ns sum = 0;
  for (const DeviceEvent& e : t.device_events) {
    if (name.empty() || t.names[e.name] == name) sum += e.dur_ns;
  }
  return sum;
}

// device:stream -> sum
std::map<std::string, Ns> stream_sums(const Trace& t) {
  std::map<std::string, Ns> sums;
  for (const DeviceEvent& e : t.device_events) {
    const Timeline& line = t.timelines[e.timeline];
    sums[line.device + ":" + line.stream] += e.dur_ns;
  }
  return sums;
}

std::string args(const std::string& stream, int correlation, const std::string& device = "0") {
  return "\"device\": " + device + ", \"stream\": " + stream +
         ", \"correlation\": " + std::to_string(correlation);
}

}  // namespace

TEST_CASE("ROCm: copies written as kernels, a 64-bit stream value") {
  const std::string hip = "94370480881664";
  TraceText text;
  text.launch("hipLaunchKernel", "5312849500000.000", "1.000", 1);
  text.add({.name = "Cijk_Ailk",
            .ts = "5312849500002.000",
            .dur = "8.000",
            .tid = hip,
            .args = args(hip, 1)});
  text.add({.name = "__amd_rocclr_copyBuffer.kd",
            .ts = "5312849500010.000",
            .dur = "2.000",
            .tid = hip,
            .args = args(hip, 2)});
  text.add({.cat = "gpu_memcpy",
            .name = "Memcpy HtoD (Host -> Device)",
            .ts = "5312849500012.000",
            .dur = "0.500",
            .tid = hip,
            .args = args(hip, 3)});
  text.add({.name = "ncclDevKernel_Generic",
            .ts = "5312849500006.000",
            .dur = "9.000",
            .tid = "3",
            .args = args("3", 4)});
  Trace t = read(text.object());
  // What a copy is by name is decided later: the reader keeps the profiler's category.
  CHECK(t.summary.kernels == 3);
  CHECK(t.summary.memcpys == 1);
  CHECK(stream_sums(t) == std::map<std::string, Ns>{{"0:94370480881664", 10'500}, {"0:3", 9'000}});
  CHECK(window_ns(t) == 13'000);  // 2 to 15
  CHECK(t.timelines[0].stream == "3");
}

TEST_CASE("durations that are zero, negative, null or absent") {
  TraceText text;
  text.kernel("good", "100.000", "10.000").kernel("zero", "110.000", "0.000");
  text.kernel("neg", "111.000", "-1.000").kernel("null", "113.000", "null");
  text.raw(R"({"ph": "X", "cat": "kernel", "name": "none", "ts": 112.000, "args": {}})").raw("{}");
  text.kernel("good", "115.000", "5.000");
  Trace t = read(text.object());
  CHECK(t.summary.events == 7);
  CHECK(t.summary.device_events == 3);
  CHECK(t.summary.dropped.no_dur == 2);
  CHECK(t.summary.dropped.negative_dur == 1);
  CHECK(sum_ns(t, "good") == 15'000);
  CHECK(sum_ns(t, "zero") == 0);
  CHECK(window_ns(t) == 20'000);
}

TEST_CASE("annotations on the device's rows are markers, not work") {
  TraceText text;
  text.add(
      {.cat = "gpu_user_annotation", .name = "step[DECODE bs=4]", .ts = "0.000", .dur = "100.000"});
  text.add({.cat = "gpu_user_annotation",
            .name = "nn.Module: MoE",
            .ts = "20.000",
            .dur = "50.000",
            .args = R"("stream": 7, "device": 0)"});
  text.annotation("nccl:all_reduce", "0.000", "90.000");
  text.kernel("k1", "0.000", "20.000").kernel("k2", "25.000", "15.000");
  text.kernel("k3", "60.000", "40.000");
  Trace t = read(text.object());
  CHECK(t.summary.device_events == 3);
  CHECK(sum_ns(t) == 75'000);
  CHECK(window_ns(t) == 100'000);
  REQUIRE(t.markers.size() == 3);
  CHECK(t.names[t.markers[0].name] == "step[DECODE bs=4]");  // of equal start, the longest first
  CHECK(t.markers[0].kind == MarkerKind::gpu_annotation);
  CHECK(t.markers[1].kind == MarkerKind::user_annotation);
}

TEST_CASE("one graph launch owns many kernels; flows and counters are no events of ours") {
  TraceText text;
  text.launch("cudaLaunchKernel", "0.000", "3.000", 40).kernel("embed", "6.000", "2.000", 40);
  text.raw(
      R"({"ph": "s", "id": 40, "pid": 100, "tid": 100, "ts": 0, "cat": "ac2g", "name": "ac2g"})");
  text.launch("cudaGraphLaunch", "10.000", "8.000", 50);
  const char* names[] = {"qkv", "fmha", "oproj", "gate_up", "down"};
  const char* starts[] = {"30.000", "35.500", "45.000", "49.500", "56.000"};
  const char* durations[] = {"5.000", "9.000", "4.000", "6.000", "4.000"};
  for (std::size_t i = 0; i < 5; ++i) text.kernel(names[i], starts[i], durations[i], 50);
  text.raw(R"({"ph": "f", "id": 50, "pid": 0, "tid": 7, "ts": 30, "cat": "ac2g", "name": "ac2g",)"
           R"( "bp": "e"})");
  text.raw(R"({"ph": "C", "name": "clock", "pid": 0, "ts": 1, "args": {"mhz": 1700}})");
  Trace t = read(text.object());
  CHECK(t.summary.events == 11);
  CHECK(t.summary.device_events == 6);
  CHECK(std::ranges::count(t.device_events, 50, &DeviceEvent::correlation) == 5);
  REQUIRE(t.launches.size() == 2);
  CHECK(t.names[t.launches[1].name] == "cudaGraphLaunch");
  CHECK(sum_ns(t) == 30'000);
  CHECK(window_ns(t) == 54'000);  // 6 to 60
}

TEST_CASE("gzip of three members, byte order mark, CRLF, events out of order") {
  std::string text = TraceText()
                         .kernel("k3", "10.000", "4.000")
                         .kernel("k1", "0.000", "4.000")
                         .kernel("k2", "5.000", "4.000")
                         .object();
  std::string crlf = "\xEF\xBB\xBF";
  for (char c : text) crlf += c == '\n' ? std::string("\r\n") : std::string(1, c);
  std::string packed =
      gzip(crlf.substr(0, 100)) + gzip(crlf.substr(100, 1)) + gzip(crlf.substr(101));
  Trace t = read(packed);
  REQUIRE(t.device_events.size() == 3);
  CHECK(t.names[t.device_events[0].name] == "k1");
  CHECK(sum_ns(t) == 12'000);
  CHECK(window_ns(t) == 14'000);
  CHECK(t.summary.complete);
  CHECK(t.summary.damaged_count == 0);
}

TEST_CASE("nested step markers, whose kernels run after them") {
  TraceText text;
  for (int step = 0; step < 3; ++step) {
    std::string at = std::to_string(step * 100);
    text.annotation("step[DECODE bs=4]", at + ".000", "80.000");
    text.annotation("execute_context_0(0)_generation_4(4)", std::to_string(step * 100 + 5) + ".000",
                    "60.000");
    text.launch("cudaGraphLaunch", std::to_string(step * 100 + 20) + ".000", "30.000", step + 10);
    text.kernel("attn", std::to_string(step * 100 + 60) + ".000", "21.000", step + 10);
    text.kernel("moe", std::to_string(step * 100 + 85) + ".000", "10.000", step + 10);
  }
  Trace t = read(text.object());
  CHECK(t.summary.events == 15);
  REQUIRE(t.markers.size() == 6);
  CHECK(t.markers[5].start_ns == 205'000);
  CHECK(t.launches.size() == 3);
  CHECK(sum_ns(t) == 93'000);      // 3 x (21 + 10)
  CHECK(window_ns(t) == 235'000);  // 60 to 295
}

TEST_CASE("a bare array without any metadata: one rank without a number") {
  Trace t = read(TraceText()
                     .launch("cudaLaunchKernel", "5312849500000.000", "2.000", 1)
                     .kernel("k1", "5312849500004.000", "6.000", 1)
                     .launch("cudaLaunchKernel", "5312849500003.000", "2.000", 2)
                     .kernel("k2", "5312849500011.000", "9.000", 2)
                     .array());
  REQUIRE(t.scopes.size() == 1);
  CHECK_FALSE(t.scopes[0].rank.has_value());
  CHECK_FALSE(t.summary.world_size.has_value());
  CHECK(t.markers.empty());
  CHECK(window_ns(t) == 16'000);
  CHECK(sum_ns(t) == 15'000);
}

TEST_CASE("short kernels are exact to the nanosecond, far from the origin") {
  Trace t = read(TraceText()
                     .kernel("tiny", "5312849500000.101", "1.101")
                     .kernel("tiny", "5312849500001.303", "1.999")
                     .kernel("small", "5312849500003.404", "2.345")
                     .object());
  CHECK(sum_ns(t, "tiny") == 3'100);
  CHECK(sum_ns(t, "small") == 2'345);
  CHECK(window_ns(t) == 5'648);  // 0.101 to 5.749
}

TEST_CASE("kernels that overlap on one stream all stay") {
  Trace t = read(TraceText()
                     .kernel("gemm_a", "0.000", "10.000")
                     .kernel("norm_b", "9.400", "3.000")
                     .kernel("gemm_c", "12.000", "8.000")
                     .kernel("gemm_a", "21.000", "5.000")
                     .object());
  CHECK(t.summary.device_events == 4);
  CHECK(sum_ns(t) == 26'000);
  CHECK(window_ns(t) == 26'000);
}

TEST_CASE("times as strings, as epoch microseconds with decimals, with exponents; huge ids") {
  TraceText text;
  text.kernel("a", "\"1760000000000000.125\"", "\"3.125\"");
  text.add({.name = "b",
            .ts = "1760000000000003.375",
            .dur = "2.001",
            .args = args("7", 2) + R"(, "Comms Id": 18446744073709551615)"});
  text.kernel("a", "1760000000000005.501", "1.5e1");
  text.add({.cat = "cpu_op",
            .name = "aten::mm",
            .ts = "1760000000000000.000",
            .dur = "9",
            .tid = "140589156634432"});
  Trace t = read(text.object());
  CHECK(sum_ns(t, "a") == 18'125);
  CHECK(sum_ns(t, "b") == 2'001);
  CHECK(window_ns(t) == 20'376);
  // The gaps of 0.125 us behind the first two kernels survive.
  CHECK(t.device_events[1].start_ns - t.device_events[0].start_ns == 3'250);
  CHECK(t.device_events[2].start_ns - t.device_events[1].start_ns == 2'126);
}

TEST_CASE("two devices with equal stream and correlation numbers stay apart") {
  TraceText text;
  for (const char* device : {"0", "1"}) {
    for (const char* ts : {"0.000", "20.000"}) {
      text.add(
          {.name = "k", .ts = ts, .dur = "10.000", .pid = device, .args = args("7", 1, device)});
    }
  }
  Trace t = read(text.object());
  CHECK(stream_sums(t) == std::map<std::string, Ns>{{"0:7", 20'000}, {"1:7", 20'000}});
  CHECK(t.timelines.size() == 2);
  CHECK(t.summary.duplicates == 0);
}

TEST_CASE("kernels without a launch count like all others") {
  TraceText text;
  text.launch("cudaLaunchKernel", "20.000", "2.000", 7);
  text.kernel("early", "0.000", "10.000", 3).kernel("linked", "25.000", "5.000", 7);
  text.kernel("zero", "31.000", "4.000", 0);
  text.add(
      {.name = "loose", .ts = "36.000", .dur = "3.000", .args = R"("device": 0, "stream": 7)"});
  Trace t = read(text.object());
  CHECK(t.summary.device_events == 4);
  CHECK(sum_ns(t) == 22'000);
  CHECK(window_ns(t) == 39'000);
  CHECK(t.device_events[2].correlation == 0);
  CHECK(t.device_events[3].correlation == kNoCorrelation);
}

TEST_CASE("every kernel written twice counts once") {
  TraceText text;
  for (int copy = 0; copy < 2; ++copy) {
    text.kernel("a", "1.000", "2.000", 1).kernel("b", "4.000", "2.000", 2);
  }
  Trace t = read(text.object());
  CHECK(t.summary.device_events == 2);
  CHECK(t.summary.duplicates == 2);
  CHECK(t.summary.events == 4);
}
