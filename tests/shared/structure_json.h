#pragma once
// Figures of a step in the words that the known answers and the slow reference share.

#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "analysis/step_breakdown.h"

namespace stepscope::tests {

inline nlohmann::json optional_json(const std::optional<analysis::Ns>& value) {
  return value ? nlohmann::json(*value) : nlohmann::json(nullptr);
}

inline nlohmann::json classes_json(const analysis::ClassTimes& classes) {
  return {{"compute", classes.compute},
          {"comm_exposed", classes.comm_exposed},
          {"copy_exposed", classes.copy_exposed},
          {"idle", classes.idle}};
}

inline nlohmann::json idle_json(const analysis::IdleCauses& idle) {
  return {{"host", idle.host},
          {"latency_or_dependency", idle.latency_or_dependency},
          {"between_graph_nodes", idle.between_graph_nodes},
          {"unknown", idle.unknown}};
}

// The three phases of a step with layers: the parts of the head are one, and it is there even when
// it has no length.
inline nlohmann::json phases_json(const analysis::ShownStep& shown) {
  std::map<std::string, analysis::Ns> walls = {{"head", 0}};
  std::map<std::string, analysis::ClassTimes> classes = {{"head", {}}};
  for (const analysis::Phase& phase : shown.phases) {
    const std::string name = phase.name.starts_with("head") ? "head" : phase.name;
    walls[name] += phase.wall_ns;
    classes[name].compute += phase.classes.compute;
    classes[name].comm_exposed += phase.classes.comm_exposed;
    classes[name].copy_exposed += phase.classes.copy_exposed;
    classes[name].idle += phase.classes.idle;
  }
  nlohmann::json by_class = nlohmann::json::object();
  for (const auto& [name, times] : classes) by_class[name] = classes_json(times);
  return {{"phases_ns", walls}, {"phases_classes_ns", by_class}};
}

}  // namespace stepscope::tests
