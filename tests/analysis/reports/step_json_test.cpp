#include "analysis/reports/step_json.h"

#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include "tests/support/sample_breakdown.h"

namespace stepscope::analysis {
namespace {

using Json = nlohmann::ordered_json;

std::int64_t sum(const Json& rows, const char* key) {
  std::int64_t total = 0;
  for (const Json& row : rows) total += row[key].get<std::int64_t>();
  return total;
}

Json sample_step() {
  Json step = Json::object();
  add_step_structure(step, tests::sample_breakdown().shown.front());
  return step;
}

TEST_CASE("where, phases and layers close in the written integers") {
  const Json step = sample_step();
  CHECK(sum(step["where"], "charged_ns") == 7'895'007);
  CHECK(sum(step["phases"], "wall_ns") == 7'895'007);
  for (const Json& phase : step["phases"]) {
    CHECK(sum(phase["charged"], "charged_ns") + phase["classes_ns"]["idle"].get<std::int64_t>() ==
          phase["wall_ns"]);
  }
  const Json& layers = step["layers"];
  std::int64_t walls = 0;
  for (const Json& wall : layers["wall_ns"]) walls += wall.get<std::int64_t>();
  CHECK(walls == step["phases"][1]["wall_ns"]);
  CHECK(sum(layers["kinds"], "total_wall_ns") == walls);
  for (const Json& kind : layers["kinds"]) {
    CHECK(sum(kind["rows"], "charged_ns") + kind["idle_ns"].get<std::int64_t>() ==
          kind["median_wall_ns"]);
    CHECK(sum(kind["rows"], "charged_in_kind_ns") + kind["idle_in_kind_ns"].get<std::int64_t>() ==
          kind["total_wall_ns"]);
  }
  CHECK(sum(step["moe"]["parts"], "charged_ns") == step["moe"]["total"]["charged_ns"]);
  CHECK(step["takeaways"][0]["rule"] == "largest_category");
}

TEST_CASE("roles of a kernel row account for all its calls and time") {
  for (const KernelRow& row : tests::sample_breakdown().shown.front().accounting.kernels) {
    Json out = Json::object();
    add_kernel_places(out, row);
    if (row.roles.empty()) {
      CHECK(out["roles"] == Json::array());
      continue;
    }
    INFO(row.name);
    CHECK(sum(out["roles"], "calls") == row.calls);
    CHECK(sum(out["roles"], "charged_ns") == row.charged_ns);
  }
}

TEST_CASE("collectives are keyed by rank; who is never late is left out") {
  const Json out = collectives_json(tests::sample_breakdown().collectives);
  CHECK(out["wait_ns"] == Json({{"0", 300'000}, {"1", 0}}));
  CHECK(out["transfer_ns"] == Json({{"0", 1'190'222}, {"1", 1'190'222}}));
  CHECK(out["late_rank_calls"] == Json({{"1", 1}}));
  CHECK(out["clock_offset_ns"] == Json({{"0", 0}, {"1", 0}}));
  CHECK(out["rank_labels"] == Json::object());
  CHECK(out["calls"].size() == 121);
  CHECK(out["kinds_in_order"].size() == 121);
  CHECK(out["calls"][0]["late_rank"] == "1");
  CHECK(out["calls"][1]["late_rank"].is_null());
  CHECK(collectives_json(std::nullopt).is_null());
  CHECK(out["largest_wait_ns"].is_number());
  CHECK(collectives_json(Collectives{})["largest_wait_ns"].is_null());  // nothing matched
  CHECK(collectives_json(Collectives{})["largest_release_spread_ns"].is_null());
}

TEST_CASE("ranks of a merged file are keyed by their label") {
  Collectives all;
  all.by_rank = {{std::nullopt, "TP00-EP00", 0, 0, 5, 7}, {1, "TP01-EP01", 0, 2, 0, 7}};
  CollectiveCall call;
  call.late_label = "TP01-EP01";
  all.calls = {call};
  const Json out = collectives_json(all);
  CHECK(out["wait_ns"] == Json({{"TP00-EP00", 5}, {"1", 0}}));
  CHECK(out["rank_labels"] == Json({{"TP00-EP00", "TP00-EP00"}, {"1", "TP01-EP01"}}));
  CHECK(out["calls"][0]["late_rank"] == "TP01-EP01");
  CHECK(out["world_size"].is_null());
}

}  // namespace
}  // namespace stepscope::analysis
