#include <doctest/doctest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>
#include <string>

#include "tests/shared/shared_folder.h"
#include "tests/shared/structure_json.h"

using namespace stepscope::analysis;
using namespace stepscope::tests;
using nlohmann::json;

namespace {

json leading_json(const std::optional<StrayCut>& cut) {
  if (!cut) return nullptr;
  return {{"gap_ns", cut->gap_ns}, {"events", cut->events}};
}

json layers_json(const std::optional<Layers>& layers) {
  if (!layers) return nullptr;
  std::set<std::int64_t> sizes;
  json kinds = json::array();
  for (const LayerKind& kind : layers->kinds) {
    sizes.insert(kind.events);
    kinds.push_back({{"first", kind.first},
                     {"last", kind.last},
                     {"count", kind.count},
                     {"events", kind.events},
                     {"moe", kind.moe},
                     {"median_wall_ns", kind.median_wall_ns}});
  }
  return {{"count", layers->count},
          {"stream", layers->stream},
          {"events_before", layers->events_before},
          {"events_after", layers->events_after},
          {"events_per_layer", sizes},
          {"kinds", kinds}};
}

// The row as we see it, in the words of the table; collectives are left out.
json row_of(const Breakdown& breakdown) {
  REQUIRE(breakdown.shown.size() == 1);
  REQUIRE(breakdown.devices.size() == 1);
  const ShownStep& shown = breakdown.shown[0];
  json phases = json::object();
  json spans = json::array();
  for (const Step& step : breakdown.steps) {
    phases[step.phase] = phases.value(step.phase, 0) + 1;
    spans.push_back(step.span_ns);
  }
  std::int64_t in_window = 0;
  for (const StreamRow& stream : shown.accounting.streams) in_window += stream.calls;
  json row = {{"source", shown.step.source},
              {"steps", breakdown.steps.size()},
              {"steps_by_phase", phases},
              {"markers_without_device_events", breakdown.diagnostics.empty_markers},
              {"device_events", breakdown.trace.device_events},
              {"unlinked_events", breakdown.devices[0].unlinked_events},
              {"events_outside_steps", breakdown.diagnostics.outside_steps},
              {"spans_ns", spans},
              {"chosen_index", shown.step.index},
              {"label", shown.step.label},
              {"span_ns", shown.step.span_ns},
              {"period_ns", optional_json(shown.step.period_ns)},
              {"gap_ns", optional_json(shown.step.gap_ns)},
              {"leading", leading_json(shown.leading_cut)},
              {"early_events", shown.prefetch_events},
              {"events_in_window", in_window},
              {"foreign_events_in_window", shown.foreign_events},
              {"busy_ns", shown.accounting.busy_ns},
              {"idle_ns", shown.accounting.idle_ns},
              {"primary_stream", shown.accounting.primary_stream},
              {"idle_causes_ns", idle_json(shown.idle_causes)},
              {"layers", layers_json(shown.layers)}};
  if (shown.layers) row.update(phases_json(shown));
  return row;
}

}  // namespace

TEST_SUITE("structure") {
  TEST_CASE("steps, windows, idle causes, phases and layers of every file with one device") {
    const json table = json::parse(read_text(shared_folder() / "traces" / "structure.json"));
    int rows = 0;
    for (const json& want : table) {
      if (!want.contains("source")) continue;  // a set of ranks
      const std::string file = want.at("file");
      CAPTURE(file);
      const auto result = analyze_file(shared_folder() / "traces" / file);
      REQUIRE_MESSAGE(result.has_value(), (result ? "" : result.error().message));
      CHECK(result->suspects.empty());
      const json got = row_of(*result);
      for (const auto& [field, value] : got.items()) {
        CAPTURE(field);
        if (want.contains(field)) CHECK(value == want.at(field));
      }
      if (want.contains("layers")) {
        CHECK(got.contains("phases_ns") == want.contains("phases_ns"));
      }
      ++rows;
    }
    CHECK(rows == 32);
  }
}
