#include "analysis/passes/steps/step_parts.h"

#include <algorithm>
#include <optional>
#include <string>

#include "analysis/passes/steps/marker_text.h"
#include "analysis/passes/steps/step_markers.h"

namespace stepscope::analysis {
namespace {

// Far above the draft steps of any one verify step: what is longer is plain decoding.
constexpr std::size_t kCycleStepsMax = 64;

// Engine markers inside the step's own, which is the first of its span. Without launches they are
// in device time.
std::vector<Marker> inner_markers(const Trace& trace, ScopeId scope, const Interval& own,
                                  bool by_device_span) {
  const auto before = [](const Marker& a, const Marker& b) {
    return std::pair(a.scope, a.start_ns) < std::pair(b.scope, b.start_ns);
  };
  const MarkerKind wanted =
      by_device_span ? MarkerKind::gpu_annotation : MarkerKind::user_annotation;
  std::vector<Marker> inner;
  bool own_seen = false;
  for (auto marker = std::lower_bound(trace.markers.begin(), trace.markers.end(),
                                      Marker{.start_ns = own.start_ns, .scope = scope}, before);
       marker != trace.markers.end() && marker->scope == scope && marker->start_ns < own.end_ns;
       ++marker) {
    const Interval span{marker->start_ns, marker->start_ns + marker->dur_ns};
    if (marker->kind != wanted || span.end_ns > own.end_ns) continue;
    if (!is_engine_marker(trace.names[marker->name])) continue;
    if (span == own && !std::exchange(own_seen, true)) continue;
    inner.push_back(*marker);
  }
  return inner;
}

StepPart part_of(const TraceView& view, const OwnedStep& owned, const Interval& window) {
  StepPart part;
  part.phase = owned.phase;
  part.label = owned.label;
  RunningUnion busy;
  std::optional<Interval> extent;
  for (const EventIndex event : owned.events) {
    if (!touches(view.interval(event), window)) continue;
    const Interval inside = clipped(view.interval(event), window);
    if (!extent) extent = inside;
    extent->end_ns = std::max(extent->end_ns, inside.end_ns);
    busy.add(inside);
    ++part.events;
  }
  if (!extent) return part;
  part.start_ns = extent->start_ns - window.start_ns;
  part.wall_ns = extent->length_ns();
  part.busy_ns = busy.total_ns();
  return part;
}

std::vector<StepPart> parts_inside(const TraceView& view, const LaunchLinks& links,
                                   const Device& device, const MeasuredStep& step) {
  if (!step.marker) return {};
  const bool by_device_span = !links.has_launches(device.scope);
  const auto owner_time = [&](EventIndex event) -> std::optional<Ns> {
    if (by_device_span) return view.event(event).start_ns;
    const LaunchIndex launch = links.launch_of(event);
    if (launch == kNoLaunch) return {};
    return view.trace.launches[launch].start_ns;
  };
  const std::vector<StepMarker> outer =
      outermost(view.trace, inner_markers(view.trace, device.scope, *step.marker, by_device_span));
  std::vector<StepPart> parts;
  for (const OwnedStep& owned : steps_of_markers(view.trace, outer, step.events, owner_time)) {
    StepPart part = part_of(view, owned, step.cut.window);
    if (part.events > 0) parts.push_back(std::move(part));
  }
  std::sort(parts.begin(), parts.end(), [](const StepPart& a, const StepPart& b) {
    return std::pair(a.start_ns, a.label) < std::pair(b.start_ns, b.label);
  });
  return parts;
}

std::vector<StepPart> parts_of_cycle(std::span<const MeasuredStep> all, std::size_t at) {
  const auto [first, past] = speculative_cycle(all, at);
  std::vector<StepPart> parts;
  for (std::size_t i = first; i < past; ++i) {
    const Step& step = all[i].step;
    parts.push_back({step.phase, step.label, step.start_ns - all[at].step.start_ns, step.span_ns,
                     step.busy_ns, step.events});
  }
  return parts;
}

bool follows_verify(const Step& step) { return step.phase == "draft" || step.phase == "decode"; }

}  // namespace

std::pair<std::size_t, std::size_t> speculative_cycle(std::span<const MeasuredStep> all,
                                                      std::size_t at) {
  const std::pair<std::size_t, std::size_t> alone{at, at + 1};
  std::size_t first = at;
  while (first > 0 && at - first < kCycleStepsMax && follows_verify(all[first].step)) --first;
  if (all[first].step.phase != "verify") return alone;
  std::size_t past = first + 1;
  while (past < all.size() && follows_verify(all[past].step)) {
    if (++past - first > kCycleStepsMax) return alone;
  }
  return {first, past};
}

std::vector<StepPart> step_parts(const TraceView& view, const LaunchLinks& links,
                                 const Device& device, std::span<const MeasuredStep> all,
                                 std::size_t at) {
  std::vector<StepPart> parts = parts_inside(view, links, device, all[at]);
  if (parts.size() < 2) parts = parts_of_cycle(all, at);
  if (parts.size() < 2) parts.clear();
  return parts;
}

}  // namespace stepscope::analysis
