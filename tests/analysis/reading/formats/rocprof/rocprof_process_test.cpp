#include "analysis/reading/formats/rocprof/rocprof_process.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

using namespace stepscope::analysis;

namespace {

constexpr std::string_view kGpu3 =
    R"({"id": {"handle": 90}, "type": 2, "name": "gfx", "product_name": "", "node_id": 7,
        "logical_node_type_id": 3})";
constexpr std::string_view kDispatch =
    R"({"start_timestamp": 10, "end_timestamp": 30, "correlation_id": {"internal": 4},
        "dispatch_info": {"agent_id": {"handle": 90}, "queue_id": {"handle": 16},
        "kernel_id": 5}})";

struct Bench {
  TraceBuilder builder{1000};
  FileFacts facts;
  RocprofProcess process{builder, facts};
  std::vector<std::string> notes;

  Trace finish() {
    process.settle();
    process.hand_over("", notes);
    builder.end_file({}, std::nullopt);
    return builder.finish();
  }
};

}  // namespace

TEST_CASE("a dispatch may come before all that its ids stand for") {
  Bench bench;
  CHECK(bench.process.take(RocprofList::dispatches, kDispatch));
  CHECK(bench.process.take(RocprofList::kernel_symbols,
                           R"({"kernel_id": 5, "kernel_name": "_Zk.kd"})"));
  CHECK(bench.process.take(RocprofList::agents, kGpu3));
  CHECK(bench.process.take(RocprofList::metadata, R"({"pid": 12})"));
  CHECK(bench.process.has_device_rows());
  const Trace trace = bench.finish();
  REQUIRE(trace.device_events.size() == 1);
  CHECK(trace.device_events[0].start_ns == 10);
  CHECK(trace.device_events[0].dur_ns == 20);
  CHECK(trace.device_events[0].correlation == 4);
  CHECK(trace.names[trace.device_events[0].name] == "_Zk");
  CHECK(trace.timelines[0].pid == "12");
  CHECK(trace.timelines[0].device == "3");
  CHECK(trace.timelines[0].stream == "16");
  CHECK(bench.notes == std::vector<std::string>{
                           "streams are the queues of the hardware: the file names no other"});
}

TEST_CASE("what the file does not name is called by its number") {
  Bench bench;
  CHECK(bench.process.take(RocprofList::dispatches, kDispatch));
  const Trace trace = bench.finish();
  CHECK(trace.names == std::vector<std::string>{"unknown kernel 5"});
  CHECK(trace.timelines[0].device == "agent 90");
  CHECK(bench.notes.size() == 2);
}

TEST_CASE("labels sort by the lowest device that worked, and a name stands for an empty product") {
  Bench bench;
  CHECK(bench.process.take(RocprofList::agents, kGpu3));
  CHECK(bench.process.take(RocprofList::dispatches, kDispatch));
  CHECK(bench.process.take(RocprofList::metadata, R"({"pid": 12})"));
  bench.process.settle();
  CHECK(bench.process.label() == "GPU03-PID0000012");
  CHECK(bench.process.device_names() == std::vector<std::string>{"gfx"});
}

TEST_CASE("GPUs without a number of their own are counted by node") {
  Bench bench;
  for (const char* agent : {R"({"id": {"handle": 3}, "type": 2, "node_id": 9})",
                            R"({"id": {"handle": 90}, "type": 2, "node_id": 4})",
                            R"({"id": {"handle": 5}, "type": 1, "node_id": 0})"}) {
    CHECK(bench.process.take(RocprofList::agents, agent));
  }
  CHECK(bench.process.take(RocprofList::dispatches, kDispatch));
  CHECK(bench.finish().timelines[0].device == "0");
}

TEST_CASE("limits are named") {
  Bench bench;
  CHECK(bench.process.limit_passed().empty());
  for (std::size_t i = 0; i <= RocprofProcess::kKindsMax; ++i) bench.process.lost_kind();
  CHECK(bench.process.limit_passed() == "kinds of operations");
}
