// The JSON contract `stepscope.compare/1`. The key order is the order of the code.

#include "analysis/reports/compare/compare_json.h"

#include <nlohmann/json.hpp>
#include <optional>
#include <vector>

#include "analysis/reports/compare/compare_words.h"

namespace stepscope::analysis {
namespace {

using Json = nlohmann::ordered_json;

template <typename T>
Json or_null(const std::optional<T>& value) {
  return value ? Json(*value) : Json(nullptr);
}

Json text_or_null(const std::string& text) { return text.empty() ? Json(nullptr) : Json(text); }

Json json(const std::optional<ComparedRow>& row) {
  if (!row) return nullptr;
  return {{"stream", text_or_null(row->stream)},
          {"class", text_or_null(row->device_class)},
          {"calls", row->calls},
          {"charged_ns", row->charged_ns},
          {"busy_ns", row->busy_ns},
          {"min_ns", or_null(row->min_ns)},
          {"max_ns", or_null(row->max_ns)},
          {"charged_min_ns", or_null(row->charged_min_ns)},
          {"charged_max_ns", or_null(row->charged_max_ns)}};
}

Json json(const Delta& delta) {
  return {{"key", delta.key},
          {"label", delta.label},
          {"state", !delta.a   ? "appeared"
                    : !delta.b ? "vanished"
                               : "in both"},
          {"charged_delta_ns", delta.charged_delta_ns},
          {"charged_delta_permille",
           or_null(permille_of(delta.charged_delta_ns, delta.a ? delta.a->charged_ns : 0))},
          {"busy_delta_ns", delta.busy_delta_ns},
          {"within_noise", or_null(delta.within_noise)},
          {"a", json(delta.a)},
          {"b", json(delta.b)}};
}

Json json(const std::vector<Delta>& deltas) {
  Json out = Json::array();
  for (const Delta& delta : deltas) out.push_back(json(delta));
  return out;
}

Json json(const SideFacts& facts) {
  return {{"framework", text_or_null(facts.framework)},
          {"family", text_or_null(facts.family)},
          {"hardware", text_or_null(facts.hardware)},
          {"model", text_or_null(facts.model)},
          {"parallelism", text_or_null(facts.parallelism)},
          {"image", text_or_null(facts.image)},
          {"lengths", text_or_null(facts.lengths)},
          {"concurrency", text_or_null(facts.concurrency)},
          {"batch_size", or_null(facts.batch_size)},
          {"world_size", or_null(facts.world_size)}};
}

Json json(const CompareSide& side) {
  return {{"title", side.title},
          {"file", text_or_null(side.file)},
          {"table_version", side.table_version},
          {"analyzer_version", side.analyzer_version},
          {"facts", json(side.facts)},
          {"partial", text_or_null(side.partial)},
          {"phase", side.phase},
          {"step_index", side.step_index},
          {"wall_ns", side.wall_ns},
          {"idle_ns", side.idle_ns},
          {"spread", {{"min_ns", side.min_ns}, {"max_ns", side.max_ns}, {"count", side.steps}}},
          {"idle_min_ns", or_null(side.idle_min_ns)},
          {"idle_max_ns", or_null(side.idle_max_ns)},
          {"primary_stream", text_or_null(side.primary_stream)},
          {"leading_category", text_or_null(side.leading_category)}};
}

}  // namespace

std::string compare_json(const Comparison& comparison) {
  Json out = Json::object();
  out["schema"] = "stepscope.compare/1";
  std::vector<std::string> warnings = comparison.first_warnings;
  warnings.insert(warnings.end(), comparison.warnings.begin(), comparison.warnings.end());
  out["warnings"] = warnings;
  out["verdict"] = verdict_words(comparison);
  out["a"] = json(comparison.a);
  out["b"] = json(comparison.b);
  out["wall"] = {
      {"delta_ns", comparison.wall_delta_ns},
      {"delta_permille", or_null(permille_of(comparison.wall_delta_ns, comparison.a.wall_ns))},
      {"within_noise", comparison.within_noise},
      {"noise_known", comparison.noise_known}};
  out["idle"] = {
      {"delta_ns", comparison.idle_delta_ns},
      {"delta_permille", or_null(permille_of(comparison.idle_delta_ns, comparison.a.idle_ns))},
      {"within_noise", or_null(comparison.idle_within_noise)}};
  out["no_difference"] = comparison.no_difference;
  out["busy_compared"] = comparison.busy_compared;
  out["kernels_matched"] = comparison.kernels_matched;
  out["not_compared"] = text_or_null(comparison.not_compared);
  out["categories"] = json(comparison.categories);
  out["components"] = json(comparison.components);
  out["kernels"] = json(comparison.kernels);
  out["layer_kinds"] = json(comparison.layer_kinds);
  out["layer_rows"] = json(comparison.layer_rows);
  return out.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace stepscope::analysis
