#include "analysis/reading/formats/kineto/kineto_reader.h"

#include <doctest/doctest.h>

#include <string>
#include <string_view>

using namespace stepscope::analysis;

namespace {

struct Reading {
  Trace trace;
  FileFacts facts;
  bool understood = true;  // every event
};

// `elements`: the text of events, each read as one.
template <typename... Text>
Reading read(const Text&... elements) {
  TraceBuilder builder(1000);
  KinetoReader reader(builder, "");
  Reading result;
  ((result.understood &= reader.on_event({.text = elements})), ...);
  builder.end_file(reader.metadata(), {});
  result.facts = reader.facts();
  result.trace = builder.finish();
  return result;
}

std::string with_category(std::string_view category) {
  return R"({"ph":"X","cat":")" + std::string(category) +
         R"(","name":"n","pid":3,"tid":5,"ts":1,"dur":2,"args":{"correlation":9}})";
}

const Timeline& timeline(const Trace& trace) {
  REQUIRE(trace.device_events.size() == 1);
  return trace.timelines[trace.device_events[0].timeline];
}

}  // namespace

TEST_CASE("categories of device work, of all ages and accelerators") {
  for (const char* category :
       {"kernel", "Kernel", "xpu_kernel", "privateuse1_kernel", "mtia_ccp_events"}) {
    CAPTURE(category);
    CHECK(read(with_category(category)).trace.summary.kernels == 1);
  }
  for (const char* category : {"gpu_memcpy", "Memcpy", "xpu_memcpy", "privateuse1_gpu_memcpy"}) {
    CAPTURE(category);
    CHECK(read(with_category(category)).trace.summary.memcpys == 1);
  }
  for (const char* category : {"gpu_memset", "Memset", "xpu_memset"}) {
    CAPTURE(category);
    CHECK(read(with_category(category)).trace.summary.memsets == 1);
  }
  for (const char* category : {"gpu_user_annotation", "cpu_op", "cuda_runtime", "ac2g", "overhead",
                               "cuda_profiler_range", "Trace", "kernels", ""}) {
    CAPTURE(category);
    Reading r = read(with_category(category));
    CHECK(r.trace.device_events.empty());
    CHECK(r.facts.events == 1);
    CHECK(r.facts.device_events == 0);
  }
  CHECK(read(with_category("cuda_profiler_range")).facts.profiler_ranges);
}

TEST_CASE("only complete events count") {
  Reading r = read(R"({"ph":"i","cat":"kernel","name":"n","ts":1,"dur":2})",
                   R"({"cat":"kernel","name":"n","ts":1,"dur":2})");
  CHECK(r.trace.device_events.empty());
  CHECK(r.facts.events == 2);
  CHECK(r.facts.device_events == 0);
}

TEST_CASE("device and stream of the arguments go before process and thread") {
  Reading r = read(R"({"args":{"stream":"stream 12","device":1,"correlation":"77","x":{"y":[1]}},)"
                   R"("tid":"stream 3","pid":0,"dur":"2.5","ts":"1.5","name":"k","cat":"kernel",)"
                   R"("ph":"X"})");
  CHECK(timeline(r.trace).pid == "0");
  CHECK(timeline(r.trace).device == "1");
  CHECK(timeline(r.trace).stream == "12");
  CHECK(r.trace.device_events[0].start_ns == 1500);
  CHECK(r.trace.device_events[0].dur_ns == 2500);
  CHECK(r.trace.device_events[0].correlation == 77);
  r = read(R"({"ph":"X","cat":"Kernel","name":"k","pid":4,"tid":"stream 7","ts":1,"dur":1})");
  CHECK(timeline(r.trace).device == "4");
  CHECK(timeline(r.trace).stream == "7");
  CHECK(r.trace.device_events[0].correlation == kNoCorrelation);
  r = read(R"({"ph":"X","cat":"kernel","name":"k","ts":1,"dur":1,"args":{"stream":null}})");
  CHECK(timeline(r.trace).device.empty());
  CHECK(timeline(r.trace).stream.empty());
}

