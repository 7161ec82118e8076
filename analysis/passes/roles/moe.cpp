#include "analysis/passes/roles/moe.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <tuple>
#include <utility>

#include "analysis/passes/roles/kernel_traits.h"
#include "analysis/passes/roles/moe_sentence.h"

namespace stepscope::analysis {
namespace {

constexpr auto kNames = std::to_array<const char*>(
    {"router", "dispatch", "routed_experts", "combine", "shared_expert", "collectives"});
constexpr std::size_t kParts = kNames.size();
// Beside the parts: what answers for the routed experts in the sentence, all of MoE, and what the
// primary stream runs.
constexpr std::size_t kRouted = kParts;
constexpr std::size_t kTotal = kParts + 1;
constexpr std::size_t kPrimary = kParts + 2;
constexpr std::size_t kSets = kParts + 3;

std::uint32_t bit(std::size_t set) { return 1U << set; }

// Dispatch or combine over ranks.
bool has_exchange(const StepScene& scene) {
  for (std::uint32_t at = 0; at < scene.events.size(); ++at) {
    const Role role = scene.roles.role_of[at];
    if ((role == Role::dispatch || role == Role::combine) &&
        scene.category(at).device_class == DeviceClass::comm) {
      return true;
    }
  }
  return false;
}

// The sets that each event belongs to, as bits.
std::vector<std::uint32_t> sets_of(const StepScene& scene, bool exchanges) {
  std::vector<std::uint32_t> sets(scene.events.size());
  for (std::uint32_t at = 0; at < sets.size(); ++at) {
    if (scene.view.stream(scene.events[at]) == scene.primary) sets[at] |= bit(kPrimary);
    const auto part = moe_part(scene.roles.role_of[at]);
    if (!part) continue;
    sets[at] |= bit(static_cast<std::size_t>(*part)) | bit(kTotal);
    const bool works = *part == MoePartKind::router || *part == MoePartKind::routed_experts ||
                       (*part == MoePartKind::combine && !exchanges);
    if (works) sets[at] |= bit(kRouted);
  }
  return sets;
}

struct Edge {
  Ns time_ns = 0;
  std::uint32_t sets = 0;
  int change = 0;
};

struct Measures {
  std::array<MoePart, kSets> sets;
  Ns routed_beside_primary_ns = 0;  // the primary stream does not run
};

// Walks through the window once: which sets run between two edges, and whether all that runs is of
// one set.
void add_busy_and_exposed(const StepScene& scene, const std::vector<std::uint32_t>& sets,
                          Measures& out) {
  std::vector<Edge> edges;
  edges.reserve(2 * sets.size());
  for (std::uint32_t at = 0; at < sets.size(); ++at) {
    const Interval inside = scene.inside(at);
    if (inside.start_ns >= inside.end_ns) continue;
    edges.push_back({inside.start_ns, sets[at], 1});
    edges.push_back({inside.end_ns, sets[at], -1});
  }
  std::sort(edges.begin(), edges.end(),
            [](const Edge& a, const Edge& b) { return a.time_ns < b.time_ns; });
  std::array<std::int64_t, kSets> running{};
  std::int64_t all = 0;
  Ns now_ns = scene.window.start_ns;
  for (const Edge& edge : edges) {
    const Ns passed_ns = edge.time_ns - now_ns;
    now_ns = edge.time_ns;
    all += edge.change;
    if (running[kRouted] > 0 && running[kPrimary] == 0) out.routed_beside_primary_ns += passed_ns;
    const std::int64_t before = all - edge.change;
    for (std::size_t set = 0; set < kSets; ++set) {
      if (running[set] > 0) out.sets[set].busy_ns += passed_ns;
      if (running[set] > 0 && running[set] == before) out.sets[set].exposed_ns += passed_ns;
      if ((edge.sets & bit(set)) != 0) running[set] += edge.change;
    }
  }
}

Measures measure(const StepScene& scene, const std::vector<std::uint32_t>& sets) {
  Measures out;
  const auto each_set = [&](std::uint32_t at, const auto& add) {
    for (std::size_t set = 0; set < kSets; ++set) {
      if ((sets[at] & bit(set)) != 0) add(out.sets[set]);
    }
  };
  for (std::uint32_t at = 0; at < sets.size(); ++at) {
    each_set(at, [&](MoePart& part) {
      ++part.calls;
      part.sum_ns += scene.inside(at).length_ns();
    });
  }
  for (const ChargedPart& charged : scene.parts) {
    each_set(charged.at,
             [&](MoePart& part) { part.charged_ns += charged.end_ns - charged.start_ns; });
  }
  add_busy_and_exposed(scene, sets, out);
  for (MoePart& part : out.sets) part.hidden_ns = part.busy_ns - part.charged_ns;
  return out;
}

int layers_with_moe(const LayerMap& layers) {
  std::size_t count = 0;
  for (const LayerMap::Kind& kind : layers.kinds) count += kind.moe ? kind.members.size() : 0;
  return static_cast<int>(count);
}

// Empty: several streams.
std::string stream_of(const StepScene& scene, const std::vector<std::uint32_t>& sets,
                      std::size_t set) {
  std::optional<StreamIndex> only;
  for (std::uint32_t at = 0; at < sets.size(); ++at) {
    if ((sets[at] & bit(set)) == 0) continue;
    const StreamIndex stream = scene.view.stream(scene.events[at]);
    if (only && *only != stream) return "";
    only = stream;
  }
  return only ? scene.device.streams[*only] : "";
}

// "all-reduces" when all that end a MoE layer are.
std::string collective_words(const StepScene& scene) {
  std::optional<Exchange> only;
  for (std::uint32_t at = 0; at < scene.events.size(); ++at) {
    if (scene.roles.role_of[at] != Role::moe_collective) continue;
    const Exchange exchange = traits_of("", scene.category(at)).exchange;
    if (only && *only != exchange) return "collectives";
    only = exchange;
  }
  return std::string(exchange_word(only.value_or(Exchange::unnamed))) + "s";
}

}  // namespace

std::optional<Moe> moe_figures(const StepScene& scene) {
  const bool exchanges = has_exchange(scene);
  const std::vector<std::uint32_t> sets = sets_of(scene, exchanges);
  Measures measures = measure(scene, sets);
  std::array<MoePart, kSets>& measured = measures.sets;
  const std::size_t experts = static_cast<std::size_t>(MoePartKind::routed_experts);
  const std::size_t router = static_cast<std::size_t>(MoePartKind::router);
  const std::size_t shared = static_cast<std::size_t>(MoePartKind::shared_expert);
  if (measured[experts].calls + measured[router].calls == 0) return {};

  Moe moe;
  if (scene.layers) moe.layers = layers_with_moe(*scene.layers);
  for (std::size_t set = 0; set < kParts; ++set) {
    measured[set].part = kNames[set];
    if (measured[set].calls > 0) moe.parts.push_back(measured[set]);
  }
  measured[kTotal].part = "total";
  moe.total = measured[kTotal];
  moe.sentence = moe_sentence(
      {.parts = moe.parts,
       .routed = measured[kRouted],
       .behind_critical = measures.routed_beside_primary_ns == measured[kRouted].charged_ns,
       .exchanges = exchanges,
       .critical_stream = scene.device.streams[scene.primary],
       .shared_stream = stream_of(scene, sets, shared),
       .routed_stream = stream_of(scene, sets, kRouted),
       .collectives = collective_words(scene)});
  return moe;
}

}  // namespace stepscope::analysis
