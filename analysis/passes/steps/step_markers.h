#pragma once
// R8: step markers of one process, nested ones folded into the outermost, and the device events
// that they own. Owns copies of what it needs of a marker's name.

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "analysis/passes/accounting/device_table.h"
#include "analysis/passes/accounting/launch_links.h"
#include "analysis/passes/steps/marker_text.h"
#include "analysis/passes/steps/step_source.h"

namespace stepscope::analysis {

// An outermost marker with what it and the markers inside it say.
struct StepMarker {
  Interval span;
  NameId name = 0;
  std::optional<NameId> step_span;  // the first step[..] among them: the label
  MarkerText text;  // of the first that names a phase, those in brackets before others
};

// `markers` in the order of Trace::markers. Both starts and ends of the result rise.
std::vector<StepMarker> outermost(const Trace& trace, const std::vector<Marker>& markers);

// When an event of the device happened for a marker: at its launch, or at its own start for markers
// in device time. Absent: it belongs to no marker.
using OwnerTime = std::function<std::optional<Ns>(EventIndex)>;

// One step for each marker that owns an event (start <= time < end), in the order of the markers.
std::vector<OwnedStep> steps_of_markers(const Trace& trace, const std::vector<StepMarker>& markers,
                                        const std::vector<EventIndex>& events,
                                        const OwnerTime& owner_time);

}  // namespace stepscope::analysis
