#include "analysis/analyze.h"

#include <doctest/doctest.h>

#include <algorithm>

#include "analysis/passes/names/kernel_category.h"
#include "tests/support/trace_maker.h"

using namespace stepscope::analysis;
using namespace stepscope::tests;

namespace {

std::expected<Breakdown, AnalyzeError> run(const TraceMaker& maker,
                                           const AnalyzeOptions& options = {}) {
  const auto classifier = KernelClassifier::create("");
  REQUIRE(classifier.has_value());
  return analyze_trace(maker.build(), *classifier, options);
}

Breakdown result_of(const TraceMaker& maker, const AnalyzeOptions& options = {}) {
  auto result = run(maker, options);
  REQUIRE(result.has_value());
  return *std::move(result);
}

bool says(const std::vector<std::string>& notes, const std::string& sentence) {
  return std::find(notes.begin(), notes.end(), sentence) != notes.end();
}

// A decode step from start_ns: attention 20 and an expert GEMM of 10 that ends at +35.
void add_step(TraceMaker& maker, Ns start_ns, const std::string& marker, ScopeId scope = 0,
              const std::string& device = "0") {
  maker.mark(marker, start_ns - 50, start_ns - 1, MarkerKind::user_annotation, scope);
  maker.launched({"flash_attn", start_ns, 20, "7", {}, device, DeviceKind::kernel, scope},
                 start_ns - 45);
  maker.launched(
      {"fused_moe_kernel", start_ns + 25, 10, "7", {}, device, DeviceKind::kernel, scope},
      start_ns - 20);
}

}  // namespace

TEST_CASE("three decode steps: devices over the file, one step in the middle") {
  TraceMaker maker;
  for (const Ns start_ns : {1000, 1100, 1210}) add_step(maker, start_ns, "step[DECODE bs=4]");
  const Breakdown result = result_of(maker);
  REQUIRE(result.devices.size() == 1);
  const Accounting& device = result.devices[0].accounting;
  CHECK(device.window_ns == 245);  // 1000 to 1245
  CHECK(device.busy_ns == 90);
  CHECK(device.idle_ns == 155);
  CHECK(result.devices[0].launches == 6);
  REQUIRE(result.steps.size() == 3);
  CHECK(result.steps[1].start_ns == 100);  // since the first device event
  REQUIRE(result.shown.size() == 1);
  CHECK_FALSE(result.all_steps);
  CHECK(result.shown[0].step.index == 1);
  CHECK(result.shown[0].accounting.window_ns == 35);
  CHECK(result.shown[0].accounting.idle_ns == 5);
  CHECK(result.shown[0].spread.count == 2);
  CHECK(result.shown[0].spread.of == 3);
  CHECK_FALSE(result.table_version.empty());
  CHECK(result.analyzer_version == STEPSCOPE_VERSION);
  CHECK(result.diagnostics.outside_steps == 0);
}

TEST_CASE("no marker: one window over the file, and the report says so") {
  TraceMaker maker;
  maker.launched({"k1", 4, 6}, 0).launched({"k2", 11, 9}, 3);
  const Breakdown result = result_of(maker);
  REQUIRE(result.shown.size() == 1);
  CHECK(result.shown[0].step.source == "file");
  CHECK(result.shown[0].accounting.window_ns == 16);
  CHECK(result.shown[0].accounting.idle_ns == 1);
  CHECK(result.shown[0].idle_causes.latency_or_dependency == 1);
  CHECK(says(result.shown[0].notes, "no step markers: the whole file is one window"));
  CHECK_FALSE(result.shown[0].spread.only_first);
}

TEST_CASE("a suspect is raw in the devices and clipped in the step") {
  // "rare" claims 0-90 of a step of 100 and contains two others: clipped to the next start at 10.
  TraceMaker maker;
  maker.mark("step[DECODE bs=1]", -20, -1);
  maker.launched({"rare", 0, 90}, -10).launched({"x", 10, 20}, -9).launched({"x", 40, 30}, -8);
  maker.launched({"x", 95, 5}, -7);
  const Breakdown result = result_of(maker);
  CHECK(result.devices[0].accounting.busy_ns == 95);
  CHECK(result.devices[0].contained_events == 0);
  REQUIRE(result.suspects.size() == 1);
  CHECK(result.suspects[0].name == "rare");
  CHECK(result.suspects[0].claimed_ns == 90);
  CHECK(result.suspects[0].clipped_ns == 10);
  CHECK(result.suspects[0].stream == "7");
  CHECK(result.suspects[0].correlation.has_value());
  CHECK(result.shown[0].accounting.busy_ns == 65);  // 10 + 20 + 30 + 5
  CHECK(result.shown[0].accounting.idle_ns == 35);
}

