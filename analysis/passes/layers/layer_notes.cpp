#include "analysis/passes/layers/layer_notes.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <map>
#include <optional>
#include <string_view>
#include <utility>

#include "analysis/passes/layers/layer_labels.h"
#include "analysis/passes/steps/repetition.h"

namespace stepscope::analysis {
namespace {

// Calls that are checked: whether only those of the layer stream count (a router beside it belongs
// to some layers only), and whether only MoE layers have them.
struct Checked {
  std::string_view noun;
  bool of_layer_stream = false;
  bool moe = false;
};
constexpr auto kChecked = std::to_array<Checked>({
    {"attention kernel", true, false},
    {"GEMM", true, false},
    {"expert GEMM", false, true},
    {"all-reduce", false, false},
});

struct Calls {
  std::int64_t all = 0;
  std::int64_t of_layer_stream = 0;
};

// So many calls may be missing or over: a first or last layer often differs.
constexpr std::int64_t kNearlyMax = 2;

// "183 GEMM calls = 3 x 61 layers"; empty when the calls do not even nearly divide.
std::string check_line(std::string_view what, std::int64_t calls, std::int64_t layers,
                       std::string_view of) {
  const std::int64_t each = (calls + layers / 2) / layers;
  const std::int64_t rest = calls - each * layers;
  if (each == 0 || std::abs(rest) > kNearlyMax || std::abs(rest) * 10 > layers) return {};
  std::string line = fmt::format("{} {} = {} x {} {}", calls, what, each, layers, of);
  if (rest != 0) line += fmt::format(" {} {}", rest < 0 ? '-' : '+', std::abs(rest));
  return line;
}

std::map<std::string_view, Calls> calls_in_layers(const StepScene& scene, const LayerMap& layers) {
  std::map<std::string_view, Calls> found;
  for (std::uint32_t at = 0; at < scene.events.size(); ++at) {
    if (layers.layer_of[at] < 0) continue;
    Calls& calls = found[kernel_noun(scene.category(at)).one];
    ++calls.all;
    if (scene.view.stream(scene.events[at]) == layers.stream) ++calls.of_layer_stream;
  }
  return found;
}

// Only a cross-check: a repeat of names miscounts where kernels are autotuned. A repeat may hold
// several layers, or be those of one size, so only other counts are said.
std::string repeat_line(const StepScene& scene, const LayerMap& layers) {
  if (layers.sequence.size() > kRepeatEventsMax) return {};
  std::vector<NameId> names;
  names.reserve(layers.sequence.size());
  for (const std::uint32_t at : layers.sequence) {
    names.push_back(scene.view.event(scene.events[at]).name);
  }
  constexpr std::size_t kRepeatsMin = 3;
  const std::optional<Repeat> repeat = best_repeat(names, kRepeatsMin, {});
  if (!repeat || layers.count() % repeat->count == 0) return {};
  std::map<std::size_t, std::size_t> of_size;  // layers, by kernels
  for (const LayerMap::Kind& kind : layers.kinds) {
    const std::size_t first = kind.members.front();
    of_size[layers.bounds[first + 1] - layers.bounds[first]] += kind.members.size();
  }
  for (const auto& [size, count] : of_size) {
    if (count == repeat->count) return {};
  }
  return fmt::format("strict repetition of names would count {} x {} kernels for {} layers",
                     repeat->count, repeat->period, layers.count());
}

}  // namespace

std::vector<std::string> layer_notes(const StepScene& scene) {
  if (!scene.layers) return {};
  const LayerMap& layers = *scene.layers;
  std::size_t moe_layers = 0;
  for (const LayerMap::Kind& kind : layers.kinds) moe_layers += kind.moe ? kind.members.size() : 0;
  const std::map<std::string_view, Calls> calls = calls_in_layers(scene, layers);
  std::vector<std::string> notes;
  const auto add = [&](std::string line) {
    if (!line.empty()) notes.push_back(std::move(line));
  };
  for (const Checked& checked : kChecked) {
    const auto found = calls.find(checked.noun);
    const bool some = checked.moe && moe_layers < layers.count();
    const std::size_t count = some ? moe_layers : layers.count();
    if (found == calls.end() || count == 0) continue;
    const Calls& these = found->second;
    const std::int64_t counted = checked.of_layer_stream ? these.of_layer_stream : these.all;
    std::string what = fmt::format("{} calls", checked.noun);
    if (counted != these.all) {
      what += fmt::format(" on stream {}", scene.device.streams[layers.stream]);
    }
    add(check_line(what, counted, static_cast<std::int64_t>(count),
                   some ? "MoE layers" : "layers"));
  }
  add(repeat_line(scene, layers));
  return notes;
}

}  // namespace stepscope::analysis
