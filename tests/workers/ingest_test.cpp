#include "workers/ingest.h"

#include <doctest/doctest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "tests/support/temp_folder.h"

using namespace stepscope;
using namespace stepscope::workers;

namespace {

// One decode step of 10 us: gemm from 10 to 16, an all-reduce on another stream from 15 to 20.
constexpr std::string_view kTrace = R"({"traceEvents":[
{"ph":"X","cat":"user_annotation","name":"step[DECODE bs=1]","pid":1,"tid":1,"ts":0,"dur":9},
{"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","pid":1,"tid":1,"ts":1,"dur":1,
 "args":{"correlation":1}},
{"ph":"X","cat":"kernel","name":"gemm","pid":0,"tid":7,"ts":10,"dur":6,
 "args":{"device":0,"stream":7,"correlation":1}},
{"ph":"X","cat":"kernel","name":"ncclDevKernel_AllReduce_Sum","pid":0,"tid":8,"ts":15,"dur":5,
 "args":{"device":0,"stream":8,"correlation":1}}
]})";

db::Job job() {
  db::Job result;
  result.id = 57;
  result.config.key = "dsr1-fp4-b200-sglang";
  result.config.model = "dsr1";
  result.config.precision = "fp4";
  result.config.hardware = "b200";
  result.config.framework = "sglang";
  result.config.recipe = "sglang";
  result.config.conc = 4;
  result.config.isl = 8192;
  result.config.osl = 1024;
  result.config.tp = 4;
  result.config.ep = 4;
  result.config.assumed = {"framework", "seq_len"};
  return result;
}

std::expected<Ingested, db::JobFailure> run(const db::Job& of, const std::string& text) {
  const tests::TempFolder folder;
  const auto file = folder.path() / "t.json";
  std::ofstream(file) << text;
  const std::atomic<bool> cancel{false};
  return ingest(of, std::vector{file}, {}, {}, cancel);
}

}  // namespace

