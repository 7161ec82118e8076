#include "server/compare_inputs.h"

#include <doctest/doctest.h>

#include <fstream>
#include <sstream>

#include "server/analyze_command.h"
#include "tests/server/compare_traces.h"
#include "tests/server/fake_daemon.h"
#include "tests/support/temp_folder.h"

using namespace stepscope;
using namespace stepscope::server;
using stepscope::tests::FakeDaemon;
using stepscope::tests::trace_text;

namespace {

struct Folder {
  std::string write(const std::string& name, std::string_view bytes) const {
    std::ofstream(folder.path() / name, std::ios::binary) << bytes;
    return (folder.path() / name).string();
  }
  tests::TempFolder folder;
};

std::string breakdown_text(const std::string& trace) {
  std::ostringstream out;
  std::ostringstream err;
  REQUIRE(run_analyze({.format = "json", .files = {trace}}, out, err) == 0);
  return out.str();
}

}  // namespace

TEST_CASE("a trace and a breakdown are told apart by what they hold, not by their names") {
  const Folder folder;
  const std::string trace = folder.write("breakdown.json", trace_text({99, 10, 12}));
  const auto of_trace = read_input(trace, {}, {});
  REQUIRE(of_trace);
  CHECK(of_trace->is_trace);
  CHECK(of_trace->id.empty());
  CHECK(of_trace->side.idle_min_ns == 1000);  // all steps were looked at
  const auto stored = read_input(folder.write("trace.json", breakdown_text(trace)), {}, {});
  REQUIRE(stored);
  CHECK_FALSE(stored->is_trace);
  CHECK(stored->side.wall_ns == of_trace->side.wall_ns);
  CHECK_FALSE(stored->side.idle_min_ns.has_value());
}

TEST_CASE("digits alone are a run; a path to such a file is the file") {
  const Folder folder;
  const std::string file = folder.write("57", trace_text({99, 10}));
  CHECK(read_input(file, {}, {})->is_trace);
  ClientOptions client;
  client.server = "http://127.0.0.1:1";
  const auto run = read_input("57", {}, client);
  REQUIRE_FALSE(run);
  CHECK_FALSE(run.error().usage);
  CHECK(run.error().message.starts_with("run 57: http://127.0.0.1:1 does not answer"));
}

TEST_CASE("a run without a kept trace can not be analysed again") {
  const Folder folder;
  FakeDaemon daemon;
  const std::string trace = folder.write("t.json", trace_text({99, 10}));
  daemon.reply("GET /api/v1/runs/57", {200, R"({"config":5,"trace":{"name":"t","kept":false}})"});
  daemon.reply("GET /api/v1/runs/57/breakdown?format=json", {200, breakdown_text(trace)});
  auto run = read_input("57", {}, daemon.options);
  REQUIRE(run);
  CHECK(run->id == "57");
  CHECK(run->run->facts.model.empty());
  const auto again = analyze_run_again(*run, {}, daemon.options);
  REQUIRE_FALSE(again);
  CHECK(again.error() == "run 57: its trace is not kept");
}

TEST_CASE("analysed again, a run keeps its title and facts and leaves no file") {
  const Folder folder;
  FakeDaemon daemon;
  const std::string trace = folder.write("t.json", trace_text({99, 10, 12}));
  daemon.reply("GET /api/v1/runs/57",
               {200, R"({"config":{"model":"m"},"trace":{"name":"../../t.json","kept":true}})"});
  daemon.reply("GET /api/v1/runs/57/breakdown?format=json", {200, breakdown_text(trace)});
  daemon.reply("GET /api/v1/runs/57/trace", {200, trace_text({99, 20, 22})});
  auto run = read_input("57", {}, daemon.options);
  REQUIRE(run);
  CHECK(run->run->trace_name == "t.json");
  run->side.title = "kept title";
  const auto count = [] {
    std::ptrdiff_t folders = 0;
    for (const auto& entry :
         std::filesystem::directory_iterator(std::filesystem::temp_directory_path())) {
      folders += entry.path().filename().string().starts_with("stepscope-again-") ? 1 : 0;
    }
    return folders;
  };
  const auto before = count();
  REQUIRE(analyze_run_again(*run, {}, daemon.options));
  CHECK(count() == before);
  CHECK(run->side.title == "kept title");
  CHECK(run->side.wall_ns == 23'000);
  CHECK(run->side.file == "t.json");
}