TEST_CASE("a rare event is a suspect when it fills its step, however long the file") {
  TraceMaker maker;
  for (const Ns start_ns : {1000, 3000, 5000, 7000}) {
    add_step(maker, start_ns, "step[DECODE bs=4]");
  }
  // In the third step: 60 of a span of 100, over four kernels of stream 7.
  maker.launched({"rare", 5001, 60}, 4960).launched({"x", 5040, 5}, 4970);
  maker.launched({"x", 5050, 5}, 4980).launched({"x", 5095, 5}, 4990);
  const Breakdown result = result_of(maker);
  REQUIRE(result.suspects.size() == 1);
  CHECK(result.suspects[0].claimed_ns == 60);
  CHECK(result.suspects[0].clipped_ns == 24);  // to the expert GEMM at 5025
  CHECK(result.steps[2].span_ns == 100);
  CHECK(result.steps[2].busy_ns == 25 + 10 + 15);
}

TEST_CASE("containment without suspicion is counted and not touched") {
  TraceMaker maker;
  for (Ns i = 0; i < 4; ++i) {
    maker.add({"branch", i * 100, 50}).add({"x", i * 100 + 5, 5}).add({"x", i * 100 + 20, 5});
  }
  const Breakdown result = result_of(maker);
  CHECK(result.suspects.empty());
  CHECK(result.devices[0].contained_events == 8);
}

TEST_CASE("the lowest rank is shown, another on request, and a missing one refused") {
  TraceMaker maker;
  const ScopeId five = maker.scope(5);
  const ScopeId two = maker.scope(2);
  add_step(maker, 1000, "step[DECODE bs=4]", five);
  add_step(maker, 2000, "step[DECODE bs=4]", two);
  CHECK(result_of(maker).shown.at(0).step.rank == 2);
  CHECK(result_of(maker).steps.size() == 2);
  AnalyzeOptions options;
  options.rank = 5;
  CHECK(result_of(maker, options).shown.at(0).step.rank == 5);
  options.rank = 7;
  const auto refused = run(maker, options);
  REQUIRE_FALSE(refused.has_value());
  CHECK(refused.error().fault == AnalyzeFault::bad_option);
  CHECK(refused.error().message == "there is no rank 7: the trace has device events of rank 2, 5");
}

TEST_CASE("a phase that is in another file of the rank is found there") {
  TraceMaker maker;
  const ScopeId prefill = maker.scope(0, "a-TP-0-EXTEND.trace.json.gz");
  const ScopeId decode = maker.scope(0, "a-TP-0-DECODE.trace.json.gz");
  add_step(maker, 1000, "step[EXTEND bs=4 toks=99]", prefill);
  add_step(maker, 2000, "step[DECODE bs=4]", decode);
  AnalyzeOptions options;
  options.phase = "decode";
  CHECK(result_of(maker, options).shown.at(0).step.phase == "decode");
  options.phase = "prefill";
  CHECK(result_of(maker, options).shown.at(0).step.phase == "prefill");
}

TEST_CASE("no step of the phase: nothing is shown, and it is said") {
  TraceMaker maker;
  add_step(maker, 1000, "step[EXTEND bs=4 toks=99]");
  AnalyzeOptions options;
  options.phase = "decode";
  const Breakdown result = result_of(maker, options);
  CHECK(result.shown.empty());
  CHECK(says(result.diagnostics.notes, "no step of phase decode in this trace"));
}

TEST_CASE("every step, or one by its number") {
  TraceMaker maker;
  for (const Ns start_ns : {1000, 1100, 1210}) add_step(maker, start_ns, "step[DECODE bs=4]");
  AnalyzeOptions options;
  options.step = StepChoice::all;
  const Breakdown all = result_of(maker, options);
  CHECK(all.all_steps);
  REQUIRE(all.shown.size() == 3);
  CHECK(all.shown[2].step.index == 2);
  options.step = StepChoice::index;
  options.step_index = 2;
  CHECK(result_of(maker, options).shown.at(0).step.index == 2);
  options.step_index = 3;
  CHECK(run(maker, options).error().fault == AnalyzeFault::bad_option);
}

TEST_CASE("the stages of a rank in two files: the note names the file of the shown step") {
  TraceMaker maker;
  const ScopeId decode = maker.scope(0, "x-TP-0-DECODE.json");
  const ScopeId extend = maker.scope(0, "x-TP-0-EXTEND.json");
  add_step(maker, 1000, "step[DECODE bs=4]", decode);
  add_step(maker, 9000, "step[EXTEND bs=1 toks=40]", extend);
  AnalyzeOptions options;
  options.phase = "prefill";
  const auto result = run(maker, options);
  REQUIRE(result);
  CHECK(says(result->shown.at(0).notes,
             "device 0 of x-TP-0-EXTEND.json is shown; the rank has 2 devices in several files"));
}

