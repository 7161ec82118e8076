#include "analysis/passes/accounting/idle_causes.h"

#include <algorithm>
#include <optional>
#include <unordered_map>

namespace stepscope::analysis {
namespace {

// Walks through the events of a window and splits every gap as it is met.
class GapReader {
 public:
  GapReader(const TraceView& view, const LaunchLinks& links, std::span<const EventIndex> events,
            const Interval& window)
      : view_(view), links_(links), events_(events), window_(window) {}

  IdleCauses read() {
    Ns reached_ns = window_.start_ns;
    for (std::size_t i = 0; i < events_.size(); ++i) {
      const Interval interval = view_.interval(events_[i]);
      remember_node(i);
      if (interval.start_ns == interval.end_ns) continue;  // can not end a gap
      if (interval.start_ns > reached_ns) split({reached_ns, interval.start_ns}, ender_at(i));
      reached_ns = std::max(reached_ns, interval.end_ns);
    }
    causes_.unknown += std::max(window_.end_ns - reached_ns, Ns{0});
    return causes_;
  }

 private:
  void remember_node(std::size_t at) {
    if (!links_.is_graph_node(events_[at])) return;
    first_node_ns_.try_emplace(links_.launch_of(events_[at]), view_.event(events_[at]).start_ns);
  }

  // Of the events that start together with this one and last, the one of the lowest stream.
  EventIndex ender_at(std::size_t at) const {
    const Ns start_ns = view_.event(events_[at]).start_ns;
    EventIndex best = events_[at];
    for (; at < events_.size() && view_.event(events_[at]).start_ns == start_ns; ++at) {
      const bool lasts = view_.event(events_[at]).dur_ns > 0;
      if (lasts && view_.stream(events_[at]) < view_.stream(best)) best = events_[at];
    }
    return best;
  }

  void split(const Interval& gap, EventIndex ender) {
    const LaunchIndex launch = links_.launch_of(ender);
    if (launch == kNoLaunch) {
      causes_.unknown += gap.length_ns();
      return;
    }
    if (links_.is_graph(launch)) {
      const auto first = first_node_ns_.find(launch);
      if (first != first_node_ns_.end() && first->second < gap.start_ns) {
        causes_.between_graph_nodes += gap.length_ns();
        return;
      }
    }
    const Ns launch_ns = view_.trace.launches[launch].start_ns;
    const Ns host_ns = std::clamp(launch_ns, gap.start_ns, gap.end_ns) - gap.start_ns;
    causes_.host += host_ns;
    causes_.latency_or_dependency += gap.length_ns() - host_ns;
  }

  const TraceView& view_;
  const LaunchLinks& links_;
  std::span<const EventIndex> events_;
  Interval window_;
  IdleCauses causes_;
  std::unordered_map<LaunchIndex, Ns> first_node_ns_;  // of the graphs met so far
};

}  // namespace

IdleCauses idle_causes(const TraceView& view, const LaunchLinks& links,
                       std::span<const EventIndex> events, const Interval& window) {
  return GapReader(view, links, events, window).read();
}

}  // namespace stepscope::analysis
