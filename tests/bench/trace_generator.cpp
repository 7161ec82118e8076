#include "tests/bench/trace_generator.h"

#include <fmt/format.h>

#include <array>
#include <iterator>
#include <random>
#include <string>
#include <vector>

namespace stepscope::bench {

namespace {

constexpr int kLayers = 61;
constexpr int kKernelsPerLayer = 26;
constexpr std::int64_t kStepNs = 25'000'000;
constexpr std::size_t kPieceBytes = 1U << 20;

// Demangled names grow with template depth: most have hundreds of bytes, matrix products over 1 kB.
std::string kernel_name(int kind) {
  constexpr std::array<std::string_view, 6> kFamilies = {
      "norm::rms_norm_kernel", "attention::paged_decode",  "moe::grouped_gemm",
      "quant::to_fp4",         "comm::all_reduce_oneshot", "gemm::device_kernel"};
  std::string shape = fmt::format("Tile<{}, {}, {}>", 64 << (kind % 3), 8 << (kind % 4), 32 + kind);
  std::string arguments = shape;
  int depth = kind % 6 == 5 ? 24 : 3 + kind % 5;
  for (int i = 0; i < depth; ++i) {
    arguments = fmt::format("Layout<{}, Stride<{}, 1, 0>>", arguments, i * 8 + kind);
    if (i % 3 == 0) arguments += ", Element<float_e2m1, float_ue4m3>";
  }
  return fmt::format("void {}<{}, {}>({}::Params, unsigned int, float const*)",
                     kFamilies[static_cast<std::size_t>(kind) % kFamilies.size()], arguments, shape,
                     shape);
}

class Generator {
 public:
  Generator(Style style, const std::function<void(std::string_view)>& write)
      : style_(style), write_(write) {
    for (int i = 0; i < kKernelsPerLayer; ++i) names_.push_back(kernel_name(i));
  }

  Generated run(std::uint64_t megabytes) {
    head();
    // As Kineto does: all CPU events, then all of the runtime and the device.
    std::uint64_t before = size();
    cpu_events(0);
    std::uint64_t cpu_bytes = size() - before;
    // One step of device work has about this size; measured on the text itself it would come late.
    std::uint64_t device_bytes = style_ == Style::graph ? 1'700'000 : 2'200'000;
    std::uint64_t steps = megabytes * 1'000'000 / (cpu_bytes + device_bytes);
    for (std::uint64_t step = 1; step < steps; ++step) cpu_events(step);
    for (std::uint64_t step = 0; step < steps || step == 0; ++step) device_events(step);
    add("\n  ],\n  \"traceName\": \"bench-TP-0-DECODE.trace.json\"\n}}\n");
    flush();
    return result_;
  }

 private:
  std::uint64_t size() const { return result_.bytes + text_.size(); }
  std::uint64_t random(std::uint64_t below) { return random_() % below; }

  template <typename... Args>
  void add(fmt::format_string<Args...> format, Args&&... args) {
    fmt::format_to(std::back_inserter(text_), format, std::forward<Args>(args)...);
    if (text_.size() > kPieceBytes) flush();
  }
  void flush() {
    write_(text_);
    result_.bytes += text_.size();
    text_.clear();
  }
  static std::string microseconds(std::uint64_t ns) {
    return fmt::format("{}.{:03}", ns / 1000, ns % 1000);
  }

  void head() {
    add("{{\n  \"schemaVersion\": 1,\n  \"deviceProperties\": [\n");
    add("    {{\n      \"id\": 0, \"name\": \"GPU\", \"numSms\": 148\n    }}\n  ],\n");
    add("  \"distributedInfo\": {{\"backend\": \"nccl\", \"rank\": 0, \"world_size\": 4}},\n");
    add("  \"displayTimeUnit\": \"ms\",\n  \"baseTimeNanoseconds\": 1759300668000000000,\n");
    add("  \"traceEvents\": [");
  }

  void event(std::string_view category, std::string_view name, int pid, int tid, std::uint64_t ts,
             std::uint64_t dur, std::string_view arguments) {
    add("{}\n  {{\n    \"ph\": \"X\", \"cat\": \"{}\", \"name\": \"{}\", \"pid\": {}, \"tid\": "
        "{},\n"
        "    \"ts\": {}, \"dur\": {},\n    \"args\": {{\n      {}\n    }}\n  }}",
        result_.events == 0 ? "" : ",", category, name, pid, tid, microseconds(ts),
        microseconds(dur), arguments);
    ++result_.events;
  }

  void flow(char phase, std::uint64_t id, int pid, int tid, std::uint64_t ts) {
    add(",\n  {{\n    \"ph\": \"{}\", \"id\": {}, \"pid\": {}, \"tid\": {}, \"ts\": {},\n"
        "    \"cat\": \"ac2g\", \"name\": \"ac2g\"{}\n  }}",
        phase, id, pid, tid, microseconds(ts), phase == 'f' ? ", \"bp\": \"e\"" : "");
    ++result_.events;
  }

