#include "analysis/passes/steps/step_source.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <map>
#include <utility>

#include "analysis/passes/steps/graph_steps.h"
#include "analysis/passes/steps/marker_text.h"
#include "analysis/passes/steps/repetition.h"
#include "analysis/passes/steps/step_markers.h"
#include "analysis/reading/formats/kineto/event_roles.h"

namespace stepscope::analysis {
namespace {

// Annotation names that are tried as steps, those of the longest total time first.
constexpr std::size_t kAnnotationNamesMax = 8;

// The markers of one process that can be steps. Without launches these are spans in device time.
struct ScopeMarkers {
  std::vector<Marker> frames;
  std::vector<Marker> annotations;
};

ScopeMarkers markers_of(const Trace& trace, ScopeId scope, bool by_device_span) {
  const auto range =
      std::equal_range(trace.markers.begin(), trace.markers.end(), Marker{.scope = scope},
                       [](const Marker& a, const Marker& b) { return a.scope < b.scope; });
  const MarkerKind wanted =
      by_device_span ? MarkerKind::gpu_annotation : MarkerKind::user_annotation;
  ScopeMarkers found;
  for (auto marker = range.first; marker != range.second; ++marker) {
    if (marker->kind == MarkerKind::python_frame && !by_device_span) {
      found.frames.push_back(*marker);
    } else if (marker->kind == wanted && !is_capture_marker(trace.names[marker->name])) {
      found.annotations.push_back(*marker);
    }
  }
  return found;
}

template <typename Wanted>
std::vector<Marker> named(const Trace& trace, const std::vector<Marker>& markers,
                          const Wanted& wanted) {
  std::vector<Marker> found;
  for (const Marker& marker : markers) {
    if (wanted(trace.names[marker.name])) found.push_back(marker);
  }
  return found;
}

// Markers of one name, where the name is used more than once; the longest in total come first.
std::vector<std::vector<Marker>> repeated_names(const Trace& trace,
                                                const std::vector<Marker>& markers) {
  std::map<NameId, std::vector<Marker>> by_name;
  for (const Marker& marker : markers) by_name[marker.name].push_back(marker);
  std::vector<std::pair<Ns, std::vector<Marker>>> found;
  for (auto& [name, all] : by_name) {
    if (all.size() < 2) continue;
    RunningUnion time;
    for (const Marker& marker : all) {
      time.add({marker.start_ns, marker.start_ns + marker.dur_ns});
    }
    found.emplace_back(time.total_ns(), std::move(all));
  }
  std::sort(found.begin(), found.end(), [&](const auto& a, const auto& b) {
    if (a.first != b.first) return a.first > b.first;
    return trace.names[a.second.front().name] < trace.names[b.second.front().name];
  });
  if (found.size() > kAnnotationNamesMax) found.resize(kAnnotationNamesMax);
  std::vector<std::vector<Marker>> names;
  names.reserve(found.size());
  for (auto& [time_ns, all] : found) names.push_back(std::move(all));
  return names;
}

Ns sum_of_work(const TraceView& view, const std::vector<OwnedStep>& steps) {
  Ns sum_ns = 0;
  for (const OwnedStep& step : steps) sum_ns += work_ns_of(view, step.events);
  return sum_ns;
}

class Finder {
 public:
  Finder(const TraceView& view, const LaunchLinks& links, const Device& device)
      : view_(view), links_(links), device_(device) {
    by_device_span_ = !links.has_launches(device.scope);
    markers_ = markers_of(view.trace, device.scope, by_device_span_);
  }

