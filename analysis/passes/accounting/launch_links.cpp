#include "analysis/passes/accounting/launch_links.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <utility>

namespace stepscope::analysis {
namespace {

using Key = std::pair<ScopeId, std::int64_t>;

Key key_of(const Launch& launch) { return {launch.scope, launch.correlation}; }

// Correlation ids mostly grow with time, so the next search starts where the last one ended.
class Finder {
 public:
  explicit Finder(const std::vector<Launch>& launches) : launches_(launches) {}

  LaunchIndex find(const Key& key, Ns start_ns) {
    if (key.second == kNoCorrelation) return kNoLaunch;
    std::size_t at = first_of(key);
    if (at == launches_.size() || key_of(launches_[at]) != key) return kNoLaunch;
    hint_ = at;
    while (at + 1 < launches_.size() && key_of(launches_[at + 1]) == key &&
           launches_[at + 1].start_ns <= start_ns) {
      ++at;
      if (at - hint_ == kScan) return last_before(key, start_ns);
    }
    return static_cast<LaunchIndex>(at);
  }

 private:
  static constexpr std::size_t kScan = 8;

  bool starts_at(std::size_t at, const Key& key) const {
    return at < launches_.size() && key_of(launches_[at]) == key &&
           (at == 0 || key_of(launches_[at - 1]) != key);
  }

  std::size_t first_of(const Key& key) const {
    if (starts_at(hint_, key)) return hint_;
    if (starts_at(hint_ + 1, key)) return hint_ + 1;
    const auto found =
        std::lower_bound(launches_.begin(), launches_.end(), key,
                         [](const Launch& launch, const Key& k) { return key_of(launch) < k; });
    return static_cast<std::size_t>(found - launches_.begin());
  }

  // For a correlation that is used many times.
  LaunchIndex last_before(const Key& key, Ns start_ns) const {
    const auto past = std::upper_bound(launches_.begin(), launches_.end(), std::pair(key, start_ns),
                                       [](const std::pair<Key, Ns>& k, const Launch& launch) {
                                         return k < std::pair(key_of(launch), launch.start_ns);
                                       });
    return static_cast<LaunchIndex>(past - launches_.begin() - 1);
  }

  const std::vector<Launch>& launches_;
  std::size_t hint_ = 0;
};

// What follows the prefix of the programming interface; empty for any other name.
std::string_view without_interface(std::string_view name) {
  for (const std::string_view prefix : {"cuda", "hip", "cu"}) {
    if (name.starts_with(prefix)) return name.substr(prefix.size());
  }
  return {};
}

}  // namespace

bool is_graph_launch_name(std::string_view name) {
  for (const std::string_view call : {"cudaGraphLaunch", "hipGraphLaunch", "cuGraphLaunch"}) {
    if (name.find(call) != std::string_view::npos) return true;
  }
  return false;
}

bool is_launching_name(std::string_view name) {
  static constexpr std::array<std::string_view, 8> kCalls = {
      "LaunchKernel",    "LaunchCooperativeKernel", "ModuleLaunch", "ExtLaunch",
      "ExtModuleLaunch", "HccModuleLaunch",         "Memcpy",       "Memset"};
  if (is_graph_launch_name(name)) return true;
  const std::string_view call = without_interface(name);
  return std::any_of(kCalls.begin(), kCalls.end(),
                     [&](std::string_view start) { return call.starts_with(start); });
}

LaunchLinks::LaunchLinks(const Trace& trace)
    : trace_(trace),
      launch_of_(trace.device_events.size(), kNoLaunch),
      graph_name_(trace.names.size()) {
  assert(trace.launches.size() < kNoLaunch);
  for (const Launch& launch : trace.launches) {
    graph_name_[launch.name] = is_graph_launch_name(trace.names[launch.name]);
  }
  Finder finder(trace.launches);
  for (std::size_t i = 0; i < launch_of_.size(); ++i) {
    const DeviceEvent& event = trace.device_events[i];
    const ScopeId scope = trace.timelines[event.timeline].scope;
    launch_of_[i] = finder.find({scope, event.correlation}, event.start_ns);
  }
}

bool LaunchLinks::is_graph(LaunchIndex launch) const {
  return graph_name_[trace_.launches[launch].name];
}

bool LaunchLinks::is_graph_node(EventIndex event) const {
  return launch_of_[event] != kNoLaunch && is_graph(launch_of_[event]);
}

bool LaunchLinks::has_launches(ScopeId scope) const {
  const auto found =
      std::lower_bound(trace_.launches.begin(), trace_.launches.end(), scope,
                       [](const Launch& launch, ScopeId id) { return launch.scope < id; });
  return found != trace_.launches.end() && found->scope == scope;
}

std::vector<LaunchCounts> count_launches(const TraceView& view, const LaunchLinks& links) {
  const std::vector<Device>& devices = view.table.devices;
  std::vector<LaunchCounts> counts(devices.size());
  std::vector<std::uint32_t> seen_by(view.trace.launches.size());  // device + 1; 0: none
  for (std::uint32_t d = 0; d < devices.size(); ++d) {
    LaunchCounts& count = counts[d];
    for (const EventIndex event : devices[d].events) {
      const LaunchIndex launch = links.launch_of(event);
      if (launch == kNoLaunch) {
        ++count.unlinked_events;
        count.unlinked_sum_ns += view.event(event).dur_ns;
        continue;
      }
      const bool graph = links.is_graph(launch);
      if (graph) ++count.graph_kernels;
      if (seen_by[launch] == d + 1) continue;
      seen_by[launch] = d + 1;
      ++count.launches;
      if (graph) ++count.graph_launches;
    }
  }
  std::vector<bool> launching(view.trace.names.size());
  for (const Launch& launch : view.trace.launches) {
    launching[launch.name] = is_launching_name(view.trace.names[launch.name]);
  }
  std::vector<std::int64_t> without(view.trace.scopes.size());
  for (std::size_t i = 0; i < seen_by.size(); ++i) {
    const Launch& launch = view.trace.launches[i];
    if (seen_by[i] == 0 && launching[launch.name]) ++without[launch.scope];
  }
  for (std::size_t d = 0; d < devices.size(); ++d) {
    counts[d].launches_without_kernels = std::exchange(without[devices[d].scope], 0);
  }
  return counts;
}

}  // namespace stepscope::analysis
