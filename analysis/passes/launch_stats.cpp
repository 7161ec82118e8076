#include "analysis/passes/launch_stats.h"

#include <algorithm>
#include <cstddef>
#include <unordered_map>
#include <utility>

#include "analysis/lower_median.h"

namespace stepscope::analysis {
namespace {

// What one call started in the window.
struct Started {
  Ns launch_ns = 0;
  Ns first_ns = 0;  // start of its first event
  std::int64_t events = 0;
  bool graph = false;
};

// By launch; events come in start order, so the first one that is met starts first.
std::vector<Started> launches_of(const StepScene& scene, LaunchStats& stats) {
  std::unordered_map<LaunchIndex, std::size_t> place_of;
  std::vector<Started> launches;
  for (const EventIndex event : scene.events) {
    const LaunchIndex launch = scene.links.launch_of(event);
    if (launch == kNoLaunch) {
      ++stats.unlinked_events;
      continue;
    }
    const auto [place, is_new] = place_of.try_emplace(launch, launches.size());
    if (is_new) {
      launches.push_back({scene.view.trace.launches[launch].start_ns,
                          scene.view.event(event).start_ns, 0, scene.links.is_graph(launch)});
    }
    ++launches[place->second].events;
  }
  return launches;
}

void add_latency(const std::vector<Started>& launches, LaunchStats& stats) {
  std::vector<Ns> latencies_ns;
  for (const Started& launch : launches) {
    const Ns latency_ns = launch.first_ns - launch.launch_ns;
    if (!launch.graph && launch.events == 1 && latency_ns >= 0) latencies_ns.push_back(latency_ns);
  }
  if (latencies_ns.empty()) return;
  const auto [least, most] = std::minmax_element(latencies_ns.begin(), latencies_ns.end());
  stats.latency_min_ns = *least;
  stats.latency_max_ns = *most;
  stats.latency_median_ns = lower_median(std::move(latencies_ns));
}

void add_depth(const StepScene& scene, const std::vector<Started>& launches, LaunchStats& stats) {
  if (launches.empty()) return;
  std::vector<Ns> begun_ns;
  std::vector<Ns> started_ns;
  for (const Started& launch : launches) {
    if (launch.launch_ns > launch.first_ns) continue;  // was never seen to wait
    begun_ns.push_back(launch.launch_ns);
    started_ns.push_back(launch.first_ns);
  }
  std::sort(begun_ns.begin(), begun_ns.end());
  std::sort(started_ns.begin(), started_ns.end());
  std::vector<std::int64_t> depths;
  depths.reserve(scene.events.size());
  std::size_t begun = 0;
  std::size_t started = 0;
  for (const EventIndex event : scene.events) {
    const Ns at_ns = scene.view.event(event).start_ns;
    while (begun < begun_ns.size() && begun_ns[begun] <= at_ns) ++begun;
    while (started < started_ns.size() && started_ns[started] <= at_ns) ++started;
    depths.push_back(static_cast<std::int64_t>(begun - started));
  }
  stats.depth_max = *std::max_element(depths.begin(), depths.end());
  stats.depth_median = lower_median(std::move(depths));
}

}  // namespace

LaunchStats launch_stats(const StepScene& scene) {
  LaunchStats stats;
  const std::vector<Started> launches = launches_of(scene, stats);
  std::vector<std::int64_t> graph_sizes;
  for (const Started& launch : launches) {
    ++stats.launches;
    if (!launch.graph) continue;
    ++stats.graph_launches;
    stats.graph_kernels += launch.events;
    graph_sizes.push_back(launch.events);
  }
  if (!graph_sizes.empty()) stats.kernels_per_graph_median = lower_median(std::move(graph_sizes));
  add_latency(launches, stats);
  add_depth(scene, launches, stats);
  return stats;
}

}  // namespace stepscope::analysis
