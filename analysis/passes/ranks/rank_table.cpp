#include "analysis/passes/ranks/rank_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <utility>

#include "analysis/passes/accounting/accounting.h"
#include "analysis/passes/accounting/window_index.h"
#include "analysis/passes/roles/moe.h"
#include "analysis/passes/step_scene.h"

namespace stepscope::analysis {
namespace {

// Position of a step: device and step.
struct Place {
  std::size_t device = 0;
  std::size_t step = 0;
};

Ns overlap_ns(const Interval& a, const Interval& b) {
  return std::min(a.end_ns, b.end_ns) - std::max(a.start_ns, b.start_ns);
}

class Finder {
 public:
  Finder(const std::vector<Device>& devices, const std::vector<std::vector<MeasuredStep>>& steps,
         Place shown)
      : devices_(devices), steps_(steps), shown_(shown) {}

  const MeasuredStep& shown() const { return steps_[shown_.device][shown_.step]; }

  bool same_rank(std::size_t a, std::size_t b) const {
    if (devices_[a].rank || devices_[b].rank) return devices_[a].rank == devices_[b].rank;
    return devices_[a].scope == devices_[b].scope;
  }

  // Among the devices of one rank.
  std::optional<Place> find(const std::vector<std::size_t>& of_rank) const {
    if (std::ranges::find(of_rank, shown_.device) != of_rank.end()) return shown_;
    const std::vector<std::size_t> candidates = of_phase(of_rank);
    for (const std::size_t device : candidates) {
      if (const auto step = most_overlap(device)) return Place{device, *step};
    }
    for (const std::size_t device : candidates) {
      if (has_same_number(device)) return Place{device, shown_.step};
    }
    return {};
  }

  // Of the device of the rank that has most.
  std::size_t step_count(const std::vector<std::size_t>& of_rank) const {
    std::size_t most = 0;
    for (const std::size_t device : of_rank) most = std::max(most, steps_[device].size());
    return most;
  }

 private:
  // The devices that have a step of the shown phase, else all of them.
  std::vector<std::size_t> of_phase(const std::vector<std::size_t>& of_rank) const {
    std::vector<std::size_t> found;
    for (const std::size_t device : of_rank) {
      const bool has = std::ranges::any_of(steps_[device], [&](const MeasuredStep& step) {
        return step.step.phase == shown().step.phase;
      });
      if (has) found.push_back(device);
    }
    return found.empty() ? of_rank : found;
  }

  // Equally many steps, and that of the shown number is of the shown phase: a decode step is not
  // set beside a prefill step that ran at another time.
  bool has_same_number(std::size_t device) const {
    return steps_[device].size() == steps_[shown_.device].size() &&
           steps_[device][shown_.step].step.phase == shown().step.phase;
  }

  std::optional<std::size_t> most_overlap(std::size_t device) const {
    std::optional<std::size_t> best;
    Ns best_ns = 0;
    for (std::size_t i = 0; i < steps_[device].size(); ++i) {
      const Ns ns = overlap_ns(steps_[device][i].cut.window, shown().cut.window);
      if (ns <= best_ns) continue;
      best = i;
      best_ns = ns;
    }
    return best;
  }

  const std::vector<Device>& devices_;
  const std::vector<std::vector<MeasuredStep>>& steps_;
  Place shown_;
};

// "ranks have 5 to 6 steps".
void note_counts(const std::vector<std::size_t>& counts, std::vector<std::string>& notes) {
  const auto [least, most] = std::ranges::minmax_element(counts);
  if (*least != *most) notes.push_back(fmt::format("ranks have {} to {} steps", *least, *most));
}

}  // namespace

RankSteps same_step(const TraceView& view, const std::vector<Device>& devices,
                    const std::vector<std::vector<MeasuredStep>>& steps, std::size_t shown_device,
                    std::size_t shown_step) {
  assert(devices.size() == steps.size());
  const Finder finder(devices, steps, {shown_device, shown_step});
  RankSteps same;
  std::vector<std::size_t> counts;
  for (std::size_t first = 0; first < devices.size();) {
    std::vector<std::size_t> of_rank;
    std::size_t next = first;
    while (next < devices.size() && finder.same_rank(first, next)) of_rank.push_back(next++);
    RankStep entry{devices[first].rank, view.trace.scopes[devices[first].scope].label, nullptr,
                   nullptr};
    first = next;
    const std::optional<Place> place = finder.find(of_rank);
    if (!place) {
      const std::size_t count = finder.step_count(of_rank);
      if (count > 0) counts.push_back(count);
      same.notes.push_back(rank_name(entry) +
                           (count > 0 ? " has no step at this time" : " has no step"));
      continue;
    }
    entry.device = &devices[place->device];
    entry.step = &steps[place->device][place->step];
    counts.push_back(steps[place->device].size());
    if (place->device == shown_device) same.shown = same.ranks.size();
    if (overlap_ns(entry.step->cut.window, finder.shown().cut.window) <= 0 &&
        place->device != shown_device) {
      same.notes.push_back(fmt::format(
          "{} has no step at this time: the one of the same number is taken", rank_name(entry)));
    }
    same.ranks.push_back(std::move(entry));
  }
  note_counts(counts, same.notes);
  return same;
}

std::vector<RankRow> rank_rows(const TraceView& view, const LaunchLinks& links,
                               const RankSteps& same) {
  std::vector<RankRow> rows;
  for (std::size_t i = 0; i < same.ranks.size(); ++i) {
    const RankStep& rank = same.ranks[i];
    const Interval window = rank.step->cut.window;
    const WindowIndex index(view, *rank.device);
    const StepScene scene = make_scene(view, links, *rank.device, window, index.events_in(window));
    const Accounting accounting = account(view, *rank.device, scene.events, window);
    RankRow row;
    row.rank = rank.rank;
    row.label = rank.label;
    row.device = rank.device->device;
    row.step_index = rank.step->step.index;
    row.shown = i == same.shown;
    row.wall_ns = accounting.window_ns;
    row.busy_ns = accounting.busy_ns;
    row.compute_ns = accounting.classes.compute;
    row.comm_exposed_ns = accounting.classes.comm_exposed;
    if (const auto moe = moe_figures(scene)) row.moe_ns = moe->total.charged_ns;
    rows.push_back(std::move(row));
  }
  return rows;
}

void add_waits(std::vector<RankRow>& rows, const RankSteps& same, const CollectiveMatch& match) {
  assert(rows.size() == same.ranks.size() && rows.size() == match.waits.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    for (const EventWait& wait : match.waits[i]) {
      rows[i].wait_ns = rows[i].wait_ns.value_or(0) + wait.wait_ns;
      rows[i].transfer_ns = rows[i].transfer_ns.value_or(0) + wait.transfer_ns;
    }
  }
}

}  // namespace stepscope::analysis
