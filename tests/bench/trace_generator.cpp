#include "tests/bench/trace_generator.h"

#include <fmt/format.h>

#include <algorithm>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "tests/bench/kernel_texts.h"
#include "tests/bench/odd_events.h"

namespace stepscope::bench {

namespace {

constexpr std::int64_t kBaseNs = 6'412'087'551'930'412;  // of the first step
constexpr std::int64_t kStepNs = 25'000'000;
constexpr int kLayers = 61;
constexpr int kDenseLayers = 3;
constexpr int kSetupLaunches = 14;
constexpr int kSetupCopies = 4;  // of these
constexpr int kGraphCpuEvents = 14'000;
constexpr int kEagerCpuEvents = 5'000;
constexpr int kDevicePid = 0;
constexpr int kCpuPid = 51'377;
constexpr int kMainStream = 27;
constexpr int kExpertStream = 344;
constexpr int kGatherStream = 58;

std::string ranks_text(int world_size) {
  std::string list = "[0";
  for (int rank = 1; rank < world_size; ++rank) list += fmt::format(", {}", rank);
  return list + "]";
}

// The device events of one rank, and the CPU events of the same time.
class RankEvents {
 public:
  RankEvents(const TraceShape& shape, int rank, EventWriter& writer)
      : eager_(shape.style == Style::eager),
        world_size_(shape.world_size),
        writer_(writer),
        random_(shape.seed * 1000 + static_cast<std::uint64_t>(rank)) {}

  void head() {
    for (int device = 0; device < world_size_; ++device) {
      writer_.metadata("process_name", {device, 0}, {"name", "\"python3\""});
      writer_.metadata("process_labels", {device, 0},
                       {"labels", fmt::format("\"GPU {}\"", device)});
    }
    for (const int stream : {kMainStream, kGatherStream, kExpertStream}) {
      writer_.metadata("thread_name", {kDevicePid, stream},
                       {"name", fmt::format("\"stream {}\"", stream)});
    }
  }

