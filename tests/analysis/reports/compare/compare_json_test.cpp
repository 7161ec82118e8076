#include "analysis/reports/compare/compare_json.h"

#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include "tests/support/compare_sides.h"

using namespace stepscope;
using namespace stepscope::analysis;
using nlohmann::json;
using tests::compared_row;
using tests::plain_side;

TEST_CASE("walls, idle and every delta as integers; what is absent is null") {
  CompareSide a = plain_side(900, 100);
  CompareSide b = plain_side(1000, 50);
  b.kernels = {compared_row("gemm", 600, 600, "7"), compared_row("new", 400, 400, "8")};
  const std::string text = compare_json(compare(a, b));
  CHECK(text.ends_with("}\n"));
  const json out = json::parse(text);
  CHECK(out["schema"] == "stepscope.compare/1");
  CHECK(out["a"]["wall_ns"] == 1000);
  CHECK(out["b"]["wall_ns"] == 1050);
  CHECK(out["wall"]["delta_ns"] == 50);
  CHECK(out["wall"]["delta_permille"] == 50);
  CHECK(out["idle"]["delta_ns"] == -50);
  CHECK(out["idle"]["delta_permille"] == -500);
  REQUIRE(out["kernels"].size() == 2);
  const json& appeared = out["kernels"][0];
  CHECK(appeared["key"] == "new");
  CHECK(appeared["state"] == "appeared");
  CHECK(appeared["a"].is_null());
  CHECK(appeared["b"]["charged_ns"] == 400);
  CHECK(appeared["b"]["charged_min_ns"].is_null());
  CHECK(appeared["charged_delta_permille"].is_null());
  CHECK(appeared["within_noise"].is_null());
  CHECK(out["kernels"][1]["charged_delta_ns"] == -300);
  CHECK(out["kernels"][1]["state"] == "in both");
  CHECK(out["components"][0]["charged_delta_ns"] == 100);
  CHECK(out["components"][0]["a"]["charged_min_ns"] == 900);
  CHECK(out["components"][0]["within_noise"] == false);
  CHECK(out["not_compared"].is_null());
  CHECK(out["no_difference"] == false);
  CHECK(out["a"]["facts"]["model"].is_null());
  CHECK(out["layer_rows"].is_array());
  CHECK(compare_json(compare(a, b)) == text);
}

TEST_CASE("the lists are complete and sum to the delta of the walls") {
  std::mt19937 random(11);
  const CompareSide a = tests::random_side(random);
  const CompareSide b = tests::random_side(random);
  const json out = json::parse(compare_json(compare(a, b)));
  for (const char* list : {"categories", "components", "kernels"}) {
    Ns sum = out["idle"]["delta_ns"];
    for (const json& delta : out[list]) sum += delta["charged_delta_ns"].get<Ns>();
    CHECK(sum == out["wall"]["delta_ns"].get<Ns>());
  }
}

TEST_CASE("warnings come as one list, what changes the question first") {
  CompareSide a = plain_side(900, 100);
  CompareSide b = plain_side(900, 100);
  b.phase = "prefill";
  b.table_version = "4";
  b.title = "bad \xFF bytes";
  const json out = json::parse(compare_json(compare(a, b)));
  CHECK(out["warnings"][0] == "different phases: A shows a decode step, B a prefill step");
  CHECK(out["warnings"][1] == out["not_compared"]);
  CHECK(out["kernels"].empty());
  CHECK(out["b"]["title"] == "bad \xEF\xBF\xBD bytes");
}
