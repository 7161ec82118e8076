#include "analysis/passes/step_scene.h"

#include <utility>

#include "analysis/passes/accounting/accounting.h"

namespace stepscope::analysis {

StepScene make_scene(const TraceView& view, const LaunchLinks& links, const Device& device,
                     const Interval& window, std::vector<EventIndex> events) {
  StepScene scene{view, links, device, window, std::move(events), 0, {}, {}, {}, {}};
  if (const auto order = charge_order_of(view, device, scene.events, window)) {
    scene.primary = order->primary;
    scene.parts = charged_parts(view, scene.events, *order, window);
  }
  if (auto layers = find_layers(view, scene.events, window, scene.primary)) {
    scene.layers = *std::move(layers);
  } else {
    scene.no_layers_reason = std::move(layers.error());
  }
  scene.roles = assign_roles(view, scene.events, scene.layers ? &*scene.layers : nullptr);
  return scene;
}

}  // namespace stepscope::analysis
