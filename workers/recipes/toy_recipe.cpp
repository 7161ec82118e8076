#include "workers/recipes/toy_recipe.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <thread>
#include <vector>

#include "workers/recipes/toy_moe.h"

namespace stepscope::workers {
namespace {

constexpr std::string_view kTraceName = "toy-moe.trace.json";
constexpr int kHostThread = 100;
constexpr int kPromptStride = 7;  // any prompt will do; this one differs between sequences

// Microseconds with three decimals: the unit of the format, and exact.
std::string microseconds(std::int64_t ns) { return fmt::format("{}.{:03}", ns / 1000, ns % 1000); }

runtime::Result<void> check(const ToyRecipeOptions& options) {
  const auto out_of_range = [](std::string_view name, int value, int most) {
    return runtime::fail(fmt::format("{} is {}, allowed is 1 to {}", name, value, most));
  };
  if (options.conc < 1 || options.conc > 64) return out_of_range("--conc", options.conc, 64);
  if (options.isl < 1 || options.isl > 1024) return out_of_range("--isl", options.isl, 1024);
  if (options.steps < 1 || options.steps > 64) return out_of_range("--steps", options.steps, 64);
  return {};
}

runtime::Result<void> write_file(const std::filesystem::path& path, const std::string& text) {
  std::ofstream out(path, std::ios::binary | std::ios::trunc);
  out << text;
  out.close();
  if (!out) return runtime::fail(fmt::format("can not write {}", path.filename().string()));
  return {};
}

// Runs the prompt and the decode steps; each pass gets the marker that an engine would write.
std::vector<TimedMarker> run_passes(ToyMoe& model, const ToyRecipeOptions& options,
                                    int vocabulary) {
  std::vector<TimedMarker> markers;
  std::vector<ToyRow> rows;
  for (int sequence = 0; sequence < options.conc; ++sequence) {
    for (int position = 0; position < options.isl; ++position) {
      const int token = (sequence * kPromptStride + position * (sequence + 1)) % vocabulary;
      rows.push_back({sequence, position, token});
    }
  }
  for (int step = 0; step <= options.steps; ++step) {
    std::string name = step == 0
                           ? fmt::format("step[EXTEND bs={} toks={}]", options.conc, rows.size())
                           : fmt::format("step[DECODE bs={}]", options.conc);
    const std::int64_t start_ns = steady_now_ns();
    const std::vector<int> tokens = model.forward(rows);
    markers.push_back({std::move(name), start_ns, steady_now_ns() - start_ns});
    rows.clear();
    for (int sequence = 0; sequence < options.conc; ++sequence) {
      rows.push_back({sequence, options.isl + step, tokens[static_cast<std::size_t>(sequence)]});
    }
  }
  return markers;
}

}  // namespace

std::string cpu_description() {
  std::ifstream in("/proc/cpuinfo");
  std::string model = "unknown processor";
  for (std::string line; std::getline(in, line);) {
    if (!line.starts_with("model name")) continue;
    const auto colon = line.find(": ");
    if (colon != std::string::npos) model = line.substr(colon + 2);
    break;
  }
  return fmt::format("{}, {} threads", model, std::thread::hardware_concurrency());
}

std::string kineto_text(std::span<const TimedOp> ops, std::span<const TimedLaunch> launches,
                        std::span<const TimedMarker> markers, std::int64_t base_ns,
                        const std::string& device_name) {
  std::vector<std::string> events;
  for (const TimedMarker& marker : markers) {
    events.push_back(fmt::format(
        R"({{"ph":"X","cat":"user_annotation","name":"{}","pid":{},"tid":{},"ts":{},"dur":{}}})",
        marker.name, kHostThread, kHostThread, microseconds(marker.start_ns),
        microseconds(marker.dur_ns)));
  }
  std::map<std::int64_t, std::size_t> operator_of;  // by the correlation of what it launched
  for (const TimedLaunch& launch : launches) {
    if (!launch.by.name.empty()) {
      const std::size_t id = operator_of.size() + 1;
      operator_of.emplace(launch.correlation, id);
      events.push_back(
          fmt::format(R"({{"ph":"X","cat":"cpu_op","name":"{}","pid":{},"tid":{},"ts":{},"dur":{},)"
                      R"("args":{{"External id":{},"Input Dims":{}}}}})",
                      launch.by.name, kHostThread, kHostThread, microseconds(launch.start_ns),
                      microseconds(launch.dur_ns), id, launch.by.dims));
    }
    events.push_back(fmt::format(
        R"({{"ph":"X","cat":"cuda_runtime","name":"toyLaunchKernel","pid":{},"tid":{},"ts":{},)"
        R"("dur":{},"args":{{"correlation":{}}}}})",
        kHostThread, kHostThread, microseconds(launch.start_ns), microseconds(launch.dur_ns),
        launch.correlation));
  }
  for (const TimedOp& op : ops) {
    const auto by = operator_of.find(op.correlation);
    const std::string external_id =
        by == operator_of.end() ? "" : fmt::format(R"("External id":{},)", by->second);
    events.push_back(
        fmt::format(R"({{"ph":"X","cat":"kernel","name":"{}","pid":0,"tid":{},"ts":{},"dur":{},)"
                    R"("args":{{{}"device":0,"stream":{},"correlation":{}}}}})",
                    op.name, op.stream, microseconds(op.start_ns), microseconds(op.dur_ns),
                    external_id, op.stream, op.correlation));
  }
  nlohmann::ordered_json head;
  head["schemaVersion"] = 1;
  head["deviceProperties"] = {{{"id", 0}, {"name", device_name}}};
  head["displayTimeUnit"] = "ms";
  head["baseTimeNanoseconds"] = base_ns;
  std::string text = head.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  text.back() = ',';  // the object goes on with its events
  text += fmt::format("\n\"traceEvents\":[\n{}\n]}}\n", fmt::join(events, ",\n"));
  return text;
}

runtime::Result<void> run_toy_moe(const ToyRecipeOptions& options) {
  const auto checked = check(options);
  if (!checked) return checked;
  const ToyShape shape;
  const auto system_now = std::chrono::system_clock::now().time_since_epoch();
  const std::int64_t base_ns =
      std::chrono::duration_cast<std::chrono::nanoseconds>(system_now).count() - steady_now_ns();

  ToyMoe model(shape, options.conc, options.isl + options.steps);
  const auto markers = run_passes(model, options, shape.vocabulary);
  const std::string cpu = cpu_description();
  const std::string text =
      kineto_text(model.take_ops(), model.take_launches(), markers, base_ns, cpu);
  const auto written = write_file(options.folder / kTraceName, text);
  if (!written) return written;
  const nlohmann::json result = {
      {"traces", {kTraceName}},
      {"hardware", fmt::format("{}; two threads of it as streams 1 and 2", cpu)}};
  return write_file(options.folder / "result.json",
                    result.dump(1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n");
}

}  // namespace stepscope::workers
