#include "server/analyze_command.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "tests/support/temp_folder.h"

using namespace stepscope;
using namespace stepscope::server;

namespace {

// One decode step: gemm from 10 to 15.5 us on stream 7, an all-reduce from 12 to 22 us on stream 8.
constexpr std::string_view kTrace = R"({"traceEvents":[
{"ph":"X","cat":"user_annotation","name":"step[DECODE bs=1]","pid":1,"tid":1,"ts":0,"dur":50},
{"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","pid":1,"tid":1,"ts":1,"dur":1,
"args":{"correlation":1}},
{"ph":"X","cat":"kernel","name":"gemm","pid":0,"tid":7,"ts":10,"dur":5.5,
"args":{"device":0,"stream":7,"correlation":1}},
{"ph":"X","cat":"kernel","name":"ncclDevKernel_AllReduce","pid":0,"tid":8,"ts":12,"dur":10,
"args":{"device":0,"stream":8,"correlation":1}}
]})";

struct Ran {
  int exit_code = 0;
  std::string out;
  std::string err;

  std::ptrdiff_t error_lines() const { return std::ranges::count(err, '\n'); }
};

struct Folder {
  Folder() { trace = write("trace.json", kTrace); }
  std::filesystem::path write(const std::string& name, std::string_view bytes) const {
    std::ofstream(folder.path() / name, std::ios::binary) << bytes;
    return folder.path() / name;
  }
  Ran analyze(AnalyzeCommand command) const {
    if (command.files.empty()) command.files = {trace};
    std::ostringstream out;
    std::ostringstream err;
    const int exit_code = run_analyze(command, out, err);
    return {exit_code, out.str(), err.str()};
  }
  Ran analyze_bytes(std::string_view bytes, const std::string& format = "json") const {
    return analyze({.format = format, .files = {write("input", bytes)}});
  }

  tests::TempFolder folder;
  std::filesystem::path trace;
};

Ran classify(const std::filesystem::path& rules, const std::string& names) {
  std::istringstream in(names);
  std::ostringstream out;
  std::ostringstream err;
  const int exit_code = run_classify(rules, in, out, err);
  return {exit_code, out.str(), err.str()};
}

}  // namespace

