#include "analysis/passes/roles/where_rows.h"

#include <algorithm>
#include <array>
#include <limits>
#include <optional>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "analysis/passes/roles/where_labels.h"

namespace stepscope::analysis {
namespace {

// A row without charged time is worth a word from this part of the window on.
constexpr Ns kHiddenShare = 100;

struct Tally {
  WhereFacts facts;
  Ns charged_ns = 0;
  Ns waited_ns = 0;  // of its calls, charged to the row of the wait
  RunningUnion busy;
  int last_layer = -1;
};

struct Wait {
  Ns until_ns = 0;
  bool counted = false;
};

class WhereTable {
 public:
  WhereTable(const StepScene& scene, std::span<const EventWait> waits)
      : scene_(scene), traits_(traits_of(scene.view, scene.events)) {
    for (const EventWait& wait : waits) waits_[wait.event].until_ns = wait.last_arrival_ns;
    if (scene.layers) layers_start_ns_ = scene.layers->interval(0, scene.window).start_ns;
    find_lm_head();
  }

  std::vector<WhereRow> rows() {
    for (std::uint32_t at = 0; at < scene_.events.size(); ++at) count(at);
    for (const ChargedPart& part : scene_.parts) charge(part);
    merge_hidden_moe();
    std::vector<WhereRow> rows;
    for (std::size_t i = 0; i < kWherePlaces; ++i) add_row(static_cast<WherePlace>(i), rows);
    return rows;
  }

 private:
  Tally& tally(WherePlace place) { return tallies_[static_cast<std::size_t>(place)]; }

  void find_lm_head() {
    if (!scene_.layers) return;
    for (std::uint32_t at = 0; at < scene_.events.size(); ++at) {
      if (scene_.roles.role_of[at] == Role::lm_head) {
        if (!lm_head_) lm_head_ = at;
      } else if (scene_.layers->layer_of[at] == LayerMap::kAfter &&
                 scene_.component(at) == "sampling") {
        samples_ = true;
      }
    }
  }

  // Of an event at `time_ns`: what runs before the first layer is told by its time, all else by its
  // role.
  WherePlace place_of(std::uint32_t at, Ns time_ns) const {
    const Role role = scene_.roles.role_of[at];
    const bool comm = scene_.category(at).device_class == DeviceClass::comm;
    if (comm && role == Role::dispatch) return WherePlace::comm_dispatch;
    if (comm && role == Role::combine) return WherePlace::comm_combine;
    if (!scene_.layers) return comm ? WherePlace::comm : by_component(at);
    const int layer = scene_.layers->layer_of[at];
    if (layer == LayerMap::kBefore && time_ns < layers_start_ns_) {
      if (comm) return WherePlace::head_collective;
      return role == Role::embedding ? WherePlace::embedding : WherePlace::head_setup;
    }
    if (layer == LayerMap::kAfter) return comm ? WherePlace::comm_tail : in_tail(at);
    return comm ? WherePlace::comm_layers : by_component(at);
  }

  WherePlace in_tail(std::uint32_t at) const {
    const Role role = scene_.roles.role_of[at];
    if (role == Role::sampling || !lm_head_ || moe_part(role)) return by_component(at);
    if (samples_ && at > *lm_head_ && role == Role::none) return WherePlace::sampling;
    return WherePlace::lm_head;
  }

  WherePlace by_component(std::uint32_t at) const {
    static constexpr auto kPlaces = std::to_array<std::pair<std::string_view, WherePlace>>({
        {"attention", WherePlace::attention},
        {"mlp", WherePlace::mlp},
        {"norm", WherePlace::norm},
        {"sampling", WherePlace::sampling},
        {"embedding", WherePlace::embedding},
        {"quantize", WherePlace::quantize},
        {"elementwise", WherePlace::elementwise},
        {"setup", WherePlace::copy},
    });
    const std::string_view component = scene_.component(at);
    if (component == "moe") {
      const auto part = moe_part(scene_.roles.role_of[at]);
      if (part == MoePartKind::router) return WherePlace::moe_router;
      return part == MoePartKind::shared_expert ? WherePlace::moe_shared : WherePlace::moe_routed;
    }
    const auto* found =
        std::ranges::find(kPlaces, component, &std::pair<std::string_view, WherePlace>::first);
    if (found != kPlaces.end()) return found->second;
    const KernelKind kind = traits_[at].kind;
    const bool gemm = kind == KernelKind::gemm || kind == KernelKind::gemm_tail;
    return gemm ? WherePlace::gemm_unknown : WherePlace::other;
  }

  void note(std::uint32_t at, WherePlace place, WhereFacts& facts) {
    const KernelTraits& traits = traits_[at];
    ++facts.calls;
    if (traits.kind == KernelKind::collective) {
      facts.one_exchange = facts.one_exchange &&
                           (facts.exchange == Exchange::none || facts.exchange == traits.exchange);
      facts.exchange = traits.exchange;
    }
    if (traits.kind == KernelKind::gemm || traits.kind == KernelKind::expert_gemm) ++facts.heavy;
    if (scene_.roles.role_of[at] == Role::final_norm) facts.final_norm = true;
    if (place == WherePlace::sampling && scene_.component(at) != "sampling") facts.others = true;
  }

