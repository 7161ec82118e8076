#include "analysis/passes/layer_notes.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <map>
#include <optional>
#include <string_view>

#include "analysis/passes/layer_labels.h"
#include "analysis/passes/repetition.h"

namespace stepscope::analysis {
namespace {

// Calls that are checked, and whether only MoE layers have them.
struct Checked {
  std::string_view noun;
  bool moe = false;
};
constexpr auto kChecked = std::to_array<Checked>({
    {"attention kernel", false},
    {"GEMM", false},
    {"expert GEMM", true},
    {"all-reduce", false},
});

// So many calls may be missing or over: a first or last layer often differs.
constexpr std::int64_t kNearlyMax = 2;

// Empty when the calls do not even nearly divide.
std::string check_line(std::string_view noun, std::int64_t calls, std::int64_t layers,
                       std::string_view of) {
  const std::int64_t each = (calls + layers / 2) / layers;
  const std::int64_t rest = calls - each * layers;
  if (each == 0 || std::abs(rest) > kNearlyMax || std::abs(rest) * 10 > layers) return {};
  std::string line = fmt::format("{} {} calls = {} x {} {}", calls, noun, each, layers, of);
  if (rest != 0) line += fmt::format(" {} {}", rest < 0 ? '-' : '+', std::abs(rest));
  return line;
}

std::map<std::string_view, std::int64_t> calls_in_layers(const StepScene& scene) {
  std::map<std::string_view, std::int64_t> calls;
  for (std::uint32_t at = 0; at < scene.events.size(); ++at) {
    if (scene.layers->layer_of[at] >= 0) ++calls[kernel_noun(scene.category(at)).one];
  }
  return calls;
}

// Only a cross-check: a repeat of names miscounts where kernels are autotuned. A repeat may hold
// several layers, or be those of one kind, so only other counts are said.
std::string repeat_line(const StepScene& scene) {
  const LayerMap& layers = *scene.layers;
  if (layers.sequence.size() > kRepeatEventsMax) return {};
  std::vector<NameId> names;
  for (const std::uint32_t at : layers.sequence) {
    names.push_back(scene.view.event(scene.events[at]).name);
  }
  constexpr std::size_t kRepeatsMin = 3;
  const std::optional<Repeat> repeat = best_repeat(names, kRepeatsMin, {});
  if (!repeat || layers.count() % repeat->count == 0) return {};
  for (const LayerMap::Kind& kind : layers.kinds) {
    if (kind.members.size() == repeat->count) return {};
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
  const std::map<std::string_view, std::int64_t> calls = calls_in_layers(scene);
  std::vector<std::string> notes;
  const auto add = [&](std::string line) {
    if (!line.empty()) notes.push_back(std::move(line));
  };
  for (const Checked& checked : kChecked) {
    const auto found = calls.find(checked.noun);
    const bool some = checked.moe && moe_layers < layers.count();
    const std::size_t count = some ? moe_layers : layers.count();
    if (found == calls.end() || count == 0) continue;
    add(check_line(checked.noun, found->second, static_cast<std::int64_t>(count),
                   some ? "MoE layers" : "layers"));
  }
  add(repeat_line(scene));
  return notes;
}

}  // namespace stepscope::analysis