TEST_CASE("names of steps may be written with escapes") {
  Reading r = read(
      R"({"ph":"X","cat":"cpu_op","name":"ProfilerStep#\u0033","ts":1,"dur":2})",
      R"({"ph":"X","cat":"python_function","name":"s\/m.py(1): r\u0075n_batch","ts":1,"dur":2})");
  REQUIRE(r.trace.markers.size() == 2);
  CHECK(r.trace.names[r.trace.markers[0].name] == "ProfilerStep#3");
  CHECK(r.trace.names[r.trace.markers[1].name] == "s/m.py(1): run_batch");
}

TEST_CASE("what makes a device event refused") {
  auto drops = [](std::string_view rest) {
    Reading r = read(R"({"ph":"X","cat":"kernel",)" + std::string(rest) + "}");
    CHECK(r.understood);
    CHECK(r.facts.device_events == 1);
    const DropCounts& d = r.trace.summary.dropped;
    return std::to_string(d.no_dur) + std::to_string(d.negative_dur) + std::to_string(d.bad_ts) +
           std::to_string(d.malformed);
  };
  CHECK(drops(R"("name":"k","ts":1,"dur":0)") == "0000");
  CHECK(drops(R"("name":null,"ts":1,"dur":1)") == "0000");
  CHECK(drops(R"("ts":1,"dur":1,"args":null)") == "0000");
  CHECK(drops(R"("name":"k","ts":1)") == "1000");
  CHECK(drops(R"("name":"k","ts":1,"dur":null)") == "1000");
  CHECK(drops(R"("name":"k","ts":1,"dur":"soon")") == "1000");
  CHECK(drops(R"("name":"k","ts":1,"dur":NaN)") == "1000");
  CHECK(drops(R"("name":"k","ts":1,"dur":-Infinity)") == "1000");
  CHECK(drops(R"("name":"k","ts":1,"dur":true)") == "1000");
  CHECK(drops(R"("name":"k","ts":1,"dur":{})") == "1000");
  CHECK(drops(R"("name":"k","ts":1,"dur":-0.001)") == "0100");
  CHECK(drops(R"("name":"k","dur":1)") == "0010");
  CHECK(drops(R"("name":"k","ts":NaN,"dur":1)") == "0010");
  CHECK(drops(R"("name":"k","ts":1e300,"dur":1)") == "0010");
  CHECK(drops(R"("name":7,"ts":1,"dur":1)") == "0001");
  CHECK(drops(R"("name":["k"],"ts":1,"dur":1)") == "0001");
  CHECK(drops(R"("name":")" + std::string(KinetoReader::kNameBytesMax + 1, 'n') +
              R"(","ts":1,"dur":1)") == "0001");
}

TEST_CASE("escapes in names, keys and categories") {
  Reading r = read(R"({"p\u0068":"X","cat":"k\u0065rnel","name":"a\"\u00e9","ts":1,"dur":1})");
  REQUIRE(r.trace.device_events.size() == 1);
  CHECK(r.trace.names[r.trace.device_events[0].name] == "a\"\xC3\xA9");
}

TEST_CASE("launches are runtime and driver calls with a correlation") {
  for (const char* category : {"cuda_runtime", "cuda_driver", "Runtime"}) {
    Reading r = read(with_category(category));
    REQUIRE(r.trace.launches.size() == 1);
    CHECK(r.trace.launches[0].correlation == 9);
    CHECK(r.trace.launches[0].start_ns == 1000);
    CHECK(r.trace.launches[0].dur_ns == 2000);
    CHECK(r.trace.has_launches);
    CHECK(r.trace.has_cpu_events);
  }
  Reading r = read(R"({"ph":"X","cat":"cuda_runtime","name":"cudaFree","ts":1,"dur":2})",
                   R"({"ph":"X","cat":"cuda_runtime","name":"hipGraphLaunch","ts":1,"dur":2,)"
                   R"("args":{"correlation":18446744073709551615}})");
  CHECK(r.facts.launches == 1);
  CHECK(r.facts.kernel_launches == 1);
  CHECK(r.trace.launches[0].correlation == -1);  // beyond int64 it only has to be distinct
}