  // Once, where it starts.
  void count(std::uint32_t at) {
    const Interval inside = scene_.inside(at);
    const WherePlace place = place_of(at, inside.start_ns);
    Tally& row = tally(place);
    note(at, place, row.facts);
    row.busy.add(inside);
    const int layer = scene_.layers ? scene_.layers->layer_of[at] : -1;
    if (layer > row.last_layer) {
      ++row.facts.layers;
      row.last_layer = layer;
    }
  }

  void charge(const ChargedPart& part) {
    Ns from_ns = part.start_ns;
    const auto wait = waits_.find(scene_.events[part.at]);
    if (wait != waits_.end() && wait->second.until_ns > from_ns) {
      const Ns until_ns = std::min(wait->second.until_ns, part.end_ns);
      Tally& row = tally(place_of(part.at, from_ns));
      row.waited_ns += until_ns - from_ns;
      row.facts.waited = true;
      tally(WherePlace::wait).charged_ns += until_ns - from_ns;
      if (!std::exchange(wait->second.counted, true)) {
        note(part.at, WherePlace::wait, tally(WherePlace::wait).facts);
      }
      from_ns = until_ns;
    }
    const Ns cut_ns = std::clamp(layers_start_ns_, from_ns, part.end_ns);
    if (cut_ns > from_ns) tally(place_of(part.at, from_ns)).charged_ns += cut_ns - from_ns;
    if (part.end_ns > cut_ns) tally(place_of(part.at, cut_ns)).charged_ns += part.end_ns - cut_ns;
  }

  // Two rows of nothing would say the same.
  void merge_hidden_moe() {
    const Tally& router = tally(WherePlace::moe_router);
    Tally& routed = tally(WherePlace::moe_routed);
    router_in_routed_ = router.charged_ns == 0 && routed.charged_ns == 0 &&
                        router.facts.calls > 0 && routed.facts.calls > 0;
    if (!router_in_routed_) return;
    routed.facts.calls += router.facts.calls;
    routed.facts.layers = std::max(routed.facts.layers, router.facts.layers);
    tally(WherePlace::moe_router) = {};
  }

  void add_row(WherePlace place, std::vector<WhereRow>& rows) {
    const Tally& from = tally(place);
    const Ns hidden_ns = from.busy.total_ns() - from.charged_ns - from.waited_ns;
    const bool worth_a_word = from.charged_ns == 0 && hidden_ns > 0 &&
                              hidden_ns >= scene_.window.length_ns() / kHiddenShare;
    if (from.charged_ns == 0 && !worth_a_word) return;
    std::string label = where_label(place, from.facts);
    if (place == WherePlace::moe_routed && router_in_routed_) label.insert(3, " router and");
    if (worth_a_word) label += ", all hidden behind other work";
    rows.push_back({.key = std::string(where_key(place)),
                    .label = std::move(label),
                    .calls = from.facts.calls,
                    .charged_ns = from.charged_ns,
                    .idle = false,
                    .wait = place == WherePlace::wait});
  }

  const StepScene& scene_;
  std::vector<KernelTraits> traits_;
  std::unordered_map<EventIndex, Wait> waits_;
  Ns layers_start_ns_ = std::numeric_limits<Ns>::min();
  std::optional<std::uint32_t> lm_head_;
  bool samples_ = false;
  std::array<Tally, kWherePlaces> tallies_;
  bool router_in_routed_ = false;
};

void add_idle(std::vector<WhereRow>& rows, std::string_view key, std::string_view label, Ns ns) {
  if (ns == 0) return;
  rows.push_back({.key = std::string(key),
                  .label = std::string(label),
                  .calls = 0,
                  .charged_ns = ns,
                  .idle = true,
                  .wait = false});
}

}  // namespace

std::vector<WhereRow> where_rows(const StepScene& scene, const IdleCauses& idle,
                                 std::span<const EventWait> waits) {
  std::vector<WhereRow> rows = WhereTable(scene, waits).rows();
  add_idle(rows, "idle.host", "idle, waiting for the host", idle.host);
  add_idle(rows, "idle.latency", "idle, launch latency or dependency", idle.latency_or_dependency);
  add_idle(rows, "idle.graph", "idle, between graph nodes", idle.between_graph_nodes);
  add_idle(rows, "idle.unknown", "idle, cause not recorded", idle.unknown);
  std::sort(rows.begin(), rows.end(), [](const WhereRow& a, const WhereRow& b) {
    return std::tie(b.charged_ns, a.key) < std::tie(a.charged_ns, b.key);
  });
  return rows;
}

}  // namespace stepscope::analysis
