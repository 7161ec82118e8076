#include "analysis/passes/layers/layer_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <numeric>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "analysis/passes/layers/layer_labels.h"
#include "analysis/passes/layers/layer_notes.h"
#include "analysis/passes/steps/layer_tokens.h"

namespace stepscope::analysis {
namespace {

// A layer is an outlier when its wall is more than 1.5 x the median of its kind and this much more.
constexpr Ns kOutlierMarginNs = 10'000;

constexpr std::size_t kNoLayer = std::numeric_limits<std::size_t>::max();

// One row, and what tells whether names vary: those of the layer it was first met in, in order.
struct RowTally {
  LayerRow row;
  std::size_t shown_in = kNoLayer;  // the layer that gave the row its name
  std::vector<NameId> names;
  std::size_t current = kNoLayer;  // the layer whose calls are being added
  std::size_t met = 0;             // of them, so far
};

// The rows of one kind: one for each place of the sequence, then those of other streams, then what
// runs over from before.
class KindRows {
 public:
  KindRows(const StepScene& scene, const LayerMap::Kind& kind, std::size_t median)
      : scene_(scene), layers_(*scene.layers), median_(median) {
    add_layer(median);  // first, so that rows are named and ordered by it
    for (const std::size_t layer : kind.members) {
      if (layer != median) add_layer(layer);
    }
  }

  // Part of layer `layer`'s time, owned by an event of that layer.
  void charge_own(std::size_t layer, std::uint32_t at, Ns part_ns) {
    charge(rows_[row_of(layer, at)].row, layer, part_ns);
  }

  // The same, owned by an event that started before the layer did.
  void charge_carried(std::size_t layer, std::uint32_t at, Ns part_ns) {
    const auto key = std::pair(stream_of(at), layer_token_of(scene_.view, scene_.events[at]));
    RowTally& tally = carried_[key];
    if (tally.shown_in == kNoLayer || (layer == median_ && tally.shown_in != median_)) {
      tally.row = with_figures(row_at(at), tally.row);
      tally.row.role = kCarriedOverRole;
      tally.shown_in = layer;
    }
    charge(tally.row, layer, part_ns);
  }

  std::vector<LayerRow> take() {
    std::vector<std::size_t> side;
    for (std::size_t i = place_count(); i < rows_.size(); ++i) side.push_back(i);
    std::sort(side.begin(), side.end(), [&](std::size_t a, std::size_t b) {
      return std::pair(side_stream_[a - place_count()], a) <
             std::pair(side_stream_[b - place_count()], b);
    });
    std::vector<LayerRow> rows;
    rows.reserve(rows_.size() + carried_.size());
    for (std::size_t i = 0; i < place_count(); ++i) rows.push_back(std::move(rows_[i].row));
    for (const std::size_t i : side) rows.push_back(std::move(rows_[i].row));
    for (auto& [key, tally] : carried_) rows.push_back(std::move(tally.row));
    return rows;
  }

 private:
  using SideKey = std::tuple<StreamIndex, Role, LayerToken>;

  std::size_t place_count() const { return layers_.bounds[median_ + 1] - layers_.bounds[median_]; }
  StreamIndex stream_of(std::uint32_t at) const { return scene_.view.stream(scene_.events[at]); }
  NameId name_of(std::uint32_t at) const { return scene_.view.event(scene_.events[at]).name; }

  LayerRow row_at(std::uint32_t at) const {
    return {.stream = scene_.device.streams[stream_of(at)],
            .name = scene_.view.trace.names[name_of(at)],
            .category = scene_.category(at).category,
            .role = std::string(role_name(scene_.roles.role_of[at])),
            .component = std::string(scene_.component(at))};
  }

  static LayerRow with_figures(LayerRow row, const LayerRow& figures) {
    row.charged_ns = figures.charged_ns;
    row.charged_in_kind_ns = figures.charged_in_kind_ns;
    return row;
  }

  void charge(LayerRow& row, std::size_t layer, Ns part_ns) const {
    row.charged_in_kind_ns += part_ns;
    if (layer == median_) row.charged_ns += part_ns;
  }

