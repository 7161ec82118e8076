#pragma once
// R1: events whose claimed duration can not be true. Finds them; clipping them in the trace is the
// caller's business, and so is the order: raw figures are taken before.

#include <optional>
#include <span>
#include <vector>

#include "analysis/passes/accounting/device_table.h"

namespace stepscope::analysis {

// An event that contains two or more later-started events of its own stream.
struct Container {
  EventIndex event = 0;
  Ns next_start_ns = 0;  // of the next event on its stream: where it is clipped if it is suspect
};

// What is known of the devices' events before any is clipped.
class SuspectFinder {
 public:
  SuspectFinder(const TraceView& view, const Device& device);

  // Containers that last more than 10 times the lower median of the other calls of their name on
  // this device, or more than half of the window when their name has fewer than 3 calls. In order.
  std::vector<Container> in_window(Ns window_ns) const;
  // Of the second sort only, among a step's own events (in start order).
  std::vector<Container> rare_in_step(std::span<const EventIndex> own, Ns window_ns) const;

 private:
  static bool longer_than_half(Ns duration_ns, Ns window_ns) {
    return duration_ns > window_ns - duration_ns;
  }

  const TraceView& view_;
  std::vector<Container> containers_;               // in start order
  std::vector<std::optional<Ns>> other_median_ns_;  // parallel; absent with fewer than 3 calls
};

// Events that lie within an earlier-started one of their stream (graph branches can share a
// stream).
std::int64_t count_contained(const TraceView& view, const Device& device);

}  // namespace stepscope::analysis
