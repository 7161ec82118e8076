#include "analysis/passes/step_timeline.h"

#include <map>
#include <string_view>
#include <utility>

namespace stepscope::analysis {

std::vector<TimelineEvent> step_timeline(const StepScene& scene, const Accounting& accounting) {
  if (scene.events.size() > kTimelineEventsMax) return {};
  std::map<std::string_view, std::uint32_t> streams;
  for (std::uint32_t i = 0; i < accounting.streams.size(); ++i) {
    streams.emplace(accounting.streams[i].stream, i);
  }
  std::map<std::pair<std::string_view, std::string_view>, std::uint32_t> kernels;
  for (std::uint32_t i = 0; i < accounting.kernels.size(); ++i) {
    const KernelRow& row = accounting.kernels[i];
    kernels.emplace(std::pair<std::string_view, std::string_view>{row.stream, row.name}, i);
  }
  std::vector<TimelineEvent> timeline;
  timeline.reserve(scene.events.size());
  for (std::uint32_t at = 0; at < scene.events.size(); ++at) {
    const EventIndex event = scene.events[at];
    const Interval part = scene.inside(at);
    const std::string_view stream = scene.device.streams[scene.view.stream(event)];
    const std::string_view name = scene.view.trace.names[scene.view.event(event).name];
    const int layer = scene.layers ? scene.layers->layer_of[at] : -1;
    timeline.push_back({.start_ns = part.start_ns - scene.window.start_ns,
                        .dur_ns = part.length_ns(),
                        .stream = streams.at(stream),
                        .kernel = kernels.at({stream, name}),
                        .layer = layer < 0 ? -1 : layer});
  }
  return timeline;
}

}  // namespace stepscope::analysis
