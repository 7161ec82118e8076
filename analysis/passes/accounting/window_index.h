#pragma once
// Finds the events of a device that touch a window without looking at all of them: one step of ten
// thousand must not cost a pass over the file. Keeps one time for each block of events and refers
// to the view and the device, which must outlive it.

#include <vector>

#include "analysis/passes/accounting/device_table.h"

namespace stepscope::analysis {

class WindowIndex {
 public:
  // Durations must not change afterwards.
  WindowIndex(const TraceView& view, const Device& device);

  // In start order.
  std::vector<EventIndex> events_in(const Interval& window) const;

 private:
  const TraceView& view_;
  const Device& device_;
  std::vector<Ns> block_end_ns_;  // the last end in each block of events
};

// From the first start to the last end of `events`, which are in start order and not empty.
Interval extent(const TraceView& view, const std::vector<EventIndex>& events);

}  // namespace stepscope::analysis
