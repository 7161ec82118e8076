#pragma once
// R8: finds the launch of every device event, and counts launches. Owns one number for each event;
// launch numbers are indices into Trace::launches.

#include <cstdint>
#include <limits>
#include <optional>
#include <string_view>
#include <vector>

#include "analysis/passes/accounting/device_table.h"

namespace stepscope::analysis {

using LaunchIndex = std::uint32_t;
inline constexpr LaunchIndex kNoLaunch = std::numeric_limits<LaunchIndex>::max();

class LaunchLinks {
 public:
  explicit LaunchLinks(const Trace& trace);

  // Of the launches of the event's process and correlation the one that started last at or before
  // it, else the first; kNoLaunch when there is none.
  LaunchIndex launch_of(EventIndex event) const { return launch_of_[event]; }
  // A call that replays a whole graph, so that its events are nodes.
  bool is_graph(LaunchIndex launch) const;
  bool is_graph_node(EventIndex event) const;
  // Whether any call of the process is in the file.
  bool has_launches(ScopeId scope) const;

 private:
  const Trace& trace_;
  std::vector<LaunchIndex> launch_of_;  // by EventIndex
  std::vector<bool> graph_name_;        // by NameId
};

struct LaunchCounts {
  std::int64_t launches = 0;  // calls that started an event of the device
  std::int64_t graph_launches = 0;
  std::int64_t graph_kernels = 0;
  std::int64_t unlinked_events = 0;
  Ns unlinked_sum_ns = 0;
  // Launching calls of the process that started nothing on any device. They name no device, so the
  // process's first device has them and its others have none.
  std::int64_t launches_without_kernels = 0;
};

// Parallel to the table's devices.
std::vector<LaunchCounts> count_launches(const TraceView& view, const LaunchLinks& links);

// (cuda|hip|cu)GraphLaunch anywhere in the name.
bool is_graph_launch_name(std::string_view name);
// Runtime and driver calls that put a kernel, a graph, a copy or a memset on a device.
bool is_launching_name(std::string_view name);

}  // namespace stepscope::analysis