TEST_CASE("markers: annotations, profiler steps and the frames that run a step") {
  auto marker = [](std::string_view category, std::string_view name) {
    Reading r = read(R"({"ph":"X","cat":")" + std::string(category) + R"(","name":")" +
                     std::string(name) + R"(","pid":1,"tid":1,"ts":1,"dur":2})");
    return r.trace.markers.empty() ? -1 : static_cast<int>(r.trace.markers[0].kind);
  };
  int user = static_cast<int>(MarkerKind::user_annotation);
  CHECK(marker("user_annotation", "step[DECODE bs=4]") == user);
  CHECK(marker("cpu_op", "ProfilerStep#3") == user);
  CHECK(marker("Operator", "ProfilerStep #3") == user);
  CHECK(marker("cpu_op", "ProfilerStep#x") == -1);
  CHECK(marker("cpu_op", "aten::mm") == -1);
  CHECK(marker("gpu_user_annotation", "x") == static_cast<int>(MarkerKind::gpu_annotation));
  int frame = static_cast<int>(MarkerKind::python_frame);
  CHECK(marker("python_function", "scheduler.py(9): run_batch") == frame);
  CHECK(marker("python_function", "scheduler.py(9): _run_batch_inner") == frame);
  CHECK(marker("python_function", "runner.py(1): execute_model") == frame);
  CHECK(marker("python_function", "runner.py(1): my_run_batch") == -1);
  CHECK(marker("python_function", "runner.py(1): execute_model_state") == -1);
  Reading r =
      read(R"({"ph":"X","cat":"python_function","name":"f","ts":1,"dur":2})",
           R"({"ph":"X","cat":"user_annotation","name":"capture_32_DECODE","ts":1,"dur":2})");
  CHECK(r.trace.python_stacks);
  CHECK(r.trace.has_capture_markers);
  CHECK(r.facts.capture_markers);
}

TEST_CASE("RPD: events without a category under a GPU's process are device work in nanoseconds") {
  Reading r =
      read(R"({"name":"process_name","ph":"M","pid":"2","args":{"name":"GPU2"}})",
           R"({"pid":"2","tid":"0","name":"CopyHostToDevice","ts":"100","dur":"20","ph":"X"})",
           R"({"pid":"2","tid":"0","name":"gemm","ts":"130","dur":"7","ph":"X","args":{}})",
           R"({"pid":"9","tid":"9","name":"hipLaunchKernel","ts":"90","dur":"5","ph":"X"})",
           R"({"pid":"2","name":"sclk","ph":"C","ts":95,"args":{"sclk":800}})");
  CHECK(r.facts.nanoseconds);
  CHECK(r.facts.events == 5);
  CHECK(r.trace.summary.memcpys == 1);
  CHECK(r.trace.summary.kernels == 1);
  CHECK(r.trace.summary.origin_ns == 100);
  CHECK(r.trace.device_events[1].dur_ns == 7);
  CHECK(r.trace.has_cpu_events);
}

TEST_CASE("an event that is no strict JSON is handed back") {
  CHECK_FALSE(read(R"({"ph":"X","cat":"kernel","name":"a " b","ts":1,"dur":1})").understood);
  CHECK_FALSE(read(R"({"ph":"X","cat":"kernel","ts":1,,"dur":1})").understood);
  // What nobody needs is not looked at to its end.
  CHECK(read(R"({"ph":"X","cat":"ac2g","name":"a " b"})").understood);
}