  void cpu_step(std::uint64_t step) {
    std::int64_t at = start_of(step);
    writer_.complete("user_annotation", "step[DECODE bs=16]", {kCpuPid, kCpuPid},
                     {at, kStepNs - 100'000}, {id("External id", ++operator_id_)});
    const int events = eager_ ? kEagerCpuEvents : kGraphCpuEvents;
    const std::uint64_t gap_ns = eager_ ? 8000 : 3000;
    for (int i = 0; i < events; ++i) {
      at += static_cast<std::int64_t>(200 + random(gap_ns));
      if (random(100) < 72) {
        python_frame(at);
      } else {
        cpu_operator(at);
      }
    }
  }

  void device_step(std::uint64_t step) {
    host_ns_ = start_of(step) + 100'000;
    device_ns_ = host_ns_ + 200'000;
    setup();
    for (int i = 0; i < 2; ++i) {
      launch("cudaLaunchKernelExC", 430, 5000);
      device_ns_ = kernel(texts_.gather, kGatherStream, device_ns_);
    }
    if (!eager_) {
      launch("cudaGraphLaunch", 311, 310'000);
      graph_ = true;
    }
    for (int layer = 0; layer < kLayers; ++layer) layer_kernels(layer);
    graph_ = false;
    launch("cudaEventSynchronize", 136, 1'900'000);
  }

  void odd() {
    const OddEvents odd = odd_events(writer_.pid_text(kDevicePid), writer_.pid_text(kCpuPid),
                                     (kBaseNs - 1'000'000) / 1000);
    for (const std::string& event : odd.events) writer_.raw(event);
    truth_.device_events += odd.device_events;
    truth_.device_sum_ns += odd.device_sum_ns;
    truth_.no_dur += odd.no_dur;
  }

  const Truth& truth() const { return truth_; }

 private:
  static std::int64_t start_of(std::uint64_t step) {
    return kBaseNs + static_cast<std::int64_t>(step) * kStepNs;
  }
  // Not a distribution of the library: these differ from one to the next.
  std::uint64_t random(std::uint64_t below) { return random_() % below; }
  template <typename Texts>
  const auto& any(const Texts& texts) {
    return texts[random(texts.size())];
  }
  static Field id(const char* key, std::uint64_t value, bool new_line = false) {
    return {key, fmt::to_string(value), new_line};
  }

  void python_frame(std::int64_t at) {
    const std::string& name = any(frames_);
    std::vector<Field> arguments;
    if (name.starts_with("nn.Module")) arguments.push_back(id("Python module id", random(kLayers)));
    ++frame_id_;
    arguments.push_back(id("Python parent id", frame_id_ - std::min(frame_id_, random(20) + 1)));
    arguments.push_back(id("Python id", frame_id_));
    arguments.push_back(id("Ev Idx", ++event_id_));
    const int thread = random(10) == 0 ? static_cast<int>(random(6)) : 0;
    writer_.complete("python_function", name, {kCpuPid, kCpuPid + thread},
                     {at, static_cast<std::int64_t>(500 + random(400'000))}, std::move(arguments));
  }

  void cpu_operator(std::int64_t at) {
    writer_.complete(
        "cpu_op", any(operators_), {kCpuPid, kCpuPid},
        {at, static_cast<std::int64_t>(300 + random(30'000))},
        {id("External id", ++operator_id_),
         id("Record function id", 0),
         {"Concrete Inputs", R"(["", "16", "0", "cuda:0", "False", ""])"},
         {"Input type", R"(["c10::BFloat16", "Scalar", "Scalar", "", "Scalar", "TensorList"])"},
         {"Input Strides", "[[7168, 1], [], [], [], [], []]"},
         {"Input Dims", fmt::format("[[{}, 7168], [], [], [], [], []]", 1 + random(8))},
         id("Ev Idx", ++event_id_)});
  }

  void launch(const char* name, int call, std::int64_t dur_ns) {
    ++correlation_;
    writer_.complete("cuda_runtime", name, {kCpuPid, kCpuPid}, {host_ns_, dur_ns},
                     {id("External id", operator_id_),
                      {"cbid", fmt::to_string(call), true},
                      id("correlation", correlation_)});
    writer_.flow('s', correlation_, {kCpuPid, kCpuPid}, host_ns_);
    host_ns_ += dur_ns;
  }

  void launch_kernel() {
    launch("cudaLaunchKernel", 211, static_cast<std::int64_t>(2600 + random(1000)));
  }

  std::vector<Field> kernel_arguments(const KernelText& text, int stream) {
    const double blocks = static_cast<double>(text.grid_x) * text.grid_y / 148;
    std::vector<Field> arguments = {
        id("External id", operator_id_),
        {"queued", "0", true},
        {"device", "0"},
        {"context", "1"},
        {"stream", fmt::to_string(stream), true},
        id("correlation", correlation_),
        {"registers per thread", fmt::to_string(text.registers), true},
        {"shared memory", fmt::to_string(text.shared_bytes), true},
        {"blocks per SM", fmt::format("{:.6f}", blocks), true},
        {"warps per SM", fmt::format("{:.6f}", blocks * text.block_x / 32), true},
        {"grid", fmt::format("[{}, {}, 1]", text.grid_x, text.grid_y), true},
        {"block", fmt::format("[{}, 1, 1]", text.block_x), true},
        {"est. achieved occupancy %", fmt::to_string(text.grid_x * text.grid_y % 100), true}};
    if (graph_) arguments.push_back(id("graph node id", ++node_, true));
    if (&text == &texts_.gather) {
      arguments.insert(arguments.end(), {{"Collective name", "\"_allgather_base\"", true},
                                         {"In msg nelems", "114688"},
                                         {"Out msg nelems", "458752"},
                                         {"Group size", fmt::to_string(world_size_)},
                                         {"dtype", "\"BFloat16\"", true},
                                         {"Process Group Name", "\"17\""},
                                         {"Process Group Ranks", ranks_text(world_size_)}});
    }
    return arguments;
  }

  // Returns when the next one may start. Each kernel has a slot of constant length, so that the
  // ranks stay together, and takes a random part of it; collectives end together.
  std::int64_t kernel(const KernelText& text, int stream, std::int64_t slot_ns) {
    const std::int64_t length_ns = text.dur_ns + text.dur_ns / 8 + 900;
    const auto late_ns = static_cast<std::int64_t>(random(400));
    const auto spread_ns = static_cast<std::int64_t>(random(text.dur_ns / 4 + 1));
    const std::int64_t dur_ns =
        text.collective ? length_ns - 300 - late_ns : text.dur_ns * 7 / 8 + spread_ns;
    writer_.complete("kernel", text.name, {kDevicePid, stream}, {slot_ns + late_ns, dur_ns},
                     kernel_arguments(text, stream));
    writer_.flow('f', correlation_, {kDevicePid, stream}, slot_ns + late_ns);
    count(dur_ns);
    return slot_ns + length_ns;
  }

  void copy() {
    const auto dur_ns = static_cast<std::int64_t>(1100 + random(600));
    writer_.complete("gpu_memcpy", "Memcpy HtoD (Pinned -> Device)", {kDevicePid, kMainStream},
                     {device_ns_, dur_ns},
                     {id("External id", operator_id_),
                      {"device", "0", true},
                      {"context", "1"},
                      {"stream", fmt::to_string(kMainStream), true},
                      id("correlation", correlation_),
                      {"bytes", "64", true},
                      {"memory bandwidth (GB/s)", "0.05161290322580645"}});
    writer_.flow('f', correlation_, {kDevicePid, kMainStream}, device_ns_);
    count(dur_ns);
  }

  void count(std::int64_t dur_ns) {
    ++truth_.device_events;
    truth_.device_sum_ns += dur_ns;
  }

  void setup() {
    for (int i = 0; i < kSetupLaunches; ++i) {
      const auto gap_ns = static_cast<std::int64_t>(random(6000));
      if (i < kSetupCopies) {
        launch("cudaMemcpyAsync", 41, 4500 + gap_ns);
        copy();
      } else {
        launch_kernel();
        kernel(texts_.setup[static_cast<std::size_t>(i) % texts_.setup.size()], kMainStream,
               device_ns_);
      }
      device_ns_ += 20'000;
    }
  }

  void layer_kernels(int layer) {
    std::int64_t beside_ns = device_ns_ + 40'000;
    for (const KernelText& text : texts_.layer) {
      if (eager_) launch_kernel();
      device_ns_ = kernel(text, kMainStream, device_ns_);
    }
    if (layer < kDenseLayers) return;
    for (const KernelText& text : texts_.experts) {
      if (eager_) launch_kernel();
      beside_ns = kernel(text, kExpertStream, beside_ns);
    }
  }

  bool eager_;
  int world_size_;
  EventWriter& writer_;
  std::mt19937_64 random_;
  KernelTexts texts_ = kernel_texts();
  std::vector<std::string> frames_ = python_frames();
  std::vector<std::string> operators_ = operators();
  Truth truth_;
  bool graph_ = false;
  std::int64_t host_ns_ = 0;
  std::int64_t device_ns_ = 0;
  std::uint64_t operator_id_ = 200'000;
  std::uint64_t frame_id_ = 0;
  std::uint64_t event_id_ = 0;
  std::uint64_t correlation_ = 3'000'000;
  std::uint64_t node_ = 0;
};

Layout layout_of(Style style) {
  switch (style) {
    case Style::sorted:
      return Layout::sorted;
    case Style::merged:
      return Layout::one_line;
    default:
      return Layout::lines;
  }
}

// A merger appends the lists of its files.
std::string devices(int files, int world_size) {
  std::string list = "[";
  for (int i = 0; i < files * world_size; ++i) {
    list += fmt::format(R"({}{{"id": {}, "name": "NVIDIA B200", "totalGlobalMem": 191514345472, )"
                        R"("computeMajor": 10, "computeMinor": 0, "warpSize": 32, "numSms": 148}})",
                        i == 0 ? "" : ", ", i % world_size);
  }
  return list + "]";
}

std::vector<Field> top_fields(const TraceShape& shape) {
  const int files = shape.style == Style::merged ? shape.world_size : 1;
  return {{"schemaVersion", "1"},
          {"deviceProperties", devices(files, shape.world_size)},
          {"cupti_version", "26"},
          {"distributedInfo", fmt::format(R"({{"backend": "nccl", "rank": {}, "world_size": {}}})",
                                          shape.rank, shape.world_size)},
          {"with_stack", "1"},
          {"record_shapes", "1"},
          {"displayTimeUnit", "\"ms\""},
          {"baseTimeNanoseconds", "1768000000000000000"},
          {"traceName", fmt::format("\"bench-TP-{}-DECODE.trace.json\"", shape.rank)}};
}

// Of one rank, by writing one to nowhere.
std::uint64_t step_bytes(const TraceShape& shape) {
  EventWriter writer(layout_of(shape.style), [](std::string_view) {});
  RankEvents events(shape, 0, writer);
  events.cpu_step(0);
  events.device_step(0);
  return writer.bytes();
}

}  // namespace

Generated generate_trace(const TraceShape& shape, const Sink& sink) {
  const bool merged = shape.style == Style::merged;
  const int ranks = merged ? shape.world_size : 1;
  const std::uint64_t a_step = static_cast<std::uint64_t>(ranks) * step_bytes(shape);
  const std::uint64_t steps =
      std::max<std::uint64_t>(1, (shape.megabytes * 1'000'000 + a_step / 2) / a_step);
  EventWriter writer(layout_of(shape.style), sink);
  Generated made;
  writer.open(top_fields(shape));
  for (int i = 0; i < ranks; ++i) {
    const int rank = merged ? i : shape.rank;
    if (merged) writer.label(fmt::format("TP{0:02}-EP{0:02}", rank));
    RankEvents events(shape, rank, writer);
    events.head();
    if (shape.odd) events.odd();
    // As Kineto does: all CPU events, then all of the runtime and the device.
    for (std::uint64_t step = 0; step < steps; ++step) events.cpu_step(step);
    for (std::uint64_t step = 0; step < steps; ++step) events.device_step(step);
    made.truth.device_events += events.truth().device_events;
    made.truth.device_sum_ns += events.truth().device_sum_ns;
    made.truth.no_dur += events.truth().no_dur;
  }
  writer.close();
  made.truth.bytes = writer.bytes();
  made.truth.events = writer.events();
  made.shares = writer.shares();
  return made;
}

const std::vector<std::pair<std::string, Style>>& styles() {
  static const std::vector<std::pair<std::string, Style>> list = {{"graph", Style::graph},
                                                                  {"eager", Style::eager},
                                                                  {"sorted", Style::sorted},
                                                                  {"merged", Style::merged}};
  return list;
}

std::string name_of(Style style) {
  return std::ranges::find(styles(), style, &std::pair<std::string, Style>::second)->first;
}

}  // namespace stepscope::bench
