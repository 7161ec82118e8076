#include "workers/recipes/toy_recipe.h"

#include <doctest/doctest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "tests/support/temp_folder.h"

using namespace stepscope;
using namespace stepscope::workers;

namespace {

nlohmann::json read_json(const std::filesystem::path& path) {
  std::ifstream in(path);
  return nlohmann::json::parse(in);
}

}  // namespace

TEST_CASE("the trace holds a prefill and the asked decode steps, each with its kernels") {
  const tests::TempFolder folder;
  const auto done = run_toy_moe({.folder = folder.path(), .conc = 2, .isl = 8, .steps = 3});
  REQUIRE(done.has_value());
  const auto trace = read_json(folder.path() / "toy-moe.trace.json");
  std::vector<std::string> markers;
  std::size_t kernels = 0;
  std::size_t launches = 0;
  for (const auto& event : trace["traceEvents"]) {
    if (event["cat"] == "user_annotation") markers.push_back(event["name"]);
    if (event["cat"] == "kernel") ++kernels;
    if (event["cat"] == "cuda_runtime") ++launches;
  }
  CHECK(markers == std::vector<std::string>{"step[EXTEND bs=2 toks=16]", "step[DECODE bs=2]",
                                            "step[DECODE bs=2]", "step[DECODE bs=2]"});
  // A pass: embedding, 6 layers of 6 attention-part kernels, 2 dense of 3, 4 MoE of 2 + 5 + 3 + 1,
  // final norm, lm_head, sampling = 1 + 36 + 6 + 44 + 3 = 90.
  CHECK(kernels == 4 * 90);
  CHECK(launches == kernels);
  const auto result = read_json(folder.path() / "result.json");
  CHECK(result["traces"] == nlohmann::json{"toy-moe.trace.json"});
  CHECK(result["hardware"].get<std::string>().find("streams 1 and 2") != std::string::npos);
}

TEST_CASE("options out of range are refused by name") {
  const tests::TempFolder folder;
  const auto bad = run_toy_moe({.folder = folder.path(), .conc = 65});
  REQUIRE(!bad.has_value());
  CHECK(bad.error().message == "--conc is 65, allowed is 1 to 64");
  CHECK(run_toy_moe({.folder = folder.path(), .steps = 0}).error().message ==
        "--steps is 0, allowed is 1 to 64");
  CHECK(run_toy_moe({.folder = folder.path(), .isl = 1025}).error().message ==
        "--isl is 1025, allowed is 1 to 1024");
}

TEST_CASE("a folder that is not there is an error") {
  const tests::TempFolder folder;
  const auto bad = run_toy_moe({.folder = folder.path() / "absent", .isl = 1});
  REQUIRE(!bad.has_value());
  CHECK(bad.error().message == "can not write toy-moe.trace.json");
}

TEST_CASE("a kernel is tied to the operator that tells its sizes") {
  const std::vector<TimedOp> ops = {{"norm", 1, 1, 10, 1}, {"gemm", 1, 2, 20, 5}};
  const std::vector<TimedLaunch> launches = {{1, 1, 1},
                                             {2, 3, 1, {"toy_moe::matmul", "[[4, 64], [64, 8]]"}}};
  const auto events = nlohmann::json::parse(kineto_text(ops, launches, {}, 0, "x"))["traceEvents"];
  REQUIRE(events.size() == 5);  // two launches, one operator, two kernels
  CHECK(events[1]["cat"] == "cpu_op");
  CHECK(events[1]["args"]["Input Dims"] == nlohmann::json{{4, 64}, {64, 8}});
  CHECK_FALSE(events[3]["args"].contains("External id"));
  CHECK(events[4]["args"]["External id"] == events[1]["args"]["External id"]);
}

TEST_CASE("times are microseconds with three decimals, exact to the nanosecond") {
  const TimedOp op{"k", 2, 5, 1'234'567, 89};
  const TimedLaunch launch{5, 1'000'001, 7};
  const TimedMarker marker{"step[DECODE bs=1]", 999'999, 2'000};
  const auto json =
      nlohmann::json::parse(kineto_text(std::vector{op}, std::vector{launch}, std::vector{marker},
                                        1'700'000'000'000'000'000, "a \"CPU\""));
  CHECK(json["baseTimeNanoseconds"] == 1'700'000'000'000'000'000);
  CHECK(json["deviceProperties"][0]["name"] == "a \"CPU\"");
  const std::string text = kineto_text(std::vector{op}, {}, {}, 0, "x");
  CHECK(text.find(R"("ts":1234.567,"dur":0.089)") != std::string::npos);
  CHECK(text.find(R"("stream":2,"correlation":5)") != std::string::npos);
}
