#include "analysis/passes/steps/step_markers.h"

#include <algorithm>
#include <cassert>
#include <limits>
#include <utility>

namespace stepscope::analysis {
namespace {

void take_name(const Trace& trace, NameId name, StepMarker& into) {
  const std::string& text = trace.names[name];
  if (!into.step_span && is_step_span(text)) into.step_span = name;
  if (into.text.form == MarkerForm::bracket) return;
  MarkerText read = read_marker(text);
  const bool better = into.text.form == MarkerForm::plain || read.form == MarkerForm::bracket;
  if (read.form != MarkerForm::plain && better) into.text = std::move(read);
}

OwnedStep step_of(const Trace& trace, const StepMarker& marker) {
  OwnedStep step;
  step.marker = marker.span;
  step.label = trace.names[marker.step_span.value_or(marker.name)];
  if (marker.text.form != MarkerForm::plain) step.phase = marker.text.phase;
  step.batch_size = marker.text.batch_size;
  step.tokens = marker.text.tokens;
  step.kv_tokens = marker.text.kv_tokens;
  return step;
}

}  // namespace

std::vector<StepMarker> outermost(const Trace& trace, const std::vector<Marker>& markers) {
  std::vector<StepMarker> result;
  for (const Marker& marker : markers) {
    const Interval span{marker.start_ns, marker.start_ns + marker.dur_ns};
    if (result.empty() || span.end_ns > result.back().span.end_ns) {
      result.push_back({.span = span, .name = marker.name});
    }
    take_name(trace, marker.name, result.back());
  }
  return result;
}

std::vector<OwnedStep> steps_of_markers(const Trace& trace, const std::vector<StepMarker>& markers,
                                        const std::vector<EventIndex>& events,
                                        const OwnerTime& owner_time) {
  assert(markers.size() < std::numeric_limits<std::uint32_t>::max());
  std::vector<std::uint64_t> owned;  // marker in the upper half, event in the lower
  for (const EventIndex event : events) {
    const std::optional<Ns> time_ns = owner_time(event);
    if (!time_ns) continue;
    const auto marker = std::upper_bound(
        markers.begin(), markers.end(), *time_ns,
        [](Ns at_ns, const StepMarker& candidate) { return at_ns < candidate.span.end_ns; });
    if (marker == markers.end() || marker->span.start_ns > *time_ns) continue;
    owned.push_back(static_cast<std::uint64_t>(marker - markers.begin()) << 32 | event);
  }
  // Events are numbered in start order, so this keeps them so within a marker.
  std::sort(owned.begin(), owned.end());

  std::vector<OwnedStep> steps;
  std::optional<std::uint64_t> last;
  for (const std::uint64_t pair : owned) {
    const std::uint64_t marker = pair >> 32;
    if (last != marker) steps.push_back(step_of(trace, markers[marker]));
    last = marker;
    steps.back().events.push_back(static_cast<EventIndex>(pair));
  }
  return steps;
}

}  // namespace stepscope::analysis
