#include "server/recipe_command.h"

#include <doctest/doctest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "server/analyze_command.h"
#include "tests/support/temp_folder.h"

using namespace stepscope;
using namespace stepscope::server;

namespace {

struct Ran {
  int exit_code = 0;
  std::string err;
};

Ran toy(const RecipeCommand& command) {
  std::ostringstream err;
  const int exit_code = run_toy_recipe(command, err);
  return {exit_code, err.str()};
}

Ran replay(const RecipeCommand& command) {
  std::ostringstream err;
  const int exit_code = run_replay_recipe(command, err);
  return {exit_code, err.str()};
}

nlohmann::json result_in(const std::filesystem::path& folder) {
  std::ifstream in(folder / "result.json");
  return nlohmann::json::parse(in);
}

}  // namespace

TEST_CASE("the toy leaves a trace that is analysed, with as many decode steps as asked for") {
  const tests::TempFolder folder;
  RecipeCommand command;
  command.folder = folder.path();
  command.conc = 2;
  command.isl = 4;
  command.steps = 3;
  const Ran ran = toy(command);
  CHECK(ran.exit_code == 0);
  CHECK(ran.err.empty());
  const auto name = result_in(folder.path())["traces"][0].get<std::string>();
  std::ostringstream out;
  std::ostringstream err;
  REQUIRE(run_analyze({.format = "json", .files = {folder.path() / name}}, out, err) == 0);
  const auto json = nlohmann::json::parse(out.str());
  int decode_steps = 0;
  for (const auto& step : json["steps"]) decode_steps += step["phase"] == "decode" ? 1 : 0;
  CHECK(decode_steps == 3);
  std::int64_t charged_ns = json["step"]["idle_ns"];
  for (const auto& row : json["step"]["kernels"]) charged_ns += row["wall_ns"].get<std::int64_t>();
  CHECK(json["step"]["wall_ns"] == charged_ns);
}

TEST_CASE("arguments that can not be are exit code 2: nobody tries them again") {
  const tests::TempFolder folder;
  const RecipeCommand cases[] = {
      {.folder = folder.path(), .conc = 0},     {.folder = folder.path(), .conc = -1},
      {.folder = folder.path(), .conc = 65},    {.folder = folder.path(), .isl = 0},
      {.folder = folder.path(), .isl = 1025},   {.folder = folder.path(), .steps = 0},
      {.folder = folder.path(), .steps = 1000}, {.folder = folder.path(), .steps = -2147483647}};
  for (const RecipeCommand& command : cases) {
    const Ran ran = toy(command);
    CHECK(ran.exit_code == 2);
    CHECK(ran.err.find('\n') == ran.err.size() - 1);
  }
  CHECK(std::filesystem::is_empty(folder.path()));
}

TEST_CASE("a folder that is not there is an error") {
  const tests::TempFolder folder;
  const Ran ran = toy({.folder = folder.path() / "absent", .isl = 1});
  CHECK(ran.exit_code != 0);
  CHECK(ran.err.find('\n') == ran.err.size() - 1);
}

TEST_CASE("a replay brings the trace byte for byte under a harmless name") {
  const tests::TempFolder folder;
  const auto source = folder.path() / "a trace;$(x).json";
  std::ofstream(source, std::ios::binary) << std::string("bytes\0\xFF", 7);
  std::filesystem::create_directory(folder.path() / "out");
  const Ran ran = replay({.folder = folder.path() / "out", .source = source.string()});
  CHECK(ran.exit_code == 0);
  CHECK(ran.err.empty());
  CHECK(result_in(folder.path() / "out").dump() ==
        R"({"hardware":"","traces":["a_trace___x_.json"]})");
  std::ifstream in(folder.path() / "out" / "a_trace___x_.json", std::ios::binary);
  std::stringstream copy;
  copy << in.rdbuf();
  CHECK(copy.str() == std::string("bytes\0\xFF", 7));
}

TEST_CASE("a replay without a source that can be had fails and says why") {
  const tests::TempFolder folder;
  for (const std::string& source :
       {std::string(), (folder.path() / "absent.json").string(), folder.path().string(),
        std::string("http://example.com/trace.json"), std::string("https://")}) {
    INFO(source);
    const Ran ran = replay({.folder = folder.path(), .source = source});
    CHECK(ran.exit_code == 2);
    CHECK(ran.err.find('\n') == ran.err.size() - 1);
    CHECK_FALSE(std::filesystem::exists(folder.path() / "result.json"));
  }
}
