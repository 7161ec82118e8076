// The structure of a shown step in the JSON contract. The key order is the order of the code.

#include "analysis/reports/step_json.h"

#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "analysis/reports/json_values.h"

namespace stepscope::analysis {
namespace {

using Json = nlohmann::ordered_json;

Json classes_json(const ClassTimes& classes) {
  return {{"compute", classes.compute},
          {"comm_exposed", classes.comm_exposed},
          {"copy_exposed", classes.copy_exposed},
          {"idle", classes.idle}};
}

Json charged_json(const ChargedCategory& part) {
  return {{"category", part.category},
          {"component", part.component},
          {"calls", part.calls},
          {"charged_ns", part.charged_ns}};
}

Json phase_json(const Phase& phase) {
  return {{"name", phase.name},
          {"start_ns", phase.start_ns},
          {"wall_ns", phase.wall_ns},
          {"classes_ns", classes_json(phase.classes)},
          {"charged", array_of<Json>(phase.charged, charged_json)}};
}

Json layer_row_json(const LayerRow& row) {
  return {{"stream", row.stream},
          {"name", row.name},
          {"category", row.category},
          {"role", text_or_null<Json>(row.role)},
          {"component", row.component},
          {"calls", row.calls},
          {"charged_ns", row.charged_ns},
          {"sum_ns", row.sum_ns},
          {"calls_in_kind", row.calls_in_kind},
          {"charged_in_kind_ns", row.charged_in_kind_ns},
          {"sum_in_kind_ns", row.sum_in_kind_ns},
          {"names_vary", row.names_vary}};
}

Json kind_json(const LayerKind& kind) {
  return {{"first", kind.first},
          {"last", kind.last},
          {"count", kind.count},
          {"events", kind.events},
          {"moe", kind.moe},
          {"median_wall_ns", kind.median_wall_ns},
          {"mean_wall_ns", kind.mean_wall_ns},
          {"min_wall_ns", kind.min_wall_ns},
          {"max_wall_ns", kind.max_wall_ns},
          {"total_wall_ns", kind.total_wall_ns},
          {"median_layer", kind.median_layer},
          {"label", kind.label},
          {"side_events", kind.side_events},
          {"idle_ns", kind.idle_ns},
          {"idle_in_kind_ns", kind.idle_in_kind_ns},
          {"rows", array_of<Json>(kind.rows, layer_row_json)}};
}

Json outlier_json(const OutlierLayer& layer) {
  return {
      {"layer", layer.layer}, {"wall_ns", layer.wall_ns}, {"kind_median_ns", layer.kind_median_ns}};
}

Json layers_json(const std::optional<Layers>& layers) {
  if (!layers) return nullptr;
  return {{"count", layers->count},
          {"stream", layers->stream},
          {"events_before", layers->events_before},
          {"events_after", layers->events_after},
          {"wall_ns", layers->wall_ns},
          {"kind_of", layers->kind_of},
          {"kinds", array_of<Json>(layers->kinds, kind_json)},
          {"outliers", array_of<Json>(layers->outliers, outlier_json)},
          {"notes", layers->notes}};
}

Json where_json(const WhereRow& row) {
  return {{"key", row.key},     {"label", row.label},
          {"calls", row.calls}, {"charged_ns", row.charged_ns},
          {"idle", row.idle},   {"wait", row.wait}};
}

Json moe_part_json(const MoePart& part) {
  return {{"part", part.part},
          {"calls", part.calls},
          {"charged_ns", part.charged_ns},
          {"hidden_ns", part.hidden_ns},
          {"exposed_ns", part.exposed_ns},
          {"busy_ns", part.busy_ns},
          {"sum_ns", part.sum_ns}};
}

Json moe_json(const std::optional<Moe>& moe) {
  if (!moe) return nullptr;
  return {{"layers", moe->layers},
          {"parts", array_of<Json>(moe->parts, moe_part_json)},
          {"total", moe_part_json(moe->total)},
          {"sentence", moe->sentence}};
}

Json launch_json(const LaunchStats& stats) {
  return {{"launches", stats.launches},
          {"graph_launches", stats.graph_launches},
          {"graph_kernels", stats.graph_kernels},
          {"unlinked_events", stats.unlinked_events},
          {"kernels_per_graph_median", or_null<Json>(stats.kernels_per_graph_median)},
          {"latency_min_ns", or_null<Json>(stats.latency_min_ns)},
          {"latency_median_ns", or_null<Json>(stats.latency_median_ns)},
          {"latency_max_ns", or_null<Json>(stats.latency_max_ns)},
          {"depth_median", or_null<Json>(stats.depth_median)},
          {"depth_max", or_null<Json>(stats.depth_max)}};
}

Json part_json(const StepPart& part) {
  return {{"phase", part.phase},     {"label", part.label},     {"start_ns", part.start_ns},
          {"wall_ns", part.wall_ns}, {"busy_ns", part.busy_ns}, {"events", part.events}};
}

Json rank_json(const RankRow& row) {
  return {{"rank", or_null<Json>(row.rank)},
          {"label", text_or_null<Json>(row.label)},
          {"device", row.device},
          {"step_index", row.step_index},
          {"shown", row.shown},
          {"wall_ns", row.wall_ns},
          {"busy_ns", row.busy_ns},
          {"compute_ns", row.compute_ns},
          {"comm_exposed_ns", row.comm_exposed_ns},
          {"moe_ns", row.moe_ns},
          {"wait_ns", or_null<Json>(row.wait_ns)},
          {"transfer_ns", or_null<Json>(row.transfer_ns)}};
}

Json check_json(const CrossCheck& check) {
  return {{"period_ns", or_null<Json>(check.period_ns)},
          {"millitokens_per_s_per_user", or_null<Json>(check.millitokens_per_s_per_user)},
          {"unprofiled_ns", or_null<Json>(check.unprofiled_ns)},
          {"ratio_permille", or_null<Json>(check.ratio_permille)}};
}

Json takeaway_json(const Takeaway& one) {
  return {{"rule", one.rule}, {"text", one.text}, {"at_stake_ns", one.at_stake_ns}};
}

Json role_json(const KernelRole& role) {
  return {{"role", text_or_null<Json>(role.role)},
          {"component", role.component},
          {"calls", role.calls},
          {"charged_ns", role.charged_ns},
          {"evidence", text_or_null<Json>(role.evidence)}};
}

Json shape_json(const KernelShape& shape) {
  return {{"text", shape.text}, {"source", shape.source}, {"calls", shape.calls}};
}

std::string rank_key(std::optional<int> rank, const std::string& label) {
  return rank ? std::to_string(*rank) : label;
}

Json call_json(const CollectiveCall& call) {
  const std::string late = rank_key(call.late_rank, call.late_label);
  return {{"kind", call.kind},
          {"group", call.group},
          {"name", call.name},
          {"start_ns", call.start_ns},
          {"last_arrival_ns", call.last_arrival_ns},
          {"max_wait_ns", call.max_wait_ns},
          {"shortest_ns", call.shortest_ns},
          {"release_spread_ns", call.release_spread_ns},
          {"late_rank", text_or_null<Json>(late)},
          {"bytes", or_null<Json>(call.bytes)}};
}

Json long_call_json(const LongCall& call) {
  return {{"name", call.name},
          {"stream", call.stream},
          {"start_ns", call.start_ns},
          {"dur_ns", call.dur_ns},
          {"kind_median_ns", call.kind_median_ns}};
}

}  // namespace

void add_kernel_places(nlohmann::ordered_json& out, const KernelRow& row) {
  out["roles"] = array_of<Json>(row.roles, role_json);
  out["shapes"] = array_of<Json>(row.shapes, shape_json);
}

void add_step_structure(nlohmann::ordered_json& out, const ShownStep& shown) {
  out["where"] = array_of<Json>(shown.where, where_json);
  out["phases"] = shown.phases.empty() ? Json(nullptr) : array_of<Json>(shown.phases, phase_json);
  out["layers"] = layers_json(shown.layers);
  out["no_layers_reason"] = text_or_null<Json>(shown.no_layers_reason);
  out["moe"] = moe_json(shown.moe);
  out["parts"] = array_of<Json>(shown.parts, part_json);
  out["launch_stats"] = launch_json(shown.launch_stats);
  out["head_wait_ns"] = or_null<Json>(shown.head_wait_ns);
  out["ranks"] = array_of<Json>(shown.ranks, rank_json);
  out["cross_check"] = check_json(shown.cross_check);
  out["takeaways"] = array_of<Json>(shown.takeaways, takeaway_json);
}

nlohmann::ordered_json collectives_json(const std::optional<Collectives>& collectives) {
  if (!collectives) return nullptr;
  const Collectives& all = *collectives;
  const bool told = all.matched > 0;
  Json out = {
      {"ranks", all.ranks},
      {"world_size", or_null<Json>(all.world_size)},
      {"complete", all.complete},
      {"matched", all.matched},
      {"unmatched", all.unmatched},
      {"release_mad_ns", or_null<Json>(all.release_mad_ns)},
      {"largest_wait_ns", told ? Json(all.largest_wait_ns) : Json(nullptr)},
      {"largest_release_spread_ns", told ? Json(all.largest_release_spread_ns) : Json(nullptr)}};
  for (const char* key :
       {"clock_offset_ns", "late_rank_calls", "wait_ns", "transfer_ns", "rank_labels"}) {
    out[key] = Json::object();
  }
  for (const CollectiveRank& rank : all.by_rank) {
    const std::string key = rank_key(rank.rank, rank.label);
    out["clock_offset_ns"][key] = rank.clock_offset_ns;
    if (rank.late_calls > 0) out["late_rank_calls"][key] = rank.late_calls;
    out["wait_ns"][key] = rank.wait_ns;
    out["transfer_ns"][key] = rank.transfer_ns;
    if (!rank.label.empty()) out["rank_labels"][key] = rank.label;
  }
  out["kinds_in_order"] =
      array_of<Json>(all.calls, [](const CollectiveCall& call) { return call.kind; });
  out["calls"] = array_of<Json>(all.calls, call_json);
  out["long_calls"] = array_of<Json>(all.long_calls, long_call_json);
  out["notes"] = all.notes;
  return out;
}

}  // namespace stepscope::analysis
