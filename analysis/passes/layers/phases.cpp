#include "analysis/passes/layers/phases.h"

#include <algorithm>
#include <limits>
#include <map>
#include <optional>
#include <string_view>
#include <tuple>
#include <utility>

namespace stepscope::analysis {
namespace {

// A stretch of the window, and which starts count to it: those of [from_ns, until_ns).
struct Cut {
  std::string name;
  Interval part;
  Ns from_ns = 0;
  Ns until_ns = 0;
};

class ClassUnions {
 public:
  void add(const Interval& part, DeviceClass device_class) {
    all_.add(part);
    if (device_class == DeviceClass::compute) compute_.add(part);
    if (device_class != DeviceClass::copy) compute_or_comm_.add(part);
  }

  // R6.
  ClassTimes times(Ns wall_ns) const {
    return {.compute = compute_.total_ns(),
            .comm_exposed = compute_or_comm_.total_ns() - compute_.total_ns(),
            .copy_exposed = all_.total_ns() - compute_or_comm_.total_ns(),
            .idle = wall_ns - all_.total_ns()};
  }

 private:
  RunningUnion all_;
  RunningUnion compute_;
  RunningUnion compute_or_comm_;
};

// Rows by category and component.
class ChargedRows {
 public:
  ChargedCategory& of(const KernelCategory& category) {
    ChargedCategory& row =
        rows_[{std::string_view(category.category), std::string_view(category.component)}];
    if (row.category.empty()) {
      row.category = category.category;
      row.component = category.component;
    }
    return row;
  }

  std::vector<ChargedCategory> sorted() && {
    std::vector<ChargedCategory> rows;
    rows.reserve(rows_.size());
    for (auto& [key, row] : rows_) rows.push_back(std::move(row));
    std::sort(rows.begin(), rows.end(), [](const ChargedCategory& a, const ChargedCategory& b) {
      if (a.charged_ns != b.charged_ns) return a.charged_ns > b.charged_ns;
      return std::tie(a.category, a.component) < std::tie(b.category, b.component);
    });
    return rows;
  }

 private:
  std::map<std::pair<std::string_view, std::string_view>, ChargedCategory> rows_;
};

Phase phase_of(const StepScene& scene, Cut cut) {
  Phase phase{.name = std::move(cut.name),
              .start_ns = cut.part.start_ns - scene.window.start_ns,
              .wall_ns = cut.part.length_ns(),
              .classes = {},
              .charged = {}};
  ClassUnions classes;
  ChargedRows rows;
  for (std::uint32_t at = 0; at < scene.events.size(); ++at) {
    const Interval event = scene.view.interval(scene.events[at]);
    const KernelCategory& category = scene.category(at);
    if (event.start_ns >= cut.from_ns && event.start_ns < cut.until_ns) ++rows.of(category).calls;
    if (event.start_ns < cut.part.end_ns && event.end_ns > cut.part.start_ns) {
      classes.add(clipped(event, cut.part), category.device_class);
    }
  }
  phase.classes = classes.times(phase.wall_ns);
  auto part = std::partition_point(
      scene.parts.begin(), scene.parts.end(),
      [&](const ChargedPart& charged) { return charged.end_ns <= cut.part.start_ns; });
  for (; part != scene.parts.end() && part->start_ns < cut.part.end_ns; ++part) {
    const Interval piece = clipped({part->start_ns, part->end_ns}, cut.part);
    rows.of(scene.category(part->at)).charged_ns += piece.length_ns();
  }
  phase.charged = std::move(rows).sorted();
  return phase;
}

// From the first start to the last end of the collectives that start in the head, on any stream;
// absent when there are none, or none that lasts.
std::optional<Interval> collectives_in(const StepScene& scene, const Interval& head) {
  std::optional<Interval> found;
  for (std::uint32_t at = 0; at < scene.events.size(); ++at) {
    if (scene.category(at).device_class != DeviceClass::comm) continue;
    if (scene.view.event(scene.events[at]).start_ns >= head.end_ns) continue;
    const Interval part = clipped(scene.view.interval(scene.events[at]), head);
    if (!found) found = part;
    found->end_ns = std::max(found->end_ns, part.end_ns);
  }
  if (found && found->length_ns() <= 0) return {};
  return found;
}

std::vector<Cut> cuts_of(const StepScene& scene, const LayerMap& layers) {
  const Interval& window = scene.window;
  const Ns begin_ns = std::clamp(layers.start_ns.front(), window.start_ns, window.end_ns);
  const Ns end_ns = std::clamp(layers.end_ns, begin_ns, window.end_ns);
  const Interval head{window.start_ns, begin_ns};
  std::vector<Cut> cuts;
  const auto add = [&](const char* name, Ns from_ns, Ns until_ns) {
    if (from_ns < until_ns) cuts.push_back({name, {from_ns, until_ns}, from_ns, until_ns});
  };
  if (const auto comm = collectives_in(scene, head)) {
    add("head.setup", head.start_ns, comm->start_ns);
    add("head.collective", comm->start_ns, comm->end_ns);
    add("head.rest", comm->end_ns, head.end_ns);
  } else {
    add("head", head.start_ns, head.end_ns);
  }
  cuts.push_back({"layers", {begin_ns, end_ns}, begin_ns, end_ns});
  cuts.push_back({"tail", {end_ns, window.end_ns}, end_ns, std::numeric_limits<Ns>::max()});
  cuts.front().from_ns = std::numeric_limits<Ns>::min();  // what runs into the window
  return cuts;
}

}  // namespace

std::vector<Phase> phases_of(const StepScene& scene) {
  if (!scene.layers) return {};
  std::vector<Phase> phases;
  for (Cut& cut : cuts_of(scene, *scene.layers)) phases.push_back(phase_of(scene, std::move(cut)));
  return phases;
}

Phase phase_between(const StepScene& scene, std::string name, const Interval& part) {
  const bool first = part.start_ns <= scene.window.start_ns;
  const bool last = part.end_ns >= scene.window.end_ns;
  return phase_of(scene, {.name = std::move(name),
                          .part = part,
                          .from_ns = first ? std::numeric_limits<Ns>::min() : part.start_ns,
                          .until_ns = last ? std::numeric_limits<Ns>::max() : part.end_ns});
}

}  // namespace stepscope::analysis
