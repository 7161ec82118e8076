#include "analysis/passes/shown_step.h"

#include <algorithm>
#include <cassert>
#include <map>
#include <string>
#include <utility>

#include "analysis/passes/accounting.h"
#include "analysis/passes/idle_causes.h"

namespace stepscope::analysis {
namespace {

std::int64_t own_in_window(const TraceView& view, const MeasuredStep& measured) {
  return std::count_if(measured.events.begin(), measured.events.end(), [&](EventIndex event) {
    return touches(view.interval(event), measured.cut.window);
  });
}

}  // namespace

std::vector<ComponentRow> component_rows(const TraceView& view, std::span<const EventIndex> events,
                                         const Interval& window, const Accounting& accounting) {
  struct Tally {
    ComponentRow row;
    RunningUnion busy;
  };
  std::map<std::string, Tally, std::less<>> tallies;
  for (const KernelRow& kernel : accounting.kernels) {
    ComponentRow& row = tallies[kernel.component].row;
    row.component = kernel.component;
    row.calls += kernel.calls;
    row.charged_ns += kernel.charged_ns;
    row.sum_ns += kernel.sum_ns;
  }
  for (const EventIndex event : events) {
    // A row takes its component from the first event of its name, so look the event's own up
    // gently.
    const auto place = tallies.find(view.category(event).component);
    if (place != tallies.end()) place->second.busy.add(clipped(view.interval(event), window));
  }
  std::vector<ComponentRow> rows;
  for (auto& [component, tally] : tallies) {
    tally.row.hidden_ns = std::max(tally.busy.total_ns() - tally.row.charged_ns, Ns{0});
    rows.push_back(std::move(tally.row));
  }
  std::sort(rows.begin(), rows.end(), [](const ComponentRow& a, const ComponentRow& b) {
    return a.charged_ns != b.charged_ns ? a.charged_ns > b.charged_ns : a.component < b.component;
  });
  return rows;
}

ShownStep show_step(const TraceView& view, const LaunchLinks& links, const Device& device,
                    const WindowIndex& index, const MeasuredStep& measured) {
  const Interval window = measured.cut.window;
  const std::vector<EventIndex> events = index.events_in(window);
  ShownStep shown;
  shown.step = measured.step;
  shown.accounting = account(view, device, events, window);
  shown.leading_cut = measured.cut.leading;
  shown.trailing_cut = measured.cut.trailing;
  shown.foreign_events = static_cast<std::int64_t>(events.size()) - own_in_window(view, measured);
  shown.prefetch_events = measured.cut.early_events + measured.cut.late_events;
  shown.idle_causes = idle_causes(view, links, events, window);
  shown.components = component_rows(view, events, window, shown.accounting);
  const IdleCauses& idle = shown.idle_causes;
  assert(idle.host + idle.latency_or_dependency + idle.between_graph_nodes + idle.unknown ==
         shown.accounting.idle_ns);
  return shown;
}

}  // namespace stepscope::analysis
