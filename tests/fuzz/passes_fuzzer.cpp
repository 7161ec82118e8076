// Bytes as device events, launches and step markers in memory: the passes and reports see shapes
// that few files have (overlaps, ties, streams that compete, markers inside one another), many more
// a second than by way of text.

#include <fuzzer/FuzzedDataProvider.h>

#include <array>
#include <string>
#include <utility>
#include <vector>

#include "tests/fuzz/checked_analysis.h"
#include "tests/support/trace_maker.h"

namespace {

using namespace stepscope;
using tests::DeviceEventSpec;

constexpr std::size_t kEventsMax = 150;

constexpr std::array kNames = {"rms_norm_kernel",
                               "nvjet_tst_64x8_64x16_4x1_v_bz_TNT",
                               "fmhaSm100aKernel_QkvE4m3OBfloat16HQk576HV512",
                               "ncclDevKernel_AllReduce_Sum_bf16_RING_LL",
                               "void tensorrt_llm::allreduce_fusion_kernel_oneshot_lamport<2>()",
                               "bmm_E2m1_E2m1E2m1_Fp32_t128x8x512_swiGlu",
                               "moe::dev::routing::routingMainKernel",
                               "moe::dev::finalize::finalizeKernel",
                               "void act_and_mul_kernel<silu>",
                               "quantize_with_block_size",
                               "Memcpy DtoD (Device -> Device)",
                               "<script>alert(1)</script> | `x` @you #1",
                               "an unknown one",
                               ""};

constexpr std::array kMarkers = {"step[DECODE bs=4]",
                                 "step[EXTEND bs=1 toks=70]",
                                 "ProfilerStep#3",
                                 "execute_context_1(9)_generation_0(0)",
                                 "scheduler.py(9): run_batch",
                                 "capture_bs=1",
                                 "draft[bs=4]"};

class TraceFromBytes {
 public:
  TraceFromBytes(const std::uint8_t* data, std::size_t size) : input_(data, size) {
    if (input_.ConsumeBool()) other_ = maker_.scope(1, "rank1.json");
  }

  analysis::Trace make() {
    while (input_.remaining_bytes() > 0 && made_.size() < kEventsMax) {
      const auto what = input_.ConsumeIntegralInRange(0, 15);
      if (what == 0) {
        repeat();
      } else if (what <= 2) {
        mark();
      } else {
        add(event(), what % 2 == 0);
      }
    }
    if (made_.empty()) add({.name = kNames[0], .dur_ns = 5}, false);
    return maker_.build();
  }

 private:
  analysis::Ns time_step() {
    // Mostly short, so that events meet.
    const unsigned unit = input_.ConsumeIntegralInRange(0U, 5U);
    const analysis::Ns steps = input_.ConsumeIntegral<std::uint8_t>();
    return unit == 5 ? steps * 1'000'000 : steps * (unit + 1);
  }

  DeviceEventSpec event() {
    DeviceEventSpec spec;
    spec.name = input_.PickValueInArray(kNames);
    now_ += time_step();
    spec.start_ns = now_;
    spec.dur_ns = time_step();
    spec.stream = input_.PickValueInArray({"7", "7", "7", "20", "3", "x"});
    if (input_.ConsumeIntegralInRange(0, 7) == 0) spec.kind = analysis::DeviceKind::memcpy;
    if (input_.ConsumeIntegralInRange(0, 7) == 0) spec.device = "1";
    if (input_.ConsumeIntegralInRange(0, 3) == 0) spec.scope = other_;
    return spec;
  }

  void add(const DeviceEventSpec& spec, bool with_launch) {
    made_.push_back(spec);
    if (with_launch) {
      maker_.launched(spec, spec.start_ns - input_.ConsumeIntegral<std::uint8_t>());
    } else if (graph_ != 0) {
      DeviceEventSpec node = spec;
      node.correlation = graph_;
      maker_.add(node);
    } else {
      maker_.add(spec);
    }
  }

  // The last events again, once or more: layers and steps.
  void repeat() {
    const auto count = input_.ConsumeIntegralInRange<std::size_t>(1, 40);
    const int times = input_.ConsumeIntegralInRange(1, 8);
    const std::size_t first = made_.size() - std::min(made_.size(), count);
    const std::vector<DeviceEventSpec> run(made_.begin() + static_cast<std::ptrdiff_t>(first),
                                           made_.end());
    if (run.empty()) return;
    for (int i = 0; i < times && made_.size() < kEventsMax; ++i) {
      if (input_.ConsumeBool()) {
        graph_ = 500'000 + static_cast<std::int64_t>(made_.size());
        maker_.launch("cudaGraphLaunch", now_, 4000, graph_);
      }
      const analysis::Ns shift = now_ + time_step() - run.front().start_ns;
      for (DeviceEventSpec spec : run) {
        spec.start_ns += shift;
        now_ = std::max(now_, spec.start_ns);
        add(spec, false);
      }
    }
    graph_ = 0;
  }

  void mark() {
    const analysis::Ns start = now_ - time_step();
    maker_.mark(input_.PickValueInArray(kMarkers), start, start + time_step() * 8,
                input_.PickValueInArray({analysis::MarkerKind::user_annotation,
                                         analysis::MarkerKind::gpu_annotation,
                                         analysis::MarkerKind::python_frame}),
                input_.ConsumeBool() ? other_ : 0);
  }

  FuzzedDataProvider input_;
  tests::TraceMaker maker_;
  std::vector<DeviceEventSpec> made_;
  analysis::ScopeId other_ = 0;
  analysis::Ns now_ = 1'000'000;
  std::int64_t graph_ = 0;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  fuzz::analyze_events(TraceFromBytes(data + 1, size - 1).make(), data[0]);
  return 0;
}
