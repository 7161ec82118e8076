#include "analysis/reports/breakdown_reader.h"

#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include "analysis/compare_side.h"
#include "analysis/reports/breakdown_json.h"
#include "tests/support/sample_breakdown.h"

using namespace stepscope;
using namespace stepscope::analysis;
using nlohmann::ordered_json;

namespace {

std::string sample_text() {
  return breakdown_json(tests::sample_breakdown(), tests::sample_context());
}

std::string error_of(const ordered_json& json) {
  const auto read = read_breakdown_json(json.dump());
  REQUIRE_FALSE(read);
  return read.error();
}

}  // namespace

TEST_CASE("a breakdown written and read back makes the same side") {
  for (Breakdown breakdown : {tests::sample_breakdown(), tests::large_breakdown(50)}) {
    breakdown.trace.complete = false;
    breakdown.trace.damaged_count = 1;
    breakdown.trace.damaged = {{77, "no value"}};
    const auto read = read_breakdown_json(breakdown_json(breakdown, tests::sample_context()));
    REQUIRE(read);
    const auto side = compare_side(read->breakdown, read->context);
    const auto expected = compare_side(breakdown, tests::sample_context());
    REQUIRE(side);
    REQUIRE(expected);
    CHECK(*side == *expected);
    CHECK(side->partial.starts_with("PARTIAL: damaged at byte 77"));
  }
}

TEST_CASE("all steps come back, with what decides between them") {
  Breakdown breakdown = tests::sample_breakdown();
  breakdown.all_steps = true;
  breakdown.shown.push_back(breakdown.shown[0]);
  breakdown.shown[1].step = breakdown.steps[3];
  const auto read = read_breakdown_json(breakdown_json(breakdown, {}));
  REQUIRE(read);
  REQUIRE(read->breakdown.shown.size() == 2);
  CHECK(read->breakdown.all_steps);
  CHECK(read->breakdown.shown[1].step.index == 3);
  // sample_breakdown.cpp: busy is the span less 310 us.
  CHECK(read->breakdown.shown[1].step.busy_ns == 7'790'001 - 310'000);
}

TEST_CASE("layers are read where they are, and their idle is what is left when it is not said") {
  auto json = ordered_json::parse(sample_text());
  json["step"]["layers"] = nullptr;
  CHECK_FALSE(read_breakdown_json(json.dump())->breakdown.shown[0].layers.has_value());
  json["step"]["layers"] = {
      {"kinds",
       {{{"count", 58},
         {"moe", true},
         {"label", "MoE"},
         {"median_wall_ns", 100},
         {"rows", {{{"category", "gemm-dense"}, {"role", nullptr}, {"charged_ns", 70}}}}}}}};
  const auto read = read_breakdown_json(json.dump());
  REQUIRE(read);
  const LayerKind& kind = read->breakdown.shown[0].layers->kinds.at(0);
  CHECK(kind.label == "MoE");
  CHECK(kind.count == 58);
  CHECK(kind.idle_ns == 30);
  CHECK(kind.rows.at(0).role.empty());
}

TEST_CASE("no step is no fault of the text") {
  auto json = ordered_json::parse(sample_text());
  json["step"] = nullptr;
  const auto read = read_breakdown_json(json.dump());
  REQUIRE(read);
  CHECK(read->breakdown.shown.empty());
}

TEST_CASE("what is wrong is named with its path") {
  const auto sample = ordered_json::parse(sample_text());
  CHECK(read_breakdown_json("").error() == "no JSON object");
  CHECK(read_breakdown_json("[1]").error() == "no JSON object");
  CHECK(read_breakdown_json("{}").error() == "its schema is not stepscope.breakdown/1");
  auto json = sample;
  json["step"]["wall_ns"] = "7";
  CHECK(error_of(json) == "step.wall_ns is not a whole number of 0 or more");
  json = sample;
  json["step"]["idle_ns"] = -1;
  CHECK(error_of(json) == "step.idle_ns is not a whole number of 0 or more");
  json = sample;
  json["step"]["kernels"][2]["wall_ns"] = 1.5;
  CHECK(error_of(json) == "step.kernels[2].wall_ns is not a whole number of 0 or more");
  json = sample;
  json["step"]["kernels"][0].erase("name");
  CHECK(error_of(json) == "step.kernels[0].name is not a text");
  json = sample;
  json["step"]["components"] = 5;
  CHECK(error_of(json) == "step.components is not a list");
  json = sample;
  json["step"] = ordered_json::array({5});
  CHECK(error_of(json) == "step[0].span_ns is not a whole number of 0 or more");
}

TEST_CASE("figures that do not add up, or are beyond all measure, are refused") {
  const auto sample = ordered_json::parse(sample_text());
  auto json = sample;
  json["step"]["wall_ns"] = sample["step"]["wall_ns"].get<std::int64_t>() + 1;
  CHECK(error_of(json) == "step.wall_ns is not the sum of kernels and idle");
  json = sample;
  json["step"]["components"][0]["charged_ns"] = 1;
  CHECK(error_of(json) == "step.wall_ns is not the sum of components and idle");
  json = sample;
  for (auto& row : json["step"]["kernels"]) row["wall_ns"] = 3'000'000'000'000'000'000;
  CHECK(error_of(json).find("far too large") != std::string::npos);
}

TEST_CASE("the schema is seen in the text") {
  CHECK(is_breakdown_json(sample_text()));
  CHECK_FALSE(is_breakdown_json(R"({"traceEvents": []})"));
  CHECK_FALSE(is_breakdown_json(""));
}
