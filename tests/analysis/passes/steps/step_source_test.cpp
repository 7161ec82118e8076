#include "analysis/passes/steps/step_source.h"

#include <doctest/doctest.h>

#include "tests/analysis/passes/trace_fixture.h"

using namespace stepscope::analysis;
using namespace stepscope::tests;

namespace {

StepSet steps_of(const TraceMaker& maker, std::size_t device = 0) {
  const TraceFixture fixture(maker);
  return find_steps(fixture.view, LaunchLinks(fixture.trace), fixture.device(device));
}

// Two kernels, launched at 5 and 105.
TraceMaker two_kernels() {
  TraceMaker maker;
  maker.launched({"k", 10, 20}, 5).launched({"k", 110, 20}, 105);
  return maker;
}

}  // namespace

TEST_CASE("engine markers win over frames, profiler steps and annotations") {
  TraceMaker maker = two_kernels();
  maker.mark("ProfilerStep#3", 0, 200).mark("loop", 0, 50).mark("loop", 100, 150);
  maker.mark("scheduler.py(9): run_batch", 0, 100, MarkerKind::python_frame);
  maker.mark("step[DECODE bs=1]", 0, 50);
  const StepSet set = steps_of(maker);
  CHECK(set.source == StepSource::engine);
  REQUIRE(set.steps.size() == 1);
  CHECK(set.steps[0].phase == "decode");
  CHECK(set.outside_events == 1);
}

TEST_CASE("a source that owns nothing is passed over") {
  TraceMaker maker = two_kernels();
  maker.mark("step[DECODE bs=1]", 300, 400);  // nothing was launched in it
  maker.mark("scheduler.py(9): run_batch", 0, 100, MarkerKind::python_frame);
  maker.mark("scheduler.py(12): _run_batch_inner", 1, 99, MarkerKind::python_frame);
  maker.mark("scheduler.py(9): run_batch", 100, 200, MarkerKind::python_frame);
  const StepSet set = steps_of(maker);
  CHECK(set.source == StepSource::python_frame);
  REQUIRE(set.steps.size() == 2);
  CHECK(set.steps[0].label == "scheduler.py(9): run_batch");
  CHECK(set.steps[0].phase == "unknown");
  CHECK(set.empty_markers == 0);
}

TEST_CASE("profiler steps; a marker without device events is counted") {
  TraceMaker maker = two_kernels();
  maker.mark("ProfilerStep#1", 0, 100).mark("ProfilerStep#2", 100, 200);
  maker.mark("ProfilerStep#3", 200, 300);
  const StepSet set = steps_of(maker);
  CHECK(set.source == StepSource::profiler_step);
  CHECK(set.steps.size() == 2);
  CHECK(set.empty_markers == 1);
}

TEST_CASE("one annotation that repeats and owns at least half of the busy time") {
  TraceMaker maker = two_kernels();
  maker.mark("other", 0, 3).mark("other", 4, 6);  // owns one kernel: no two steps
  maker.mark("forward", 0, 50).mark("forward", 100, 150);
  CHECK(steps_of(maker).source == StepSource::annotation);
  CHECK(steps_of(maker).steps[0].label == "forward");
  maker.add({"unlinked", 1000, 41});  // now 40 of 81
  CHECK(steps_of(maker).source == StepSource::file);
}

TEST_CASE("of two annotations that own the same the first by name") {
  TraceMaker maker = two_kernels();
  maker.mark("zeta", 0, 60).mark("zeta", 100, 160);
  maker.mark("alpha", 1, 50).mark("alpha", 101, 150);
  CHECK(steps_of(maker).steps[0].label == "alpha");
}

TEST_CASE("capture is never a step") {
  TraceMaker maker = two_kernels();
  maker.mark("capture_32_DECODE", 0, 50).mark("capture_32_DECODE", 100, 150);
  CHECK(steps_of(maker).source == StepSource::file);
}

TEST_CASE("no marker: the whole file is one step") {
  const StepSet set = steps_of(two_kernels());
  CHECK(set.source == StepSource::file);
  REQUIRE(set.steps.size() == 1);
  CHECK(set.steps[0].events.size() == 2);
  CHECK(set.outside_events == 0);
  CHECK(source_name(set.source) == "file");
}

TEST_CASE("without any launch the spans on the device count, by where a kernel starts") {
  TraceMaker maker;
  maker.add({"a", 10, 5}).add({"b", 20, 90}).add({"c", 115, 1});
  maker.mark("step[DECODE bs=1]", 0, 5);  // host time says nothing about unlinked kernels
  maker.mark("step[DECODE bs=1]", 9, 26, MarkerKind::gpu_annotation);
  maker.mark("step[DECODE bs=1]", 110, 120, MarkerKind::gpu_annotation);
  const StepSet set = steps_of(maker);
  CHECK(set.source == StepSource::engine);
  CHECK(set.by_device_span);
  REQUIRE(set.steps.size() == 2);
  CHECK(set.steps[0].events == std::vector<EventIndex>{0, 1});
  CHECK(set.steps[1].events == std::vector<EventIndex>{2});
}

TEST_CASE("with launches in the file the spans on the device are no steps") {
  TraceMaker maker = two_kernels();
  maker.mark("step[DECODE bs=1]", 9, 26, MarkerKind::gpu_annotation);
  CHECK(steps_of(maker).source == StepSource::file);
}

TEST_CASE("markers of one process own nothing of another") {
  TraceMaker maker = two_kernels();
  const ScopeId other = maker.scope(1);
  maker.launched({"k", 10, 20, "7", {}, "0", DeviceKind::kernel, other}, 5);
  maker.mark("step[DECODE bs=1]", 0, 50, MarkerKind::user_annotation, other);
  CHECK(steps_of(maker, 0).source == StepSource::engine);  // rank 1 comes before no rank
  CHECK(steps_of(maker, 1).source == StepSource::file);
}

TEST_CASE("a phase that no marker names comes from the file name") {
  TraceMaker maker;
  const ScopeId decode = maker.scope(0, "1776848313.6-TP-0-DECODE.trace.json.gz");
  maker.launched({"k", 10, 20, "7", {}, "0", DeviceKind::kernel, decode}, 5);
  maker.mark("ProfilerStep#1", 0, 50, MarkerKind::user_annotation, decode);
  CHECK(steps_of(maker).steps[0].phase == "decode");
  maker.mark("step[EXTEND bs=1]", 0, 50, MarkerKind::user_annotation, decode);
  CHECK(steps_of(maker).steps[0].phase == "prefill");  // what a marker says goes before
}

TEST_CASE("a replay that waits long for other ranks before its layers is a step all the same") {
  // 3 layers of 30 in one replay, and 500 of communication before it: a wait is no work.
  TraceMaker maker;
  maker.launched({"nccl wait", 1000, 500}, 990);
  maker.launch("cudaGraphLaunch", 1200, 5, 7);
  for (int i = 0; i < 3; ++i) {
    const Ns at_ns = 1500 + i * 30;
    maker.add({"gemm", at_ns, 10, "7", 7}).add({"attn", at_ns + 10, 10, "7", 7});
    maker.add({"gemm", at_ns + 20, 10, "7", 7});
  }
  const StepSet set = steps_of(maker);
  CHECK(set.source == StepSource::graph_launch);
  REQUIRE(set.steps.size() == 1);
  CHECK(set.steps[0].events.size() == 10);  // what precedes the replay is its own
}
