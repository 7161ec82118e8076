// The JSON contract `stepscope.breakdown/1`. The key order is the order of the code.

#include "analysis/reports/breakdown_json.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "analysis/reports/json_values.h"
#include "analysis/reports/report_words.h"
#include "analysis/reports/step_json.h"

namespace stepscope::analysis {
namespace {

using Json = nlohmann::ordered_json;

Json json(const TraceFile& file) {
  return {{"name", file.name}, {"sha256", text_or_null<Json>(file.sha256)}, {"bytes", file.bytes}};
}

Json json(const DropCounts& dropped) {
  Json out = Json::object();
  const auto add = [&](const char* reason, std::int64_t count) {
    if (count != 0) out[reason] = count;
  };
  add("no_dur", dropped.no_dur);
  add("negative_dur", dropped.negative_dur);
  add("bad_ts", dropped.bad_ts);
  add("malformed", dropped.malformed);
  return out;
}

Json json(const TraceSummary& trace) {
  return {{"files", array_of<Json>(trace.files, [](const TraceFile& file) { return json(file); })},
          {"events", trace.events},
          {"device_events", trace.device_events},
          {"device_events_by_kind",
           {{"kernel", trace.kernels}, {"memcpy", trace.memcpys}, {"memset", trace.memsets}}},
          {"dropped", json(trace.dropped)},
          {"duplicates", trace.duplicates},
          {"complete", trace.complete},
          {"cut_at_byte", or_null<Json>(trace.cut_at_byte)},
          {"damaged", array_of<Json>(trace.damaged,
                                     [](const DamagedSpot& spot) -> Json {
                                       return {{"byte", spot.byte}, {"reason", spot.reason}};
                                     })},
          {"damaged_count", trace.damaged_count},
          {"origin_ns", std::to_string(trace.origin_ns)},
          {"device_names", trace.device_names},
          {"world_size", or_null<Json>(trace.world_size)},
          {"notes", trace.notes}};
}

Json json(const StreamRow& row) {
  return {{"stream", row.stream},
          {"calls", row.calls},
          {"sum_ns", row.sum_ns},
          {"busy_ns", row.busy_ns}};
}

Json json(const KernelRow& row) {
  return {{"stream", row.stream},
          {"name", row.name},
          {"category", row.category},
          {"component", row.component},
          {"class", class_name(row.device_class)},
          {"calls", row.calls},
          {"sum_ns", row.sum_ns},
          {"busy_ns", row.busy_ns},
          {"wall_ns", row.charged_ns},
          {"min_ns", row.min_ns},
          {"median_ns", row.median_ns},
          {"max_ns", row.max_ns}};
}

// The tables that a device and a step have in common.
void add_accounting(Json& out, const Accounting& all) {
  out["window_ns"] = all.window_ns;
  out["busy_ns"] = all.busy_ns;
  out["idle_ns"] = all.idle_ns;
  out["kernel_sum_ns"] = all.kernel_sum_ns;
  out["primary_stream"] = text_or_null<Json>(all.primary_stream);
  out["streams"] = array_of<Json>(all.streams, [](const StreamRow& row) { return json(row); });
  out["classes_ns"] = {{"compute", all.classes.compute},
                       {"comm_exposed", all.classes.comm_exposed},
                       {"copy_exposed", all.classes.copy_exposed},
                       {"idle", all.classes.idle}};
  out["comm_total_ns"] = all.comm_total_ns;
  out["comm_hidden_ns"] = all.comm_hidden_ns;
  out["copy_total_ns"] = all.copy_total_ns;
  out["partition_ns"] = {{"primary", all.partition.primary},
                         {"exposed_other", all.partition.exposed_other},
                         {"hidden_other", all.partition.hidden_other},
                         {"idle", all.partition.idle}};
  out["kernels"] = array_of<Json>(all.kernels, [](const KernelRow& row) { return json(row); });
}

Json json(const DeviceBreakdown& device) {
  Json out = {{"rank", or_null<Json>(device.rank)}, {"pid", device.pid}, {"device", device.device}};
  add_accounting(out, device.accounting);
  return out;
}

Json json(const Suspect& suspect) {
  return {{"rank", or_null<Json>(suspect.rank)},
          {"device", suspect.device},
          {"stream", suspect.stream},
          {"correlation", or_null<Json>(suspect.correlation)},
          {"name", suspect.name},
          {"claimed_ns", suspect.claimed_ns},
          {"clipped_ns", suspect.clipped_ns}};
}

Json json(const Step& step) {
  return {{"rank", or_null<Json>(step.rank)},
          {"device", step.device},
          {"index", step.index},
          {"phase", step.phase},
          {"source", step.source},
          {"label", step.label},
          {"start_ns", step.start_ns},
          {"span_ns", step.span_ns},
          {"period_ns", or_null<Json>(step.period_ns)},
          {"gap_ns", or_null<Json>(step.gap_ns)},
          {"busy_ns", step.busy_ns},
          {"events", step.events},
          {"batch_size", or_null<Json>(step.batch_size)},
          {"tokens", or_null<Json>(step.tokens)},
          {"kv_tokens", or_null<Json>(step.kv_tokens)}};
}

Json json(const StepSpread& spread) {
  return {{"min_ns", spread.min_ns},
          {"median_ns", spread.median_ns},
          {"max_ns", spread.max_ns},
          {"count", spread.count},
          {"of", spread.of},
          {"first_left_out", spread.first_left_out},
          {"only_first", spread.only_first},
          {"median_period_ns", or_null<Json>(spread.median_period_ns)}};
}

Json json(const std::optional<StrayCut>& cut) {
  if (!cut) return nullptr;
  return {{"gap_ns", cut->gap_ns}, {"events", cut->events}, {"busy_ns", cut->busy_ns}};
}

Json json(const ComponentRow& row) {
  return {{"component", row.component},
          {"calls", row.calls},
          {"charged_ns", row.charged_ns},
          {"sum_ns", row.sum_ns},
          {"hidden_ns", row.hidden_ns}};
}

// busy_ns is that of the window, as idle_ns is; that of the step's own events stands in steps[].
Json json(const ShownStep& shown) {
  Json out = json(shown.step);
  out["wall_ns"] = shown.accounting.window_ns;
  add_accounting(out, shown.accounting);
  out["kernels"] = array_of<Json>(shown.accounting.kernels, [](const KernelRow& row) {
    Json kernel = json(row);
    add_kernel_places(kernel, row);
    return kernel;
  });
  out["comm_beside_compute_ns"] = shown.accounting.comm_beside_compute_ns;
  out["leading_cut"] = json(shown.leading_cut);
  out["trailing_cut"] = json(shown.trailing_cut);
  out["spread"] = json(shown.spread);
  out["idle_causes_ns"] = {{"host", shown.idle_causes.host},
                           {"latency_or_dependency", shown.idle_causes.latency_or_dependency},
                           {"between_graph_nodes", shown.idle_causes.between_graph_nodes},
                           {"unknown", shown.idle_causes.unknown}};
  out["components"] =
      array_of<Json>(shown.components, [](const ComponentRow& row) { return json(row); });
  out["foreign_events"] = shown.foreign_events;
  out["prefetch_events"] = shown.prefetch_events;
  out["notes"] = shown.notes;
  add_step_structure(out, shown);
  return out;
}

Json step_of(const Breakdown& breakdown) {
  if (breakdown.all_steps) {
    return array_of<Json>(breakdown.shown, [](const ShownStep& shown) { return json(shown); });
  }
  return breakdown.shown.empty() ? Json(nullptr) : json(breakdown.shown.front());
}

Json device_links(const DeviceBreakdown& device) {
  return {{"rank", or_null<Json>(device.rank)},
          {"pid", device.pid},
          {"device", device.device},
          {"contained_events", device.contained_events},
          {"unlinked_events", device.unlinked_events},
          {"unlinked_sum_ns", device.unlinked_sum_ns},
          {"launches", device.launches},
          {"graph_launches", device.graph_launches},
          {"graph_kernels", device.graph_kernels},
          {"launches_without_kernels", device.launches_without_kernels}};
}

Json diagnostics_of(const Breakdown& breakdown) {
  const Diagnostics& diagnostics = breakdown.diagnostics;
  return {{"outside_steps", diagnostics.outside_steps},
          {"empty_markers", diagnostics.empty_markers},
          {"unmatched_names_sum_ns", diagnostics.unmatched_names_sum_ns},
          {"unmatched_names", diagnostics.unmatched_names},
          {"python_stacks", diagnostics.python_stacks},
          {"notes", diagnostics.notes},
          {"devices", array_of<Json>(breakdown.devices, device_links)}};
}

Json report_of(const Breakdown& breakdown, const ReportContext& context) {
  return {{"title", title_of(breakdown, context)},
          {"hardware_note", text_or_null<Json>(context.hardware_note)},
          {"replayed", context.replayed},
          {"provenance", context.provenance}};
}

std::string dumped(const Json& value) {
  return value.dump(-1, ' ', false, Json::error_handler_t::replace);
}

// One top-level key a line, and one element a line in the long lists: the first line of a partial
// trace says so, and two outputs can be compared line by line.
std::string written(const Json& document) {
  std::string out = "{";
  for (const auto& [key, value] : document.items()) {
    out += fmt::format("{}{}: ", out.size() == 1 ? "" : ",\n", dumped(key));
    if (!value.is_array() || value.empty()) {
      out += dumped(value);
      continue;
    }
    out += "[";
    for (std::size_t i = 0; i < value.size(); ++i) {
      out += fmt::format("{}\n  {}", i == 0 ? "" : ",", dumped(value[i]));
    }
    out += "\n]";
  }
  return out + "}\n";
}

}  // namespace

std::string breakdown_json(const Breakdown& breakdown, const ReportContext& context) {
  Json out = Json::object();
  if (const std::string partial = partial_line(breakdown.trace); !partial.empty()) {
    out["partial"] = partial;
  }
  out["schema"] = "stepscope.breakdown/1";
  out["analyzer_version"] = breakdown.analyzer_version;
  out["table_version"] = breakdown.table_version;
  out["report"] = report_of(breakdown, context);
  out["trace"] = json(breakdown.trace);
  out["devices"] =
      array_of<Json>(breakdown.devices, [](const DeviceBreakdown& device) { return json(device); });
  out["suspects"] =
      array_of<Json>(breakdown.suspects, [](const Suspect& suspect) { return json(suspect); });
  out["steps"] = array_of<Json>(breakdown.steps, [](const Step& step) { return json(step); });
  out["step"] = step_of(breakdown);
  out["collectives"] = collectives_json(breakdown.collectives);
  out["diagnostics"] = diagnostics_of(breakdown);
  return written(out);
}

}  // namespace stepscope::analysis