  void cpu_events(std::uint64_t step) {
    std::uint64_t at = kBaseNs + step * kStepNs;
    event("user_annotation", "step[DECODE bs=4]", kCpu, kCpu, at, kStepNs - 100'000,
          fmt::format("\"External id\": {}", step));
    int count = style_ == Style::graph ? 14'000 : 5'000;
    for (int i = 0; i < count; ++i) {
      at += 200 + random(1500);
      ++cpu_id_;
      if (random(100) < 72) {
        event("python_function",
              fmt::format("engine/scheduler/module_{}.py({}): call_{}", random(40), random(900),
                          random(200)),
              kCpu, kCpu, at, 500 + random(400'000),
              fmt::format("\"Python parent id\": {}, \"Python id\": {}, \"Ev Idx\": {}",
                          cpu_id_ - random(20), cpu_id_, cpu_id_));
      } else {
        event("cpu_op", fmt::format("aten::op_{}", random(60)), kCpu, kCpu, at,
              300 + random(30'000),
              fmt::format("\"External id\": {}, \"Record function id\": 0, \"Concrete Inputs\": "
                          "[\"\", \"15\", \"0\", \"cuda:0\", \"False\"], \"Input type\": "
                          "[\"c10::BFloat16\", \"Scalar\", \"\", \"\", \"\"], \"Input Strides\": "
                          "[[7168, 1], [], [], [], []], \"Input Dims\": [[{}, 7168], [], [], [], "
                          "[]], \"Ev Idx\": {}",
                          cpu_id_, 1 + random(8), cpu_id_));
      }
    }
  }

  void launch(std::string_view name, std::uint64_t ts, std::uint64_t dur) {
    ++correlation_;
    event("cuda_runtime", name, kCpu, kCpu, ts, dur,
          fmt::format("\"External id\": {},\n      \"cbid\": 211, \"correlation\": {}", cpu_id_,
                      correlation_));
    flow('s', correlation_, kCpu, kCpu, ts);
  }

  void kernel(int kind, int stream, std::uint64_t ts, std::uint64_t dur) {
    std::string node = style_ == Style::graph
                           ? fmt::format(",\n      \"graph id\": 7, \"graph node id\": {}", ++node_)
                           : std::string();
    event("kernel", names_[static_cast<std::size_t>(kind)], 0, stream, ts, dur,
          fmt::format("\"External id\": {},\n      \"queued\": 0, \"device\": 0, \"context\": 1,\n"
                      "      \"stream\": {}, \"correlation\": {},\n"
                      "      \"registers per thread\": {},\n      \"shared memory\": {},\n"
                      "      \"blocks per SM\": {:.6f},\n      \"warps per SM\": {:.6f},\n"
                      "      \"grid\": [{}, 4, 1],\n      \"block\": [{}, 1, 1],\n"
                      "      \"est. achieved occupancy %\": {}{}",
                      cpu_id_, stream, correlation_, 32 + kind * 4, kind * 4096, 0.5 + kind / 8.0,
                      2.0 + kind, 64 + kind, 128 + kind * 32, 10 + kind, node));
    flow('f', correlation_, 0, stream, ts);
    ++result_.device_events;
  }

  void device_events(std::uint64_t step) {
    std::uint64_t host = kBaseNs + step * kStepNs + 100'000;
    std::uint64_t at = host + 200'000;
    if (style_ == Style::graph) launch("cudaGraphLaunch", host, 320'000);
    for (int layer = 0; layer < kLayers; ++layer) {
      for (int kind = 0; kind < kKernelsPerLayer; ++kind) {
        if (style_ == Style::eager) launch("cudaLaunchKernel", host, 3000 + random(2000));
        host += 4000;
        std::uint64_t dur = 1500 + static_cast<std::uint64_t>(kind) * 400 + random(500);
        kernel(kind, kind < 18 ? 39 : 461, at, dur);
        at += dur + 200 + random(700);
      }
    }
  }

  static constexpr std::uint64_t kBaseNs = 6'193'041'283'411'339;
  static constexpr int kCpu = 48'211;

  Style style_;
  const std::function<void(std::string_view)>& write_;
  std::mt19937_64 random_{42};
  std::vector<std::string> names_;
  std::string text_;
  Generated result_;
  std::uint64_t cpu_id_ = 100'000;
  std::uint64_t correlation_ = 5'000'000;
  std::uint64_t node_ = 0;
};

}  // namespace

Generated generate_trace(Style style, std::uint64_t megabytes,
                         const std::function<void(std::string_view)>& write) {
  return Generator(style, write).run(megabytes);
}

}  // namespace stepscope::bench