  void add_layer(std::size_t layer) {
    for (std::size_t i = layers_.bounds[layer]; i < layers_.bounds[layer + 1]; ++i) {
      const std::size_t place = i - layers_.bounds[layer];
      if (place == rows_.size()) rows_.push_back({.row = row_at(layers_.sequence[i])});
      add_call(rows_[place], layer, layers_.sequence[i]);
    }
    for (const std::uint32_t at : layers_.side[layer]) {
      const auto [found, added] = side_.try_emplace(key_of(at), rows_.size());
      if (added) {
        rows_.push_back({.row = row_at(at)});
        side_stream_.push_back(stream_of(at));
      }
      add_call(rows_[found->second], layer, at);
    }
  }

  SideKey key_of(std::uint32_t at) const {
    return {stream_of(at), scene_.roles.role_of[at],
            layer_token_of(scene_.view, scene_.events[at])};
  }

  void add_call(RowTally& tally, std::size_t layer, std::uint32_t at) const {
    if (tally.current != layer) {
      tally.current = layer;
      tally.met = 0;
    }
    if (tally.shown_in == kNoLayer) tally.shown_in = layer;
    if (tally.shown_in == layer) {
      tally.names.push_back(name_of(at));
    } else if (tally.met < tally.names.size() && tally.names[tally.met] != name_of(at)) {
      tally.row.names_vary = true;
    }
    ++tally.met;
    const Ns dur_ns = scene_.inside(at).length_ns();
    ++tally.row.calls_in_kind;
    tally.row.sum_in_kind_ns += dur_ns;
    if (layer != median_) return;
    ++tally.row.calls;
    tally.row.sum_ns += dur_ns;
  }

  std::size_t row_of(std::size_t layer, std::uint32_t at) const {
    if (stream_of(at) != layers_.stream) return side_.at(key_of(at));
    // Positions rise with time, so an event's place is found by its own.
    const auto begin =
        layers_.sequence.begin() + static_cast<std::ptrdiff_t>(layers_.bounds[layer]);
    const auto end =
        layers_.sequence.begin() + static_cast<std::ptrdiff_t>(layers_.bounds[layer + 1]);
    return static_cast<std::size_t>(std::lower_bound(begin, end, at) - begin);
  }

