#pragma once
// Half-open time intervals and their union. Everything here expects intervals in start order, which
// is the order of Trace::device_events, and so needs no sorting and no memory of its own.

#include <algorithm>
#include <limits>
#include <vector>

#include "analysis/breakdown.h"

namespace stepscope::analysis {

struct Interval {
  Ns start_ns = 0;
  Ns end_ns = 0;

  Ns length_ns() const { return end_ns - start_ns; }
  bool operator==(const Interval&) const = default;
};

// R3: an event counts in a window when they share an instant; one without duration when it lies in
// the window or on its edge.
inline bool touches(const Interval& event, const Interval& window) {
  if (event.start_ns == event.end_ns) {
    return window.start_ns <= event.start_ns && event.start_ns <= window.end_ns;
  }
  return event.start_ns < window.end_ns && event.end_ns > window.start_ns;
}

// The part of `event` inside `window`; only for events that touch it.
inline Interval clipped(const Interval& event, const Interval& window) {
  return {std::max(event.start_ns, window.start_ns), std::min(event.end_ns, window.end_ns)};
}

// R4: length of the union of the intervals added so far.
class RunningUnion {
 public:
  void add(const Interval& interval) {
    if (interval.end_ns <= reached_ns_) return;
    total_ns_ += interval.end_ns - std::max(interval.start_ns, reached_ns_);
    reached_ns_ = interval.end_ns;
  }

  Ns total_ns() const { return total_ns_; }

 private:
  Ns total_ns_ = 0;
  // The end of what is covered so far. No interval starts before it unless they overlap.
  Ns reached_ns_ = std::numeric_limits<Ns>::min();
};

// Adds to a union that is kept as disjoint intervals with gaps between them.
inline void append_to_union(std::vector<Interval>& parts, const Interval& interval) {
  if (interval.start_ns >= interval.end_ns) return;
  if (!parts.empty() && interval.start_ns <= parts.back().end_ns) {
    parts.back().end_ns = std::max(parts.back().end_ns, interval.end_ns);
  } else {
    parts.push_back(interval);
  }
}

}  // namespace stepscope::analysis
