#pragma once
// R10: how far the clock of each rank is off, from calls that end together on all ranks. Owns its
// figures; refers to the view.

#include <optional>
#include <vector>

#include "analysis/passes/ranks/collective_calls.h"

namespace stepscope::analysis {

// A clock that is off by this much or less is left as it is.
inline constexpr Ns kSmallestOffsetNs = 5000;

// All by rank, parallel to the ranks that the queues refer to.
struct ClockOffsets {
  // Median over the calls of (own end - lower median of the ends over the ranks); 0 when fewer than
  // 3 calls pair up by position.
  std::vector<Ns> measured_ns;
  // The same where it is above 5 us and above 3 times `mad_ns`, else 0.
  std::vector<Ns> applied_ns;
  std::optional<Ns> mad_ns;  // the largest median absolute deviation; absent: nothing measured
};

// Pairs are taken from queues that have equally many calls on all their members: from those over
// all ranks, and when these have fewer than 3 calls from the others too.
ClockOffsets clock_offsets(const TraceView& view, const CallQueues& queues, std::size_t rank_count);

// Times relative to the trace's origin, in the common clock.
struct CommonClock {
  const TraceView& view;
  const std::vector<Ns>& offset_ns;  // by rank

  Ns start_ns(EventIndex event, std::size_t rank) const {
    return view.event(event).start_ns - view.trace.summary.origin_ns - offset_ns[rank];
  }
  Ns end_ns(EventIndex event, std::size_t rank) const {
    return start_ns(event, rank) + view.event(event).dur_ns;
  }
};

// Whether offsets can be taken off and differences formed in 64 bits: not when the calls lie 95
// years apart.
bool times_compare(const TraceView& view, const CallQueues& queues);

}  // namespace stepscope::analysis
