#include "analysis/reports/breakdown_json.h"

#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include "tests/analysis/reports/golden.h"
#include "tests/support/sample_breakdown.h"

namespace stepscope::analysis {
namespace {

using Json = nlohmann::ordered_json;

std::vector<std::string> keys(const Json& object) {
  std::vector<std::string> out;
  for (const auto& [key, value] : object.items()) out.push_back(key);
  return out;
}

Json written(const Breakdown& breakdown, const ReportContext& context = {}) {
  return Json::parse(breakdown_json(breakdown, context));
}

using Keys = std::vector<std::string>;
const Keys kTables = {"window_ns",      "busy_ns",       "idle_ns",      "kernel_sum_ns",
                      "primary_stream", "streams",       "classes_ns",   "comm_total_ns",
                      "comm_hidden_ns", "copy_total_ns", "partition_ns", "kernels"};

TEST_CASE("the whole contract of one step") {
  tests::check_golden("report-step.json",
                      breakdown_json(tests::sample_breakdown(), tests::sample_context()));
}

TEST_CASE("keys and their order are those of the contract") {
  const Json out = written(tests::sample_breakdown());
  CHECK(keys(out) == Keys{"schema", "analyzer_version", "table_version", "report", "trace",
                          "devices", "suspects", "steps", "step", "collectives", "diagnostics"});
  CHECK(out["schema"] == "stepscope.breakdown/1");
  Keys device = {"rank", "pid", "device"};
  device.insert(device.end(), kTables.begin(), kTables.end());
  CHECK(keys(out["devices"][0]) == device);
  CHECK(keys(out["devices"][0]["kernels"][0]) == Keys{"stream", "name", "category", "component",
                                                      "class", "calls", "sum_ns", "busy_ns",
                                                      "wall_ns", "min_ns", "median_ns", "max_ns"});
  CHECK(keys(out["steps"][0]) == Keys{"rank", "device", "index", "phase", "source", "label",
                                      "start_ns", "span_ns", "period_ns", "gap_ns", "busy_ns",
                                      "events", "batch_size", "tokens", "kv_tokens"});
  const Json& step = out["step"];
  for (const std::string& key : kTables) CHECK(step.contains(key));
  for (const char* key : {"wall_ns", "leading_cut", "trailing_cut", "spread", "idle_causes_ns",
                          "components", "foreign_events", "prefetch_events", "notes", "index",
                          "phase", "source", "label", "start_ns", "period_ns", "gap_ns"}) {
    CHECK(step.contains(key));
  }
  for (const char* key : {"where", "phases", "layers", "no_layers_reason", "moe", "parts",
                          "launch_stats", "head_wait_ns", "ranks", "cross_check", "takeaways"}) {
    CHECK(step.contains(key));
  }
}

TEST_CASE("sums of the step close in the written integers") {
  const Json step = written(tests::sample_breakdown())["step"];
  std::int64_t charged = 0;
  for (const Json& row : step["kernels"]) charged += row["wall_ns"].get<std::int64_t>();
  CHECK(charged + step["idle_ns"].get<std::int64_t>() == step["window_ns"]);
  CHECK(step["wall_ns"] == step["window_ns"]);
  std::int64_t classes = 0;
  for (const Json& part : step["classes_ns"]) classes += part.get<std::int64_t>();
  CHECK(classes == step["window_ns"]);
  const Json& parts = step["partition_ns"];
  CHECK(parts["primary"].get<std::int64_t>() + parts["exposed_other"].get<std::int64_t>() +
            parts["idle"].get<std::int64_t>() ==
        step["window_ns"]);
  std::int64_t causes = 0;
  for (const Json& part : step["idle_causes_ns"]) causes += part.get<std::int64_t>();
  CHECK(causes == step["idle_ns"]);
}

TEST_CASE("a step without structure has nulls and empty arrays") {
  Breakdown breakdown = tests::sample_breakdown();
  ShownStep bare;
  bare.no_layers_reason = "fewer than 3 attention groups";
  breakdown.shown = {bare};
  breakdown.collectives.reset();
  const Json out = written(breakdown);
  const Json& step = out["step"];
  for (const char* key : {"phases", "layers", "moe", "head_wait_ns"}) CHECK(step[key].is_null());
  for (const char* key : {"where", "parts", "ranks", "takeaways"})
    CHECK(step[key] == Json::array());
  CHECK(step["no_layers_reason"] == "fewer than 3 attention groups");
  CHECK(step["cross_check"]["period_ns"].is_null());
  CHECK(step["launch_stats"]["latency_min_ns"].is_null());
  CHECK(step["batch_size"].is_null());
  CHECK(out["collectives"].is_null());
}

TEST_CASE("absent figures are null, counters of zero are left out") {
  Breakdown breakdown = tests::sample_breakdown();
  breakdown.devices[0].rank.reset();
  breakdown.suspects[0].correlation.reset();
  breakdown.trace.world_size.reset();
  const Json out = written(breakdown);
  CHECK(out["devices"][0]["rank"].is_null());
  CHECK(out["devices"][1]["rank"] == 1);
  CHECK(out["suspects"][0]["correlation"].is_null());
  CHECK(out["trace"]["world_size"].is_null());
  CHECK(out["trace"]["cut_at_byte"].is_null());
  CHECK(out["trace"]["files"][1]["sha256"].is_null());
  CHECK(out["trace"]["dropped"] == Json({{"no_dur", 3}, {"bad_ts", 1}}));
  CHECK(out["trace"]["origin_ns"] == "1754380800000000123");
  CHECK(out["steps"][4]["period_ns"].is_null());
  CHECK(out["steps"][3]["gap_ns"] == -10'001);
  CHECK(out["step"]["trailing_cut"].is_null());
  CHECK(out["step"]["leading_cut"]["gap_ns"] == 463'000'500);
  CHECK(out["report"]["hardware_note"].is_null());
  CHECK(written(Breakdown{})["trace"]["dropped"] == Json::object());
}

TEST_CASE("step is null when none fits and an array for all steps") {
  Breakdown breakdown = tests::sample_breakdown();
  breakdown.all_steps = true;
  CHECK(written(breakdown)["step"].is_array());
  CHECK(written(breakdown)["step"].size() == 1);
  breakdown.shown.clear();
  CHECK(written(breakdown)["step"] == Json::array());
  breakdown.all_steps = false;
  CHECK(written(breakdown)["step"].is_null());
}

TEST_CASE("a partial trace says so in the first line") {
  Breakdown breakdown = tests::sample_breakdown();
  breakdown.trace.complete = false;
  breakdown.trace.cut_at_byte = 4'096;
  const std::string text = breakdown_json(breakdown, {});
  CHECK(text.starts_with(
      "{\"partial\": \"PARTIAL: cut at byte 4096 of the uncompressed text\",\n\"schema\""));
  CHECK(Json::parse(text)["trace"]["complete"] == false);
}

TEST_CASE("the output is valid UTF-8 and names are whole") {
  Breakdown breakdown = tests::sample_breakdown();
  breakdown.shown.front().accounting.kernels[0].name = "bad \xFF name | \"quoted\"";
  ReportContext context;
  context.title = "\xC3";
  context.replayed = true;
  const Json out = written(breakdown, context);
  CHECK(out["step"]["kernels"][0]["name"] == "bad \uFFFD name | \"quoted\"");
  CHECK(out["report"]["title"] == "\uFFFD");
  CHECK(out["report"]["replayed"] == true);
}

}  // namespace
}  // namespace stepscope::analysis