TEST_CASE("two devices of one process: the first is shown, and its markers are not called empty") {
  TraceMaker maker;
  add_step(maker, 1000, "step[DECODE bs=4]", 0, "1");
  add_step(maker, 2000, "step[DECODE bs=4]", 0, "1");
  maker.launched({"k", 1000, 5, "7", {}, "0"}, 960);
  const Breakdown result = result_of(maker);
  CHECK(result.devices.size() == 2);
  CHECK(result.shown.at(0).step.device == "0");
  CHECK(says(result.shown[0].notes, "device 0 is shown; the rank has 2 devices"));
  CHECK(result.diagnostics.empty_markers == 0);
}

TEST_CASE("names that no rule matched are listed, the largest first") {
  TraceMaker maker;
  maker.add({"zzqqx", 0, 5}).add({"zzqqy", 5, 9}).add({"zzqqx", 14, 2}).add({"flash_attn", 20, 1});
  const Breakdown result = result_of(maker);
  CHECK(result.diagnostics.unmatched_names == std::vector<std::string>{"zzqqy", "zzqqx"});
  CHECK(result.diagnostics.unmatched_names_sum_ns == 16);
}

TEST_CASE("events outside of steps and empty markers are counted") {
  TraceMaker maker;
  add_step(maker, 1000, "step[DECODE bs=4]");
  maker.mark("step[DECODE bs=4]", 5000, 5100).add({"unlinked", 1500, 7});
  const Breakdown result = result_of(maker);
  CHECK(result.diagnostics.outside_steps == 1);
  CHECK(result.diagnostics.empty_markers == 1);
  CHECK(result.devices[0].unlinked_events == 1);
  CHECK(result.devices[0].unlinked_sum_ns == 7);
}

TEST_CASE("steps from annotations on the device are announced") {
  TraceMaker maker;
  maker.add({"a", 10, 5});
  maker.mark("step[DECODE bs=1]", 9, 16, MarkerKind::gpu_annotation);
  const Breakdown result = result_of(maker);
  CHECK(result.shown.at(0).step.source == "engine");
  CHECK(says(result.diagnostics.notes,
             "no launches in the file: steps are the annotations on the device"));
}

TEST_CASE("a graph capture is named as what it is") {
  TraceMaker maker;
  maker.launched({"a", 10, 5}, 5).mark("capture_32_DECODE", 0, 100);
  maker.launch("cudaLaunchKernel", 30, 1, 71).launch("cudaLaunchKernel", 40, 1, 72);
  const Breakdown result = result_of(maker);
  const std::string note =
      "this file records a graph capture: 2 of its launches have no device work; profile while "
      "requests run";
  CHECK(result.shown.at(0).notes.front() == note);
  CHECK(says(result.diagnostics.notes, note));
  // One launch more with work than without: a run in which a graph was captured as well.
  maker.launched({"b", 50, 5}, 45).launched({"c", 60, 5}, 55);
  CHECK_FALSE(says(result_of(maker).diagnostics.notes, note));
}

TEST_CASE("times that can not be summed in 64 bits are refused") {
  TraceMaker maker;
  for (Ns i = 0; i < 4; ++i) maker.add({"k", i, 3'000'000'000'000'000'000});
  const auto result = run(maker);
  REQUIRE_FALSE(result.has_value());
  CHECK(result.error().fault == AnalyzeFault::limit);
  CHECK(result.error().message ==
        "trace.json: times or durations are beyond 127 years: the file is broken");
}

TEST_CASE("a cancelled analysis ends") {
  TraceMaker maker;
  maker.add({"k", 0, 1});
  const std::atomic<bool> cancelled = true;
  AnalyzeOptions options;
  options.cancelled = &cancelled;
  CHECK(run(maker, options).error().fault == AnalyzeFault::cancelled);
}

TEST_CASE("a bad rule file is refused before any file is read") {
  AnalyzeOptions options;
  options.extra_rules = "(\tcomm-allgather\tcommunication\n";
  const std::filesystem::path path = "no-such-file.json";
  const auto result = analyze(std::span(&path, 1), options);
  REQUIRE_FALSE(result.has_value());
  CHECK(result.error().fault == AnalyzeFault::bad_option);
}

TEST_CASE("a file that is not there is named") {
  const std::filesystem::path path = "no-such-file.json";
  const auto result = analyze(std::span(&path, 1), {});
  REQUIRE_FALSE(result.has_value());
  CHECK(result.error().fault == AnalyzeFault::unreadable);
  CHECK(result.error().message.find("no-such-file.json") != std::string::npos);
}
