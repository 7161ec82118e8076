#include "analysis/passes/roles/components.h"

#include <algorithm>
#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>

#include "analysis/passes/accounting/row_index.h"

namespace stepscope::analysis {
namespace {

struct RoleTally {
  std::int64_t calls = 0;
  Ns charged_ns = 0;
  std::string_view component;
  std::map<std::uint32_t, std::int64_t> places;
  std::size_t layers_with = 0;
  int last_layer = -1;
};
using RowRoles = std::map<Role, RoleTally>;

void add_call(const StepScene& scene, std::uint32_t at, RoleTally& tally) {
  ++tally.calls;
  tally.component = scene.component(at);
  ++tally.places[scene.roles.place_of[at]];
  const int layer = scene.layers ? scene.layers->layer_of[at] : -1;
  if (layer > tally.last_layer) {  // events come in the order of their layers
    ++tally.layers_with;
    tally.last_layer = layer;
  }
}

KernelRole kernel_role(const StepScene& scene, Role role, const RoleTally& tally) {
  const auto most =
      std::ranges::max_element(tally.places, {}, [](const auto& place) { return place.second; });
  KernelRole out;
  out.role = role_name(role);
  out.component = tally.component;
  out.calls = tally.calls;
  out.charged_ns = tally.charged_ns;
  if (most->first != 0) {
    out.evidence = evidence_text(scene.roles.places[most->first], tally.calls, tally.layers_with,
                                 scene.layers ? scene.layers->count() : 0);
  }
  return out;
}

std::vector<KernelRole> kernel_roles(const StepScene& scene, const RowRoles& tallies) {
  std::vector<KernelRole> roles;
  for (const auto& [role, tally] : tallies) roles.push_back(kernel_role(scene, role, tally));
  std::sort(roles.begin(), roles.end(), [](const KernelRole& a, const KernelRole& b) {
    return std::tie(b.charged_ns, a.role) < std::tie(a.charged_ns, b.role);
  });
  return roles;
}

}  // namespace

std::vector<ComponentRow> component_rows(const StepScene& scene) {
  struct Tally {
    ComponentRow row;
    RunningUnion busy;
  };
  std::map<std::string_view, Tally> tallies;
  for (std::uint32_t at = 0; at < scene.events.size(); ++at) {
    Tally& tally = tallies[scene.component(at)];
    const Interval inside = scene.inside(at);
    ++tally.row.calls;
    tally.row.sum_ns += inside.length_ns();
    tally.busy.add(inside);
  }
  for (const ChargedPart& part : scene.parts) {
    tallies[scene.component(part.at)].row.charged_ns += part.end_ns - part.start_ns;
  }
  std::vector<ComponentRow> rows;
  for (auto& [component, tally] : tallies) {
    tally.row.component = component;
    tally.row.hidden_ns = tally.busy.total_ns() - tally.row.charged_ns;
    rows.push_back(std::move(tally.row));
  }
  std::sort(rows.begin(), rows.end(), [](const ComponentRow& a, const ComponentRow& b) {
    return std::tie(b.charged_ns, a.component) < std::tie(a.charged_ns, b.component);
  });
  return rows;
}

void add_kernel_roles(const StepScene& scene, std::vector<KernelRow>& kernels) {
  RowIndex index;
  std::vector<RowRoles> tallies;
  std::vector<std::uint32_t> row_of(scene.events.size());
  std::map<std::pair<std::string_view, std::string_view>, std::uint32_t> row_of_words;
  for (std::uint32_t at = 0; at < scene.events.size(); ++at) {
    const EventIndex event = scene.events[at];
    const StreamIndex stream = scene.view.stream(event);
    const NameId name = scene.view.event(event).name;
    row_of[at] = index.of(stream, name);
    if (row_of[at] == tallies.size()) {
      tallies.emplace_back();
      row_of_words[{scene.device.streams[stream], scene.view.trace.names[name]}] = row_of[at];
    }
    add_call(scene, at, tallies[row_of[at]][scene.roles.role_of[at]]);
  }
  for (const ChargedPart& part : scene.parts) {
    RoleTally& tally = tallies[row_of[part.at]][scene.roles.role_of[part.at]];
    tally.charged_ns += part.end_ns - part.start_ns;
  }
  for (KernelRow& kernel : kernels) {
    const auto found = row_of_words.find({kernel.stream, kernel.name});
    if (found != row_of_words.end()) kernel.roles = kernel_roles(scene, tallies[found->second]);
  }
}

}  // namespace stepscope::analysis
