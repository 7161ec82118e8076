#include "analysis/passes/accounting/suspects.h"

#include <algorithm>
#include <limits>
#include <unordered_map>
#include <utility>

namespace stepscope::analysis {
namespace {

constexpr Ns kNever = std::numeric_limits<Ns>::max();

// Where an event ends; one without duration lies behind those that end at its instant, so that it
// is inside an event only when it starts before that one ends.
using End = std::pair<Ns, bool>;

// The two earliest ends among the later events of a stream. Walks backwards in time; events that
// start together are no successors of each other, so they wait until an earlier one comes.
class LaterEvents {
 public:
  void step_back_to(Ns start_ns) {
    if (start_ns == waiting_start_ns_) return;
    if (waiting_start_ns_ != kNever) next_start_ns_ = waiting_start_ns_;
    for (const End& end : {waiting_first_, waiting_second_}) put(end, first_, second_);
    waiting_first_ = waiting_second_ = {kNever, true};
    waiting_start_ns_ = start_ns;
  }

  void add(const End& end) { put(end, waiting_first_, waiting_second_); }
  bool two_end_by(Ns end_ns) const { return second_ <= End(end_ns, false); }
  Ns next_start_ns() const { return next_start_ns_; }

 private:
  static void put(const End& end, End& first, End& second) {
    second = std::min(second, std::max(first, end));
    first = std::min(first, end);
  }

  End first_{kNever, true};
  End second_{kNever, true};
  End waiting_first_{kNever, true};
  End waiting_second_{kNever, true};
  Ns waiting_start_ns_ = kNever;
  Ns next_start_ns_ = kNever;
};

std::vector<Container> containers_of(const TraceView& view, const Device& device) {
  std::vector<LaterEvents> later(device.streams.size());
  std::vector<Container> found;
  for (std::size_t i = device.events.size(); i-- > 0;) {
    const EventIndex event = device.events[i];
    const Interval interval = view.interval(event);
    LaterEvents& stream = later[view.stream(event)];
    stream.step_back_to(interval.start_ns);
    if (stream.two_end_by(interval.end_ns)) found.push_back({event, stream.next_start_ns()});
    stream.add({interval.end_ns, interval.start_ns == interval.end_ns});
  }
  std::reverse(found.begin(), found.end());
  return found;
}

// For every wanted name the lower median of its calls without one that is longer than it. That is
// the median of the other calls for every event that can exceed ten times it.
std::unordered_map<NameId, std::optional<Ns>> medians_of(const TraceView& view,
                                                         const Device& device,
                                                         const std::vector<Container>& wanted) {
  std::unordered_map<NameId, std::vector<Ns>> durations;
  for (const Container& container : wanted) durations[view.event(container.event).name];
  for (const EventIndex event : device.events) {
    const auto place = durations.find(view.event(event).name);
    if (place != durations.end()) place->second.push_back(view.event(event).dur_ns);
  }
  std::unordered_map<NameId, std::optional<Ns>> medians;
  for (auto& [name, calls] : durations) {
    std::optional<Ns>& median = medians[name];
    if (calls.size() < 3) continue;
    const auto middle = calls.begin() + static_cast<std::ptrdiff_t>((calls.size() - 2) / 2);
    std::nth_element(calls.begin(), middle, calls.end());
    median = *middle;
  }
  return medians;
}

// duration > 10 * median, without overflow
bool longer_than_ten(Ns duration_ns, Ns median_ns) {
  return duration_ns > 0 && (duration_ns - 1) / 10 >= median_ns;
}

}  // namespace

SuspectFinder::SuspectFinder(const TraceView& view, const Device& device)
    : view_(view), containers_(containers_of(view, device)) {
  if (containers_.empty()) return;
  const auto medians = medians_of(view, device, containers_);
  other_median_ns_.reserve(containers_.size());
  for (const Container& container : containers_) {
    other_median_ns_.push_back(medians.at(view.event(container.event).name));
  }
}

std::vector<Container> SuspectFinder::in_window(Ns window_ns) const {
  std::vector<Container> suspects;
  for (std::size_t i = 0; i < containers_.size(); ++i) {
    const Ns duration_ns = view_.event(containers_[i].event).dur_ns;
    const std::optional<Ns>& median_ns = other_median_ns_[i];
    const bool suspect = median_ns ? longer_than_ten(duration_ns, *median_ns)
                                   : longer_than_half(duration_ns, window_ns);
    if (suspect) suspects.push_back(containers_[i]);
  }
  return suspects;
}

std::vector<Container> SuspectFinder::rare_in_step(std::span<const EventIndex> own,
                                                   Ns window_ns) const {
  std::vector<Container> suspects;
  if (containers_.empty()) return suspects;
  for (const EventIndex event : own) {
    if (!longer_than_half(view_.event(event).dur_ns, window_ns)) continue;
    const auto place = std::lower_bound(
        containers_.begin(), containers_.end(), event,
        [](const Container& container, EventIndex wanted) { return container.event < wanted; });
    if (place == containers_.end() || place->event != event) continue;
    if (!other_median_ns_[static_cast<std::size_t>(place - containers_.begin())]) {
      suspects.push_back(*place);
    }
  }
  return suspects;
}

std::int64_t count_contained(const TraceView& view, const Device& device) {
  struct Reach {
    Ns earlier_end_ns = std::numeric_limits<Ns>::min();   // of events that started earlier
    Ns together_end_ns = std::numeric_limits<Ns>::min();  // and of those that start at start_ns
    Ns start_ns = std::numeric_limits<Ns>::min();
  };
  std::vector<Reach> streams(device.streams.size());
  std::int64_t contained = 0;
  for (const EventIndex event : device.events) {
    const Interval interval = view.interval(event);
    Reach& reach = streams[view.stream(event)];
    if (interval.start_ns != reach.start_ns) {
      reach.earlier_end_ns = std::max(reach.earlier_end_ns, reach.together_end_ns);
      reach.start_ns = interval.start_ns;
    }
    if (interval.start_ns < reach.earlier_end_ns && interval.end_ns <= reach.earlier_end_ns) {
      ++contained;
    }
    reach.together_end_ns = std::max(reach.together_end_ns, interval.end_ns);
  }
  return contained;
}

}  // namespace stepscope::analysis
