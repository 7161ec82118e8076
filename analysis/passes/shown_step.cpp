#include "analysis/passes/shown_step.h"

#include <algorithm>
#include <cassert>
#include <string>
#include <utility>

#include "analysis/passes/accounting/accounting.h"
#include "analysis/passes/accounting/idle_causes.h"
#include "analysis/passes/launch_stats.h"
#include "analysis/passes/layers/layer_rows.h"
#include "analysis/passes/layers/phases.h"
#include "analysis/passes/roles/components.h"
#include "analysis/passes/roles/kernel_shapes.h"
#include "analysis/passes/roles/moe.h"
#include "analysis/passes/roles/where_rows.h"
#include "analysis/passes/step_scene.h"
#include "analysis/passes/step_timeline.h"
#include "analysis/passes/steps/step_parts.h"

namespace stepscope::analysis {
namespace {

std::int64_t own_in_window(const TraceView& view, const MeasuredStep& measured) {
  return std::count_if(measured.events.begin(), measured.events.end(), [&](EventIndex event) {
    return touches(view.interval(event), measured.cut.window);
  });
}

// What of the head the collectives own while they wait for other ranks.
std::optional<Ns> head_wait(const StepScene& scene, std::span<const EventWait> waits) {
  if (waits.empty() || !scene.layers) return {};
  const Ns head_end_ns = scene.layers->start_ns.front();
  Ns wait_ns = 0;
  for (const ChargedPart& part : scene.parts) {
    const EventIndex event = scene.events[part.at];
    const auto wait = std::ranges::lower_bound(waits, event, {}, &EventWait::event);
    if (wait == waits.end() || wait->event != event) continue;
    const Ns end_ns = std::min({part.end_ns, wait->last_arrival_ns, head_end_ns});
    wait_ns += std::max(end_ns - part.start_ns, Ns{0});
  }
  return wait_ns;
}

void add_structure(const StepScene& scene, std::span<const EventWait> waits, ShownStep& shown) {
  shown.components = component_rows(scene);
  shown.where = where_rows(scene, shown.idle_causes, waits);
  shown.phases = phases_of(scene);
  shown.layers = layer_figures(scene);
  shown.no_layers_reason = scene.no_layers_reason;
  shown.moe = moe_figures(scene);
  shown.launch_stats = launch_stats(scene);
  shown.head_wait_ns = head_wait(scene, waits);
  add_kernel_roles(scene, shown.accounting.kernels);
  add_kernel_shapes(scene, shown.accounting.kernels);
  shown.timeline = step_timeline(scene, shown.accounting);
}

}  // namespace

ShownStep show_step(const TraceView& view, const LaunchLinks& links, const Device& device,
                    const WindowIndex& index, const ChosenStep& chosen,
                    std::span<const EventWait> waits) {
  const MeasuredStep& measured = chosen.all[chosen.at];
  const Interval window = measured.cut.window;
  const StepScene scene = make_scene(view, links, device, window, index.events_in(window));
  ShownStep shown;
  shown.step = measured.step;
  shown.accounting = account(view, device, scene.events, window);
  shown.leading_cut = measured.cut.leading;
  shown.trailing_cut = measured.cut.trailing;
  shown.foreign_events =
      static_cast<std::int64_t>(scene.events.size()) - own_in_window(view, measured);
  shown.prefetch_events = measured.cut.early_events + measured.cut.late_events;
  shown.idle_causes = idle_causes(view, links, scene.events, window);
  shown.parts = step_parts(view, links, device, chosen.all, chosen.at);
  add_structure(scene, waits, shown);
  const IdleCauses& idle = shown.idle_causes;
  assert(idle.host + idle.latency_or_dependency + idle.between_graph_nodes + idle.unknown ==
         shown.accounting.idle_ns);
  return shown;
}

}  // namespace stepscope::analysis
