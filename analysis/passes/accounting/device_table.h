#pragma once
// R2: groups the events of a trace by device, and gives every stream of a device a small number in
// the order of its id. Holds indices only; they are valid as long as the Trace is not reordered.

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/passes/accounting/intervals.h"
#include "analysis/passes/names/event_classes.h"
#include "analysis/reading/event_table.h"

namespace stepscope::analysis {

using EventIndex = std::uint32_t;   // into Trace::device_events
using StreamIndex = std::uint32_t;  // into Device::streams

// One device of one process, with at least one event. Ranks and devices are never merged.
struct Device {
  ScopeId scope = 0;
  std::optional<int> rank;
  std::string pid;
  std::string device;
  std::vector<std::string> streams;  // lowest id first
  std::vector<EventIndex> events;    // in start order
};

struct DeviceTable {
  std::vector<Device> devices;  // by rank (absent last), scope, device, pid
  std::vector<StreamIndex> stream_of_timeline;
};

DeviceTable devices_of(const Trace& trace);

// Ids compare as numbers when both are; numbers come before words.
std::strong_ordering compare_ids(std::string_view a, std::string_view b);

// What every pass looks at. Owns nothing.
struct TraceView {
  const Trace& trace;
  const EventClasses& classes;
  const DeviceTable& table;

  const DeviceEvent& event(EventIndex index) const { return trace.device_events[index]; }
  Interval interval(EventIndex index) const {
    const DeviceEvent& found = event(index);
    return {found.start_ns, found.start_ns + found.dur_ns};
  }
  StreamIndex stream(EventIndex index) const {
    return table.stream_of_timeline[event(index).timeline];
  }
  const KernelCategory& category(EventIndex index) const { return classes.category(event(index)); }
};

}  // namespace stepscope::analysis