  StepSet find() {
    const Trace& trace = view_.trace;
    if (auto set = from(StepSource::engine, named(trace, markers_.annotations, is_engine_marker))) {
      return *std::move(set);
    }
    if (auto set = from(StepSource::python_frame, markers_.frames)) return *std::move(set);
    if (auto set =
            from(StepSource::profiler_step, named(trace, markers_.annotations, is_profiler_step))) {
      return *std::move(set);
    }
    const Ns work_ns = work_ns_of(view_, device_.events);
    if (auto set = from_repeated_annotation(work_ns)) return *std::move(set);
    if (auto steps = graph_steps(view_, links_, device_, work_ns); !steps.empty()) {
      return {.source = StepSource::graph_launch, .steps = std::move(steps)};
    }
    if (auto steps = repeated_steps(view_, device_, work_ns); !steps.empty()) {
      return {.source = StepSource::repetition, .steps = std::move(steps)};
    }
    OwnedStep whole{.label = "file", .events = device_.events};
    return {.source = StepSource::file, .steps = {std::move(whole)}};
  }

 private:
  std::optional<StepSet> from(StepSource source, const std::vector<Marker>& markers) const {
    const std::vector<StepMarker> outer = outermost(view_.trace, markers);
    if (outer.empty()) return {};
    StepSet set{.source = source, .by_device_span = by_device_span_};
    set.steps = steps_of_markers(view_.trace, outer, device_.events,
                                 [&](EventIndex event) { return owner_time(event); });
    if (set.steps.empty()) return {};
    set.empty_markers = static_cast<std::int64_t>(outer.size() - set.steps.size());
    return set;
  }

  // One name whose steps own at least half of the busy time; the one that owns most, then the first
  // by name.
  std::optional<StepSet> from_repeated_annotation(Ns work_ns) const {
    std::optional<StepSet> best;
    Ns best_ns = 0;
    std::string_view best_name;
    for (const std::vector<Marker>& markers : repeated_names(view_.trace, markers_.annotations)) {
      auto set = from(StepSource::annotation, markers);
      if (!set || set->steps.size() < 2) continue;
      const Ns owned_ns = sum_of_work(view_, set->steps);
      if (owned_ns < work_ns - owned_ns) continue;
      const std::string_view name = view_.trace.names[markers.front().name];
      if (best && std::pair(-owned_ns, name) > std::pair(-best_ns, best_name)) continue;
      best = std::move(set);
      best_ns = owned_ns;
      best_name = name;
    }
    return best;
  }

  std::optional<Ns> owner_time(EventIndex event) const {
    if (by_device_span_) return view_.event(event).start_ns;
    const LaunchIndex launch = links_.launch_of(event);
    if (launch == kNoLaunch) return {};
    return view_.trace.launches[launch].start_ns;
  }

  const TraceView& view_;
  const LaunchLinks& links_;
  const Device& device_;
  bool by_device_span_ = false;
  ScopeMarkers markers_;
};

}  // namespace

std::string_view source_name(StepSource source) {
  static constexpr std::array<std::string_view, 7> kNames = {
      "engine",       "python_frame", "profiler_step", "annotation",
      "graph_launch", "repetition",   "file"};
  return kNames[static_cast<std::size_t>(source)];
}

Ns work_ns_of(const TraceView& view, std::span<const EventIndex> events) {
  RunningUnion work;
  for (const EventIndex event : events) {
    if (view.category(event).device_class != DeviceClass::comm) work.add(view.interval(event));
  }
  return work.total_ns();
}

StepSet find_steps(const TraceView& view, const LaunchLinks& links, const Device& device) {
  StepSet set = Finder(view, links, device).find();
  const std::size_t file = view.trace.scopes[device.scope].file;
  std::string phase;
  if (file < view.trace.summary.files.size()) {
    phase = phase_of_file_name(view.trace.summary.files[file].name);
  }
  std::size_t owned = 0;
  for (OwnedStep& step : set.steps) {
    owned += step.events.size();
    if (step.phase == "unknown" && !phase.empty()) step.phase = phase;
  }
  assert(owned <= device.events.size());
  set.outside_events = static_cast<std::int64_t>(device.events.size() - owned);
  return set;
}

}  // namespace stepscope::analysis
