#include "analysis/passes/steps/graph_steps.h"

#include <algorithm>
#include <iterator>
#include <limits>
#include <span>
#include <unordered_map>
#include <utility>

#include "analysis/passes/accounting/window_index.h"
#include "analysis/passes/steps/attention_groups.h"

namespace stepscope::analysis {
namespace {

struct Replay {
  LaunchIndex launch = 0;
  std::vector<EventIndex> events;
  Interval span;
  std::size_t groups = 0;
};

// What holds fewer attention groups is a piece of a step. A draft model runs a few layers, and it
// runs them several times in one graph; the model itself has at least twice as many.
std::size_t groups_of_whole_step(std::span<const Replay> replays) {
  std::size_t most = 0;
  for (const Replay& replay : replays) most = std::max(most, replay.groups);
  return std::max(kWholeStepGroups, (most + 1) / 2);
}

// All replays, in the order of their first events.
std::vector<Replay> replays_of(const TraceView& view, const LaunchLinks& links,
                               const Device& device) {
  std::vector<Replay> replays;
  std::unordered_map<LaunchIndex, std::size_t> place;
  for (const EventIndex event : device.events) {
    if (!links.is_graph_node(event)) continue;
    const LaunchIndex launch = links.launch_of(event);
    const auto [found, added] = place.try_emplace(launch, replays.size());
    if (added) replays.push_back({launch, {}, {}});
    replays[found->second].events.push_back(event);
  }
  for (Replay& replay : replays) {
    replay.span = extent(view, replay.events);
    replay.groups = attention_groups(view, replay.events).size();
  }
  return replays;
}

// Start of the first event after the longest idle gap between two replays; without a gap the start
// of the next replay. `between` are the events that start from the one replay to the next.
Ns longest_gap_end(const TraceView& view, std::span<const EventIndex> between, Ns from_ns,
                   Ns until_ns) {
  Ns reached_ns = from_ns;
  Ns longest_ns = 0;
  Ns cut_ns = until_ns;
  const auto look = [&](Ns start_ns) {
    if (start_ns - reached_ns <= longest_ns) return;
    longest_ns = start_ns - reached_ns;
    cut_ns = start_ns;
  };
  for (const EventIndex event : between) {
    const Interval interval = view.interval(event);
    if (interval.start_ns < from_ns) continue;
    look(interval.start_ns);
    reached_ns = std::max(reached_ns, interval.end_ns);
  }
  look(until_ns);
  return cut_ns;
}

void append(std::vector<EventIndex>& to, std::span<const EventIndex> events) {
  to.insert(to.end(), events.begin(), events.end());
}

// Hands the events that start between two replays (or before the first, or after the last) out.
class Splitter {
 public:
  Splitter(const TraceView& view, std::vector<Replay>& replays, std::size_t whole_groups)
      : view_(view), replays_(replays), whole_groups_(whole_groups) {}

  void stretch(std::size_t next, const std::vector<EventIndex>& events) {
    if (events.empty()) return;
    if (attention_groups(view_, events).size() >= whole_groups_) {
      eager_.push_back({.label = "eager", .events = events});
    } else if (next == 0) {
      append(replays_.front().events, events);
    } else if (next == replays_.size()) {
      append(replays_.back().events, events);
    } else {
      split(replays_[next - 1], events, replays_[next]);
    }
  }

  std::vector<OwnedStep> take_eager() { return std::move(eager_); }

 private:
  void split(Replay& before, std::span<const EventIndex> events, Replay& after) const {
    const Ns cut_ns = longest_gap_end(view_, events, before.span.end_ns, after.span.start_ns);
    const auto at =
        std::lower_bound(events.begin(), events.end(), cut_ns,
                         [&](EventIndex event, Ns ns) { return view_.event(event).start_ns < ns; });
    const auto count = static_cast<std::size_t>(at - events.begin());
    append(before.events, events.first(count));
    append(after.events, events.subspan(count));
  }

  const TraceView& view_;
  std::vector<Replay>& replays_;
  std::size_t whole_groups_;
  std::vector<OwnedStep> eager_;
};

std::vector<OwnedStep> hand_out_rest(const TraceView& view, const Device& device,
                                     std::vector<Replay>& replays, std::size_t whole_groups) {
  std::vector<EventIndex> in_replay;
  for (const Replay& replay : replays) append(in_replay, replay.events);
  std::sort(in_replay.begin(), in_replay.end());
  Splitter splitter(view, replays, whole_groups);
  std::vector<EventIndex> stretch;
  std::size_t next = 0;  // the replay that ends the stretch
  for (const EventIndex event : device.events) {
    while (next < replays.size() && view.event(event).start_ns >= replays[next].span.start_ns) {
      splitter.stretch(next, std::exchange(stretch, {}));
      ++next;
    }
    if (!std::binary_search(in_replay.begin(), in_replay.end(), event)) stretch.push_back(event);
  }
  splitter.stretch(next, stretch);
  return splitter.take_eager();
}

}  // namespace

std::vector<OwnedStep> graph_steps(const TraceView& view, const LaunchLinks& links,
                                   const Device& device, Ns work_ns) {
  std::vector<Replay> replays = replays_of(view, links, device);
  const std::size_t whole_groups = groups_of_whole_step(replays);
  std::erase_if(replays, [&](const Replay& replay) { return replay.groups < whole_groups; });
  std::vector<EventIndex> all;
  for (const Replay& replay : replays) append(all, replay.events);
  std::sort(all.begin(), all.end());
  const Ns held_ns = work_ns_of(view, all);
  if (replays.empty() || held_ns < work_ns - held_ns) return {};

  std::vector<OwnedStep> eager = hand_out_rest(view, device, replays, whole_groups);
  std::vector<OwnedStep> steps;
  steps.reserve(replays.size() + eager.size());
  for (Replay& replay : replays) {
    std::sort(replay.events.begin(), replay.events.end());
    const NameId name = view.trace.launches[replay.launch].name;
    steps.push_back({.label = view.trace.names[name], .events = std::move(replay.events)});
  }
  std::move(eager.begin(), eager.end(), std::back_inserter(steps));
  return steps;
}

}  // namespace stepscope::analysis
