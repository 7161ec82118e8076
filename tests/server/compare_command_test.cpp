#include "server/compare_command.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "server/analyze_command.h"
#include "tests/server/compare_traces.h"
#include "tests/server/fake_daemon.h"
#include "tests/support/temp_folder.h"

using namespace stepscope;
using namespace stepscope::server;
using nlohmann::json;
using stepscope::tests::FakeDaemon;
using stepscope::tests::trace_text;

namespace {

struct Ran {
  int exit_code = 0;
  std::string out;
  std::string err;

  json parsed() const { return json::parse(out); }
  std::ptrdiff_t error_lines() const { return std::ranges::count(err, '\n'); }
};

struct Folder {
  std::string write(const std::string& name, std::string_view bytes) const {
    std::ofstream(folder.path() / name, std::ios::binary) << bytes;
    return (folder.path() / name).string();
  }
  // analyze's JSON of a trace, as a file.
  std::string stored(const std::string& trace, const std::string& name,
                     const std::string& step = "median") const {
    std::ostringstream out;
    std::ostringstream err;
    REQUIRE(run_analyze({.format = "json", .step = step, .files = {trace}}, out, err) == 0);
    return write(name, out.str());
  }
  tests::TempFolder folder;
};

Ran compare(CompareCommand command) {
  std::ostringstream out;
  std::ostringstream err;
  const int exit_code = run_compare(command, out, err);
  return {exit_code, out.str(), err.str()};
}

Ran compare_json(const std::string& a, const std::string& b) {
  return compare({.format = "json", .a = a, .b = b});
}

json warnings_of(const Ran& ran) { return ran.parsed()["warnings"]; }

bool warns(const Ran& ran, std::string_view words) {
  return std::ranges::any_of(warnings_of(ran), [&](const json& warning) {
    return warning.get<std::string>().contains(words);
  });
}

const std::string kRun = R"({"id":57,"state":"done","config":{"model":"dsr1","precision":"fp4",)"
                         R"("hardware":"b200","framework":"sglang","image":"i:1","conc":4,)"
                         R"("isl":8192,"osl":1024,"tp":4,"ep":4,"dp_attn":false},)"
                         R"("trace":{"name":"t.json","kept":true}})";

}  // namespace