TEST_CASE("a trace becomes the stored breakdown, its reports and its kernel rows") {
  const auto result = run(job(), std::string(kTrace));
  REQUIRE(result.has_value());
  CHECK(result->breakdown.complete);
  CHECK(result->breakdown.wall_ns == 10'000);
  CHECK(result->breakdown.idle_ns == 0);
  CHECK_FALSE(result->breakdown.table_version.empty());
  REQUIRE(result->kernels.size() == 2);
  CHECK(result->kernels[0].name == "gemm");
  CHECK(result->kernels[0].charged_ns == 6'000);
  CHECK(result->kernels[1].charged_ns == 4'000);  // from 16, where the primary stream ends, to 20
  const auto json = nlohmann::json::parse(result->breakdown.json);
  CHECK(json["step"]["wall_ns"] == 10'000);
  // SHA-256 of the file as it was stored
  CHECK(json["trace"]["files"][0]["sha256"].get<std::string>().size() == 64);
  CHECK(result->breakdown.markdown.starts_with("### "));
  CHECK(result->breakdown.html.find("<table") != std::string::npos);
}

TEST_CASE("a cut trace is a partial breakdown") {
  const auto result = run(job(), std::string(kTrace.substr(0, kTrace.size() - 5)));
  REQUIRE(result.has_value());
  CHECK_FALSE(result->breakdown.complete);
  CHECK(result->breakdown.markdown.starts_with("PARTIAL: cut at byte "));
}

TEST_CASE("a file without device events fails in the layer analysis") {
  const auto result = run(job(), "not a trace");
  REQUIRE(!result.has_value());
  CHECK(result.error().kind == db::ErrorKind::analysis);
  CHECK(result.error().layer == "analysis");
  CHECK(result.error().message.find("t.json") != std::string::npos);
}

TEST_CASE("a trace without a step of the asked phase says so") {
  db::Job prefill = job();
  prefill.config.phase = "prefill";
  const auto result = run(prefill, std::string(kTrace));
  REQUIRE(!result.has_value());
  CHECK(result.error().message == "the trace holds no step of phase prefill");
}

TEST_CASE("a replayed trace shows what it holds when the asked phase is not in it") {
  db::Job replay = job();
  replay.config.recipe = "replay";
  replay.config.phase = "prefill";
  const auto result = run(replay, std::string(kTrace));
  REQUIRE(result.has_value());
  CHECK(result->breakdown.wall_ns == 10'000);
  CHECK(result->breakdown.markdown.contains("The trace holds no step of phase prefill."));
}

TEST_CASE("of both phases each step is shown once, and what is missing is said") {
  db::Job both = job();
  both.config.phase = "both";
  const auto headings = [](const Ingested& result) {
    std::size_t count = 0;
    for (std::size_t at = 0; (at = result.breakdown.markdown.find("### ", at)) != std::string::npos;
         ++at) {
      ++count;
    }
    return count;
  };
  // A step of each phase: decode leads, in the figures too.
  std::string two(kTrace);
  two.insert(two.rfind("\n]}"), R"(,
{"ph":"X","cat":"user_annotation","name":"step[EXTEND bs=1 toks=8]","pid":1,"tid":1,"ts":30,
 "dur":9},
{"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","pid":1,"tid":1,"ts":31,"dur":1,
 "args":{"correlation":2}},
{"ph":"X","cat":"kernel","name":"gemm","pid":0,"tid":7,"ts":40,"dur":30,
 "args":{"device":0,"stream":7,"correlation":2}})");
  const auto each = run(both, two);
  REQUIRE(each.has_value());
  CHECK(headings(*each) == 2);
  CHECK(each->breakdown.wall_ns == 10'000);
  CHECK(each->breakdown.markdown.find("one decode step") <
        each->breakdown.markdown.find("one prefill step"));

  const auto decode = run(both, std::string(kTrace));
  REQUIRE(decode.has_value());
  CHECK(headings(*decode) == 1);
  CHECK(decode->breakdown.markdown.contains("The trace holds no step of phase prefill."));

  std::string extend(kTrace);
  extend.replace(extend.find("DECODE bs=1"), 11, "EXTEND bs=1 toks=8");
  const auto prefill = run(both, extend);
  REQUIRE(prefill.has_value());
  CHECK(headings(*prefill) == 1);
  CHECK(prefill->breakdown.markdown.contains("The trace holds no step of phase decode."));
  both.config.recipe = "replay";
  const auto replayed = run(both, extend);
  REQUIRE(replayed.has_value());
  CHECK(headings(*replayed) == 1);

  // One step that answers for either phase.
  std::string unknown(kTrace);
  unknown.replace(unknown.find("step[DECODE bs=1]"), 17, "ProfilerStep#1");
  const auto either = run(both, unknown);
  REQUIRE(either.has_value());
  CHECK(headings(*either) == 1);
}

TEST_CASE("the report says what was asked and where it ran") {
  const db::Catalog catalog;
  const auto context = report_context(job(), catalog, R"({"ask":["kernels","moe"],"v":"profile"})",
                                      "https://stepscope.example");
  CHECK(context.title.ends_with(" FP4, B200, conc 4"));
  CHECK(context.asks == std::vector<std::string>{"kernels", "moe"});
  CHECK(context.more_url == "https://stepscope.example/runs/57");
  CHECK_FALSE(context.replayed);
  CHECK(context.hardware_note.empty());
  REQUIRE(context.provenance.size() == 2);
  CHECK(context.provenance[0] ==
        "Run 57, row dsr1-fp4-b200-sglang, framework sglang, 8192/1024 TP4 EP4.");
  CHECK(context.provenance[1] == "Assumed, because the request left it open: framework, seq_len.");
}

TEST_CASE("a CPU run says that its hardware is this CPU, a replayed one that it is replayed") {
  const db::Catalog catalog;
  db::Job toy = job();
  toy.config.hardware = "cpu";
  toy.runner_note = "AMD EPYC, 2 threads";
  CHECK(report_context(toy, catalog, "", "").hardware_note ==
        "The hardware is this machine's CPU (AMD EPYC, 2 threads); no GPU was involved.");
  db::Job replay = job();
  replay.config.recipe = "replay";
  CHECK(report_context(replay, catalog, "broken json", "").replayed);
}
