#pragma once
// What the passes over the structure of one step share: the events of its window in start order,
// who owns which instant (R7), its layers and the role of each event. Positions are indices into
// `events`. Owns its tables; refers to the view, the links and the device.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "analysis/passes/accounting/charging.h"
#include "analysis/passes/accounting/launch_links.h"
#include "analysis/passes/layers/layers.h"
#include "analysis/passes/roles/roles.h"

namespace stepscope::analysis {

// A matched call of one rank: until `last_arrival_ns` (absolute, in that rank's own clock) it
// waits, then it transfers; the two sum to its duration.
struct EventWait {
  EventIndex event = 0;
  Ns last_arrival_ns = 0;
  Ns wait_ns = 0;
  Ns transfer_ns = 0;
};

struct StepScene {
  const TraceView& view;
  const LaunchLinks& links;
  const Device& device;
  Interval window;                 // absolute
  std::vector<EventIndex> events;  // that touch the window
  StreamIndex primary = 0;
  std::vector<ChargedPart> parts;  // in time order; what no part covers is idle
  std::optional<LayerMap> layers;
  std::string no_layers_reason;  // when absent
  RoleMap roles;                 // parallel to events

  // Of the event's part inside the window.
  Interval inside(std::uint32_t at) const { return clipped(view.interval(events[at]), window); }
  const KernelCategory& category(std::uint32_t at) const { return view.category(events[at]); }
  // Refined by place where the role says so (R14), else by name.
  std::string_view component(std::uint32_t at) const {
    const std::string_view refined = role_component(roles.role_of[at]);
    return refined.empty() ? std::string_view(category(at).component) : refined;
  }
};

// `events` are those of the device that touch the window, in start order.
StepScene make_scene(const TraceView& view, const LaunchLinks& links, const Device& device,
                     const Interval& window, std::vector<EventIndex> events);

}  // namespace stepscope::analysis