TEST_CASE("JSON: charged time and idle are the wall, and the file is named with its digest") {
  const Folder folder;
  const Ran ran = folder.analyze({.format = "json"});
  CHECK(ran.exit_code == 0);
  CHECK(ran.err.empty());
  const auto json = nlohmann::json::parse(ran.out);
  // 10 to 22 us. The gemm on the primary stream owns its 5.5 us, the all-reduce what follows.
  CHECK(json["step"]["wall_ns"] == 12'000);
  CHECK(json["step"]["idle_ns"] == 0);
  CHECK(json["step"]["kernels"][0]["name"] == "ncclDevKernel_AllReduce");
  CHECK(json["step"]["kernels"][0]["wall_ns"] == 6'500);
  CHECK(json["step"]["kernels"][1]["wall_ns"] == 5'500);
  CHECK(json["trace"]["files"][0]["name"] == "trace.json");
  CHECK(json["trace"]["files"][0]["bytes"] == kTrace.size());
  CHECK(json["trace"]["files"][0]["sha256"].get<std::string>().size() == 64);
  CHECK(json["trace"]["complete"] == true);
  CHECK(folder.analyze({.format = "json"}).out == ran.out);
}

TEST_CASE("every format is written to the output and nothing to the errors") {
  const Folder folder;
  const Ran markdown = folder.analyze({});
  CHECK(markdown.exit_code == 0);
  CHECK(markdown.err.empty());
  CHECK(markdown.out.contains("Charged 12 000 ns + idle 0 ns = wall 12 000 ns"));
  const Ran html = folder.analyze({.format = "html"});
  CHECK(html.exit_code == 0);
  CHECK(html.out.contains("Charged 12 000 ns + idle 0 ns = wall 12 000 ns"));
  const Ran csv = folder.analyze({.format = "csv"});
  CHECK(csv.exit_code == 0);
  CHECK(csv.out.starts_with("rank,device,step,stream,name,"));
  CHECK(
      csv.out.contains(",0,0,8,ncclDevKernel_AllReduce,comm-allreduce-nccl,communication,comm,1,"
                       "10000,10000,6500,10000,10000,10000,,\r\n"));
  CHECK(folder.analyze({.format = "csv", .table = "kernels"}).out == csv.out);
  const Ran streams = folder.analyze({.format = "csv", .table = "streams"});
  CHECK(streams.out ==
        "rank,device,step,stream,primary,calls,sum_ns,busy_ns\r\n"
        ",0,0,7,yes,1,5500,5500\r\n"
        ",0,0,8,no,1,10000,10000\r\n");
}

TEST_CASE("wrong usage is exit code 2 and one line") {
  const Folder folder;
  const AnalyzeCommand cases[] = {
      {.format = "json", .table = "kernels"},
      {.format = "csv", .table = "colours"},
      {.step = ""},
      {.step = "first"},
      {.step = "1x"},
      {.step = "-1"},
      {.step = "99999999999"},
      {.step = "1"},  // the trace has step 0 alone
      {.rank = 5},
      {.rules_file = folder.folder.path() / "absent"},
      {.rules_file = folder.folder.path()},
      {.rules_file = folder.write("rules.tsv", "(\tgemm-moe\tmoe\n")},
  };
  for (const AnalyzeCommand& command : cases) {
    INFO(command.step << " " << command.table << " " << command.rules_file.string());
    const Ran ran = folder.analyze(command);
    INFO(ran.err);
    CHECK(ran.exit_code == 2);
    CHECK(ran.out.empty());
    CHECK(ran.err.starts_with("stepscope: "));
    CHECK(ran.error_lines() == 1);
  }
}

TEST_CASE("a step can be named, and all of them asked for") {
  const Folder folder;
  CHECK(nlohmann::json::parse(
            folder.analyze({.format = "json", .step = "0"}).out)["step"]["wall_ns"] == 12'000);
  const auto all = nlohmann::json::parse(folder.analyze({.format = "json", .step = "all"}).out);
  REQUIRE(all["step"].is_array());
  CHECK(all["step"].size() == 1);
}

TEST_CASE("what can not be analysed is exit code 3 and one line that names the file") {
  const Folder folder;
  for (const std::string& bytes :
       {std::string(), std::string("hello"), std::string("{\"traceEvents\": []}"),
        std::string("{\"a\": 1}"), std::string("[]"), std::string("\x1F\x8B\x08", 3),
        std::string(R"([{"ph":"X","cat":"cpu_op","name":"a","ts":1,"dur":1}])"),
        std::string(100'000, '['), std::string(1000, '\0'), std::string("\xFF\xFE\xFD")}) {
    INFO(bytes.substr(0, 40));
    const Ran ran = folder.analyze_bytes(bytes);
    CHECK(ran.exit_code == 3);
    CHECK(ran.out.empty());
    CHECK(ran.error_lines() == 1);
    CHECK(ran.err.contains("input"));
  }
  for (const auto& path : {folder.folder.path() / "absent.json", folder.folder.path()}) {
    const Ran ran = folder.analyze({.files = {path}});
    CHECK(ran.exit_code == 3);
    CHECK(ran.error_lines() == 1);
    CHECK(ran.err.contains(path.filename().string()));
  }
}

TEST_CASE("a cut trace is analysed and says so before all else") {
  const Folder folder;
  for (const char* format : {"markdown", "html", "csv", "json"}) {
    const Ran ran = folder.analyze_bytes(kTrace.substr(0, kTrace.size() - 20), format);
    CHECK(ran.exit_code == 0);
    CHECK(ran.out.substr(0, 120).contains("PARTIAL: cut at byte "));
  }
}

TEST_CASE("an operator's rules come first") {
  const Folder folder;
  const auto rules = folder.write("rules.tsv", "^gemm$\tgemm-moe\tmlp\n");
  const auto ran = folder.analyze({.format = "csv", .rules_file = rules});
  CHECK(ran.exit_code == 0);
  CHECK(ran.out.contains(",7,gemm,gemm-moe,mlp,compute,1,"));
  const auto empty = folder.write("empty.tsv", "");
  CHECK(folder.analyze({.rules_file = empty}).exit_code == 0);
}

TEST_CASE("progress goes to the errors, never into the report") {
  const Folder folder;
  const Ran ran = folder.analyze({.format = "json", .progress = true});
  CHECK(ran.exit_code == 0);
  CHECK(ran.err == "\r0 of 0 MB read\n");
  CHECK(ran.out == folder.analyze({.format = "json"}).out);
}

TEST_CASE("an error in the midst of reading begins a line of its own") {
  const Folder folder;
  std::string text = "[";
  for (int i = 0; i < 200'001; ++i) {  // one name more than the report may have
    text += R"({"ph":"X","cat":"kernel","name":")" + std::to_string(i) +
            R"(","pid":0,"tid":7,"ts":1,"dur":1},)";
  }
  text.append(8'000'000, ' ');
  const Ran ran = folder.analyze({.files = {folder.write("many.json", text)}, .progress = true});
  CHECK(ran.exit_code == kExitInput);
  CHECK(ran.err.contains(" MB read\nstepscope: many.json: "));
  CHECK(ran.err.ends_with("\n"));
}

TEST_CASE("a report that can not be written is an error, not a success") {
  const Folder folder;
  std::ostringstream out;
  std::ostringstream err;
  out.setstate(std::ios::badbit);
  CHECK(run_analyze({.files = {folder.trace}}, out, err) == 1);
  CHECK(err.str() == "stepscope: the report could not be written\n");
}

TEST_CASE("classify gives category, component, rule and name of each line") {
  const Ran ran = classify("", "ncclDevKernel_AllReduce_Sum_bf16_RING_LL(x)\r\nzzz\n");
  CHECK(ran.exit_code == 0);
  CHECK(ran.err.empty());
  std::istringstream lines(ran.out);
  std::string line;
  std::getline(lines, line);
  CHECK(line.starts_with("comm-allreduce-nccl\tcommunication\t"));
  CHECK(line.ends_with("\tncclDevKernel_AllReduce_Sum_bf16_RING_LL(x)"));
  std::getline(lines, line);
  CHECK(line.ends_with("\t-\tzzz"));
  CHECK_FALSE(std::getline(lines, line));
  CHECK(classify("", "").out.empty());
}

TEST_CASE("classify takes an operator's rules, and refuses bad ones with their line") {
  const Folder folder;
  const Ran ran = classify(folder.write("rules.tsv", "# mine\n^zzz\tgemm-moe\tmoe\n"), "zzz\n");
  CHECK(ran.exit_code == 0);
  CHECK(ran.out == "gemm-moe\tmoe\toperator 1: ^zzz\tzzz\n");
  const Ran bad =
      classify(folder.write("rules.tsv", "a\tgemm-moe\tmoe\n(\tgemm-moe\tmoe\n"), "zzz\n");
  CHECK(bad.exit_code == 2);
  CHECK(bad.out.empty());
  CHECK(bad.err.contains("line 2"));
  CHECK(bad.error_lines() == 1);
  CHECK(classify(folder.folder.path(), "zzz\n").exit_code == 2);
}

TEST_CASE("the cross-check takes the time per token without the profiler as decimal text") {
  // Two steps: the second starts 100 us after the first, so the period is 0.1 ms.
  std::string trace(kTrace.substr(0, kTrace.rfind(']')));
  trace +=
      R"(,{"ph":"X","cat":"user_annotation","name":"step[DECODE bs=1]","pid":1,"tid":1,"ts":100,
"dur":50},{"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","pid":1,"tid":1,"ts":101,"dur":1,
"args":{"correlation":2}},{"ph":"X","cat":"kernel","name":"gemm","pid":0,"tid":7,"ts":110,"dur":5,
"args":{"device":0,"stream":7,"correlation":2}}]})";
  const Folder folder;
  const auto file = folder.write("two.json", trace);
  const Ran ran =
      folder.analyze({.format = "json", .step = "0", .unprofiled_ms = "0.080", .files = {file}});
  REQUIRE(ran.exit_code == 0);
  const auto check = nlohmann::json::parse(ran.out).at("step").at("cross_check");
  CHECK(check.at("period_ns") == 100'000);
  CHECK(check.at("unprofiled_ns") == 80'000);
  CHECK(check.at("ratio_permille") == 1250);
  CHECK(check.at("millitokens_per_s_per_user") == 10'000'000);  // 1 / 0.1 ms = 10,000 a second
  const Ran refused = folder.analyze({.unprofiled_ms = "fast", .files = {file}});
  CHECK(refused.exit_code == kExitUsage);
  CHECK(refused.err.find("--tpot-ms") != std::string::npos);
}