  const StepScene& scene_;
  const LayerMap& layers_;
  std::size_t median_;
  std::vector<RowTally> rows_;  // places, then side rows as they were met
  std::map<SideKey, std::size_t> side_;
  std::vector<StreamIndex> side_stream_;  // of the side rows
  std::map<std::pair<StreamIndex, LayerToken>, RowTally> carried_;
};

std::vector<Ns> walls_of(const StepScene& scene, const LayerMap& layers) {
  std::vector<Ns> walls;
  walls.reserve(layers.count());
  for (std::size_t k = 0; k < layers.count(); ++k) {
    walls.push_back(layers.interval(k, scene.window).length_ns());
  }
  return walls;
}

Ns half_to_even(Ns total, Ns count) {
  const Ns quotient = total / count;
  const Ns twice_rest = 2 * (total % count);
  const bool up = twice_rest > count || (twice_rest == count && quotient % 2 != 0);
  return quotient + (up ? 1 : 0);
}

LayerKind kind_figures(const LayerMap& layers, const LayerMap::Kind& kind,
                       const std::vector<Ns>& walls) {
  std::vector<Ns> sorted;
  sorted.reserve(kind.members.size());
  for (const std::size_t layer : kind.members) sorted.push_back(walls[layer]);
  std::sort(sorted.begin(), sorted.end());
  LayerKind row;
  row.first = static_cast<int>(kind.members.front());
  row.last = static_cast<int>(kind.members.back());
  row.count = static_cast<int>(kind.members.size());
  row.moe = kind.moe;
  row.min_wall_ns = sorted.front();
  row.max_wall_ns = sorted.back();
  row.median_wall_ns = sorted[(sorted.size() - 1) / 2];
  for (const Ns wall_ns : sorted) row.total_wall_ns += wall_ns;
  row.mean_wall_ns = half_to_even(row.total_wall_ns, row.count);
  const auto median = std::find_if(kind.members.begin(), kind.members.end(),
                                   [&](std::size_t k) { return walls[k] == row.median_wall_ns; });
  row.median_layer = static_cast<int>(*median);
  row.events = static_cast<std::int64_t>(layers.bounds[*median + 1] - layers.bounds[*median]);
  row.side_events = static_cast<std::int64_t>(layers.side[*median].size());
  return row;
}

// Hands each charged part to the layer in whose time it lies, and there to the row of its event.
void charge_parts(const StepScene& scene, const LayerMap& layers, std::vector<KindRows>& rows,
                  std::vector<LayerKind>& kinds) {
  std::size_t layer = 0;
  for (const ChargedPart& part : scene.parts) {
    while (layer < layers.count() && layers.interval(layer, scene.window).end_ns <= part.start_ns) {
      ++layer;
    }
    for (std::size_t k = layer; k < layers.count(); ++k) {
      const Interval wall = layers.interval(k, scene.window);
      if (wall.start_ns >= part.end_ns) break;
      const Ns part_ns = clipped({part.start_ns, part.end_ns}, wall).length_ns();
      if (part_ns <= 0) continue;
      const std::size_t kind = layers.kind_of[k];
      if (layers.layer_of[part.at] == static_cast<int>(k)) {
        rows[kind].charge_own(k, part.at, part_ns);
      } else {
        rows[kind].charge_carried(k, part.at, part_ns);
      }
      kinds[kind].idle_in_kind_ns -= part_ns;
      if (static_cast<int>(k) == kinds[kind].median_layer) kinds[kind].idle_ns -= part_ns;
    }
  }
}

std::vector<OutlierLayer> outliers_of(const LayerMap& layers, const std::vector<Ns>& walls,
                                      const std::vector<LayerKind>& kinds) {
  std::vector<OutlierLayer> outliers;
  for (std::size_t k = 0; k < layers.count(); ++k) {
    const Ns median_ns = kinds[layers.kind_of[k]].median_wall_ns;
    const Ns over_ns = walls[k] - median_ns;
    if (over_ns <= median_ns / 2 || over_ns <= kOutlierMarginNs) continue;
    outliers.push_back({static_cast<int>(k), walls[k], median_ns});
  }
  return outliers;
}

// So many kinds are no pattern that anyone reads: the rows of those with least time are left out.
void leave_rows_out(Layers& layers) {
  if (layers.kinds.size() <= kKindsWithRowsMax) return;
  std::vector<std::size_t> order(layers.kinds.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::sort(order, {}, [&](std::size_t kind) {
    return std::pair(-layers.kinds[kind].total_wall_ns, kind);
  });
  for (std::size_t i = kKindsWithRowsMax; i < order.size(); ++i) layers.kinds[order[i]].rows = {};
  layers.notes.push_back(
      fmt::format("{} kinds of layers: the kernels of {} are listed, those with "
                  "most time",
                  order.size(), kKindsWithRowsMax));
}

}  // namespace

std::optional<Layers> layer_figures(const StepScene& scene) {
  if (!scene.layers) return {};
  const LayerMap& map = *scene.layers;
  Layers out;
  out.count = static_cast<int>(map.count());
  out.stream = scene.device.streams[map.stream];
  out.events_before = static_cast<std::int64_t>(map.bounds.front());
  out.events_after = static_cast<std::int64_t>(map.sequence.size() - map.bounds.back());
  out.wall_ns = walls_of(scene, map);
  for (const std::size_t kind : map.kind_of) out.kind_of.push_back(static_cast<int>(kind));
  const std::vector<std::string> labels = kind_labels(scene.view, scene.events, map);
  std::vector<KindRows> rows;
  for (std::size_t i = 0; i < map.kinds.size(); ++i) {
    LayerKind kind = kind_figures(map, map.kinds[i], out.wall_ns);
    kind.label = labels[i];
    kind.idle_ns = kind.median_wall_ns;
    kind.idle_in_kind_ns = kind.total_wall_ns;
    rows.emplace_back(scene, map.kinds[i], static_cast<std::size_t>(kind.median_layer));
    out.kinds.push_back(std::move(kind));
  }
  charge_parts(scene, map, rows, out.kinds);
  for (std::size_t i = 0; i < rows.size(); ++i) out.kinds[i].rows = rows[i].take();
  out.outliers = outliers_of(map, out.wall_ns, out.kinds);
  out.notes = layer_notes(scene);
  leave_rows_out(out);
  return out;
}

}  // namespace stepscope::analysis