TEST_CASE("a kernel keeps how it was launched and by which operator") {
  Reading r =
      read(R"({"ph":"X","cat":"kernel","name":"k","pid":0,"tid":7,"ts":1,"dur":2,"args":{)"
           R"("External id":57,"grid":[132,1,1],"block":[384, 1, 1],"correlation":9}})",
           R"({"ph":"X","cat":"kernel","name":"k","pid":0,"tid":7,"ts":5,"dur":2})",
           R"({"ph":"X","cat":"gpu_memcpy","name":"c","pid":0,"tid":7,"ts":9,"dur":2,"args":{)"
           R"("external id":4294967296,"bytes":8}})",
           R"({"args":{"block":[384, 1, 1],"grid":[132,1,1]},"tid":7,"pid":0,"dur":2,"ts":11,)"
           R"("name":"k","cat":"kernel","ph":"X"})");
  const Trace& t = r.trace;
  REQUIRE(t.device_events.size() == 4);
  REQUIRE(t.kernel_args.size() == 2);
  CHECK(t.kernel_args[1].grid == "[132, 1, 1]");
  CHECK(t.kernel_args[1].block == "[384, 1, 1]");
  CHECK(t.device_events[0].args == 1);
  CHECK(t.device_events[0].external_id == 57);
  CHECK(t.device_events[1].args == 0);  // nothing of the event before
  CHECK(t.device_events[1].external_id == 0);
  CHECK(t.device_events[2].external_id == 0);
  CHECK(t.device_events[3].args == 1);
}

TEST_CASE("arguments of a collective may be written with escapes") {
  Reading r = read(R"({"ph":"X","cat":"kernel","name":"n","pid":0,"tid":7,"ts":1,"dur":2,"args":{)"
                   R"("Collective name":"_\u0061llgather_base","Process Group Name":"a\/b",)"
                   R"("Process Group Ranks":"[0, 1]","dtype":"Float","In msg nelems":4}})");
  const KernelArgs& args = r.trace.kernel_args.at(1);
  CHECK(args.collective == "allgather_base");
  CHECK(args.group == "a/b");
  CHECK(args.group_ranks == "[0, 1]");
  CHECK(args.in_elements == 4);
  CHECK_FALSE(args.out_elements.has_value());
}

TEST_CASE("sizes of matrix products and attention") {
  Reading r = read(
      R"({"ph":"X","cat":"cpu_op","name":"aten::mm","pid":1,"tid":1,"ts":1,"dur":2,"args":{)"
      R"("External id":5,"Input Dims":[[4,7168],[7168,2112]]}})",
      R"({"ph":"X","cat":"Operator","name":"aten::addmm","pid":1,"tid":1,"ts":1,"dur":2,"args":{)"
      R"("external id":4,"Input dims":[[8],[2,3],[3,8]]}})",
      R"({"ph":"X","cat":"cpu_op","name":"aten::mm","ts":1,"dur":2,"args":{"External id":6}})",
      R"({"ph":"X","cat":"cpu_op","name":"aten::mm","ts":1,"dur":2,"args":{"Input Dims":[[1]]}})",
      R"({"ph":"X","cat":"cpu_op","name":"aten::add","ts":1,"dur":2,"args":{"External id":7,)"
      R"("Input Dims":[[1]]}})");
  const Trace& t = r.trace;
  REQUIRE(t.op_shapes.size() == 2);
  CHECK(t.op_shapes[0].external_id == 4);
  CHECK(t.names[t.op_shapes[0].op] == "aten::addmm");
  CHECK(t.names[t.op_shapes[0].dims] == "[[8], [2, 3], [3, 8]]");
  CHECK(t.op_shapes[1].external_id == 5);
  CHECK(t.names[t.op_shapes[1].dims] == "[[4, 7168], [7168, 2112]]");
  CHECK(t.markers.empty());
  CHECK(t.has_cpu_events);
}