TEST_CASE("two traces: every delta in integers, with the range over the steps") {
  const Folder folder;
  // Steps after the first: gemm 10, 12 us and 14, 16 us; each is followed by 1 us idle and 2 us of
  // all-reduce. Lower medians: 10 and 14.
  const std::string a = folder.write("a.json", trace_text({99, 10, 12}));
  const std::string b = folder.write("b.json", trace_text({99, 14, 16}));
  const Ran ran = compare_json(a, b);
  CHECK(ran.err.empty());
  CHECK(ran.exit_code == 0);
  const json out = ran.parsed();
  CHECK(out["a"]["wall_ns"] == 13'000);
  CHECK(out["b"]["wall_ns"] == 17'000);
  CHECK(out["wall"]["delta_ns"] == 4'000);
  CHECK(out["wall"]["within_noise"] == false);  // 13 to 15 and 17 to 19
  CHECK(out["a"]["spread"] == json({{"min_ns", 13'000}, {"max_ns", 15'000}, {"count", 2}}));
  CHECK(out["idle"]["delta_ns"] == 0);
  REQUIRE(out["kernels"].size() == 2);
  CHECK(out["kernels"][0]["key"] == "gemm");
  CHECK(out["kernels"][0]["charged_delta_ns"] == 4'000);
  CHECK(out["kernels"][0]["a"]["charged_min_ns"] == 10'000);
  CHECK(out["kernels"][0]["a"]["charged_max_ns"] == 12'000);
  CHECK(out["kernels"][1]["charged_delta_ns"] == 0);
  CHECK(compare_json(a, b).out == ran.out);
  CHECK(compare({.a = a, .b = b}).out.contains("B is slower by 0.004 ms (+30.8 %)"));
}

TEST_CASE("the same trace twice, however it is given, is no difference") {
  const Folder folder;
  const std::string trace = folder.write("t.json", trace_text({99, 10, 12}));
  const std::string all = folder.stored(trace, "all.breakdown", "all");
  for (const auto& [a, b] : {std::pair(trace, trace), std::pair(trace, all), std::pair(all, all)}) {
    const Ran ran = compare_json(a, b);
    INFO(ran.err);
    REQUIRE(ran.exit_code == 0);
    CHECK(ran.parsed()["no_difference"] == true);
    CHECK(ran.parsed()["verdict"] == "no difference");
    CHECK(ran.parsed()["kernels"][0]["a"]["charged_max_ns"] == 12'000);
  }
  const Ran one = compare_json(folder.stored(trace, "one.breakdown"), trace);
  CHECK(one.parsed()["no_difference"] == true);
  CHECK(one.parsed()["kernels"][0]["a"]["charged_max_ns"].is_null());
  CHECK(warns(one, "A: range not recorded"));
}

TEST_CASE("a folder's files are the ranks of one run") {
  const Folder folder;
  const std::string trace = folder.write("t.json", trace_text({99, 10, 12}));
  std::filesystem::create_directory(folder.folder.path() / "ranks");
  folder.write("ranks/rank0.json", trace_text({99, 10, 12}));
  folder.write("ranks/.hidden", "no trace");
  const Ran ran = compare_json((folder.folder.path() / "ranks").string(), trace);
  INFO(ran.err);
  CHECK(ran.exit_code == 0);
  CHECK(ran.parsed()["wall"]["delta_ns"] == 0);
  std::filesystem::create_directory(folder.folder.path() / "empty");
  const Ran empty = compare_json(trace, (folder.folder.path() / "empty").string());
  CHECK(empty.exit_code == 3);
  CHECK(empty.err.ends_with("empty: the folder holds no file\n"));
}

TEST_CASE("an index takes that step; a phase that a trace lacks is an input fault") {
  const Folder folder;
  const std::string trace = folder.write("t.json", trace_text({99, 10, 12}));
  const Ran first = compare({.format = "json", .step = "0", .a = trace, .b = trace});
  CHECK(first.parsed()["a"]["wall_ns"] == 102'000);
  const Ran prefill = compare({.phase = "prefill", .a = trace, .b = trace});
  CHECK(prefill.exit_code == 3);
  CHECK(prefill.out.empty());
  CHECK(prefill.err.contains("A: "));
  CHECK(prefill.err.contains("no step of phase prefill"));
  CHECK(prefill.error_lines() == 1);
}

TEST_CASE("wrong usage is exit code 2 and one line") {
  const Folder folder;
  const std::string trace = folder.write("t.json", trace_text({99, 10}));
  const std::string stored = folder.stored(trace, "stored.breakdown");
  const CompareCommand cases[] = {
      {.step = "x", .a = trace, .b = trace},
      {.step = "9", .a = trace, .b = trace},
      {.rank = 5, .a = trace, .b = trace},
      {.rules_file = "/nowhere/rules", .a = trace, .b = trace},
      {.phase = "decode", .a = stored, .b = stored},
      {.a = trace, .b = "57", .client = {.server = "http://127.0.0.1:1", .token_file = "/nowhere"}},
  };
  for (const CompareCommand& command : cases) {
    const Ran ran = compare(command);
    INFO(ran.err);
    CHECK(ran.exit_code == 2);
    CHECK(ran.out.empty());
    CHECK(ran.error_lines() == 1);
  }
  CHECK(compare({.phase = "decode", .a = stored, .b = trace}).exit_code == 0);
}

TEST_CASE("what can not be analysed is exit code 3 and one line that says which side") {
  const Folder folder;
  const std::string trace = folder.write("t.json", trace_text({99, 10}));
  for (const std::string& bad :
       {folder.write("empty", ""), folder.write("text", "hello"), std::string("/nowhere/t.json"),
        folder.write("broken", R"({"schema": "stepscope.breakdown/1", "step": {"wall_ns": 1}})")}) {
    const Ran as_b = compare({.a = trace, .b = bad});
    INFO(as_b.err);
    CHECK(as_b.exit_code == 3);
    CHECK(as_b.err.starts_with("stepscope: B: " + bad));
    CHECK(as_b.error_lines() == 1);
    CHECK(compare({.a = bad, .b = trace}).err.starts_with("stepscope: A: "));
  }
}

TEST_CASE("JSON of another category table: wall and idle only") {
  const Folder folder;
  const std::string trace = folder.write("t.json", trace_text({99, 10, 12}));
  std::ifstream in(folder.stored(trace, "now.breakdown"));
  json old = json::parse(in);
  old["table_version"] = "0";
  const Ran ran = compare_json(folder.write("old.breakdown", old.dump()), trace);
  CHECK(ran.exit_code == 0);
  CHECK(ran.parsed()["kernels"].empty());
  CHECK(ran.parsed()["wall"]["delta_ns"] == 0);
  CHECK(warns(ran, "only wall and idle are compared"));
}

TEST_CASE("runs: their configurations are compared") {
  const Folder folder;
  FakeDaemon daemon;
  const std::string trace = folder.write("t.json", trace_text({99, 10, 12}));
  std::ifstream in(folder.stored(trace, "now.breakdown"));
  const json stored = json::parse(in);
  json other = json::parse(kRun);
  other["config"]["tp"] = 8;
  other["config"]["image"] = "i:2";
  daemon.reply("GET /api/v1/runs/57", {200, kRun});
  daemon.reply("GET /api/v1/runs/58", {200, other.dump()});
  for (const char* id : {"57", "58"}) {
    daemon.reply("GET /api/v1/runs/" + std::string(id) + "/breakdown?format=json",
                 {200, stored.dump()});
  }
  const Ran ran = compare({.format = "json", .a = "57", .b = "58", .client = daemon.options});
  INFO(ran.err);
  REQUIRE(ran.exit_code == 0);
  CHECK(ran.parsed()["a"]["facts"]["model"] == "dsr1 fp4");
  CHECK(ran.parsed()["a"]["facts"]["family"] == "NVIDIA");
  CHECK(warns(ran, "the parallelism differs: TP4 EP4 in A, TP8 EP4 in B"));
  CHECK(warns(ran, "the image differs: i:1 in A, i:2 in B"));
  CHECK(compare({.a = "57", .b = trace, .client = daemon.options}).exit_code == 0);
}

TEST_CASE("a run of another category table is analysed again from its trace") {
  const Folder folder;
  FakeDaemon daemon;
  const std::string trace = folder.write("t.json", trace_text({99, 10, 12}));
  std::ifstream in(folder.stored(trace, "now.breakdown"));
  json old = json::parse(in);
  old["table_version"] = "0";
  daemon.reply("GET /api/v1/runs/57", {200, kRun});
  daemon.reply("GET /api/v1/runs/57/breakdown?format=json", {200, old.dump()});
  daemon.reply("GET /api/v1/runs/57/trace", {200, trace_text({99, 10, 12})});
  const CompareCommand command{.format = "json", .a = "57", .b = trace, .client = daemon.options};
  const Ran again = compare(command);
  INFO(again.err);
  REQUIRE(again.exit_code == 0);
  CHECK(again.parsed()["no_difference"] == true);
  CHECK(warns(again, "run 57 was analysed again from its trace"));
  daemon.reply("GET /api/v1/runs/57/trace", {410, R"({"error":{"message":"its time is over"}})"});
  const Ran gone = compare(command);
  CHECK(gone.exit_code == 0);
  CHECK(gone.parsed()["kernels"].empty());
  CHECK(warns(gone, "its time is over"));
}

TEST_CASE("a run that the daemon does not have is exit code 3 with its words") {
  const Folder folder;
  FakeDaemon daemon;
  const std::string trace = folder.write("t.json", trace_text({99, 10}));
  daemon.reply("GET /api/v1/runs/57", {404, R"({"error":{"message":"there is no run 57"}})"});
  const Ran ran = compare({.a = trace, .b = "57", .client = daemon.options});
  CHECK(ran.exit_code == 3);
  CHECK(ran.err == "stepscope: B: run 57: the server answered 404: there is no run 57\n");
}

TEST_CASE("a comparison that can not be written is an error") {
  const Folder folder;
  const std::string trace = folder.write("t.json", trace_text({99, 10}));
  std::ostringstream out;
  std::ostringstream err;
  out.setstate(std::ios::badbit);
  CHECK(run_compare({.a = trace, .b = trace}, out, err) == 1);
  CHECK(err.str() == "stepscope: the comparison could not be written\n");
}
