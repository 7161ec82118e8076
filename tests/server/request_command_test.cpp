#include "server/request_command.h"

#include <doctest/doctest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "tests/support/temp_folder.h"

using namespace stepscope;
using namespace stepscope::server;

namespace {

struct Ran {
  int exit_code = 0;
  std::string out;
  std::string err;
};

Ran request(const std::string& lines, const RequestCommand& command = {}) {
  std::istringstream in(lines);
  std::ostringstream out;
  std::ostringstream err;
  const int exit_code = run_request(command, in, out, err);
  return {exit_code, out.str(), err.str()};
}

Ran check(const std::filesystem::path& file) {
  std::ostringstream out;
  std::ostringstream err;
  const int exit_code = run_check_config(file, out, err);
  return {exit_code, out.str(), err.str()};
}

struct Folder {
  std::string write(const std::string& name, std::string_view text) const {
    std::ofstream(folder.path() / name, std::ios::binary) << text;
    return path(name);
  }
  std::string path(const std::string& name) const { return (folder.path() / name).string(); }
  tests::TempFolder folder;
};

// One row of an operator's catalog.
constexpr std::string_view kCatalog = R"({"format":1,"configs":[{"key":"dsr1-fp4-b200-sglang",
  "model_prefix":"dsr1","hardware":"b200","precision":"fp4","framework":"sglang","scenarios":[
  {"type":"fixed","isl":1024,"osl":1024,"search_space":[{"tp":4,"conc":[4]}]}]}]})";

}  // namespace

TEST_CASE("each line of a comment is answered by one line of canonical JSON") {
  const Ran ran = request(
      "{}\t\"@stepscope profile toy-moe fp32 on cpu conc 4, 5 decode steps\"\n"
      "{}\t\"hello\"\r\n"
      "{\"sender_type\":\"User\"}\t\"@stepscope help\"");
  CHECK(ran.exit_code == 0);
  CHECK(ran.err.empty());
  std::istringstream lines(ran.out);
  std::string line;
  std::getline(lines, line);
  const auto profile = nlohmann::json::parse(line);
  CHECK(profile["v"] == "profile");
  CHECK(profile["jobs"][0]["steps"] == 5);
  std::getline(lines, line);
  CHECK(nlohmann::json::parse(line)["v"] == "ignore");
  std::getline(lines, line);
  CHECK(line == R"({"v":"help"})");
  CHECK_FALSE(std::getline(lines, line));
}

TEST_CASE("no lines are no answers") {
  const Ran ran = request("");
  CHECK(ran.exit_code == 0);
  CHECK(ran.out.empty());
}

TEST_CASE("the first line that can not be read ends it, with its number") {
  const std::string good = "{}\t\"@stepscope help\"\n";
  const Ran no_tab = request(good + "{}\n" + good);
  CHECK(no_tab.exit_code == 2);
  CHECK(no_tab.out == "{\"v\":\"help\"}\n");
  CHECK(no_tab.err == "line 2: no tab between context and text\n");
  for (const char* bad : {"\t\n", "{}\tno json\n", "{}\t5\n", "{}\t\"a\" \"b\"\n", "[]\t\"a\"\n",
                          "{\t\"a\"\n", "{}\t\"\xFF\"\n", "\n"}) {
    const Ran ran = request(good + good + bad);
    CHECK(ran.exit_code == 2);
    CHECK(ran.err.starts_with("line 3: "));
    CHECK(ran.err.find('\n') == ran.err.size() - 1);
  }
}

TEST_CASE("the catalog and the name are the operator's") {
  const Folder folder;
  const RequestCommand command{folder.write("catalog.json", kCatalog), "profiler"};
  const Ran ran = request("{}\t\"@profiler profile dsr1 fp4 on b200 conc 4\"\n", command);
  CHECK(ran.exit_code == 0);
  CHECK(nlohmann::json::parse(ran.out)["jobs"][0]["key"] == "dsr1-fp4-b200-sglang");
  CHECK(request("{}\t\"@stepscope help\"\n", command).out.contains("ignore"));

  const Ran absent = request("", {folder.path("absent.json"), "stepscope"});
  CHECK(absent.exit_code == 2);
  CHECK(absent.err.starts_with(folder.path("absent.json") + ": "));
  const Ran broken = request("", {folder.write("broken.json", "{"), "stepscope"});
  CHECK(broken.exit_code == 2);
  CHECK(broken.err.starts_with(folder.path("broken.json")));
}

TEST_CASE("a good configuration is summed up in one line") {
  const Folder folder;
  const std::string file = folder.write("s.toml", "");
  // The built-in catalog has one row.
  CHECK(check(file).exit_code == 0);
  CHECK(check(file).out == file + ": good; 1 catalog rows, GitHub off, runner local\n");

  folder.write("catalog.json", kCatalog);
  folder.write("rules.tsv", "^my_kernel\tgemm-moe\tmoe\n");
  folder.write("secret", "x\n");
  folder.write("s.toml",
               "[catalog]\nfile = \"catalog.json\"\n[analysis]\nrules_file = \"rules.tsv\"\n"
               "[github]\nwebhook_secret_file = \"secret\"\ntoken_file = \"secret\"\n"
               "[runner]\nenabled = false\n");
  const Ran ran = check(file);
  CHECK(ran.err.empty());
  CHECK(ran.exit_code == 0);
  CHECK(ran.out == file + ": good; 2 catalog rows, GitHub connected, runner off\n");
}

TEST_CASE("whatever serve would refuse is said, a line each") {
  const Folder folder;
  const std::string file = folder.write("s.toml", "[server]\nlisten = 1\n[log]\nlevel = 2\n");
  CHECK(check(file).exit_code == 2);
  CHECK(check(file).out.empty());
  CHECK(check(file).err.starts_with(file + ":2: server.listen: must be"));
  CHECK(check(file).err.contains(file + ":4: log.level: must be"));

  folder.write("catalog.json", "[]");
  folder.write("rules.tsv", "(\tgemm-moe\tmoe\n");
  folder.write("s.toml",
               "[catalog]\nfile = \"catalog.json\"\n[analysis]\nrules_file = \"rules.tsv\"\n");
  const Ran ran = check(file);
  CHECK(ran.exit_code == 2);
  CHECK(ran.out.empty());
  CHECK(ran.err.contains(folder.path("catalog.json") + ": "));
  CHECK(ran.err.contains(folder.path("rules.tsv") + ": "));

  folder.write("s.toml", "[analysis]\nrules_file = \".\"\n");
  CHECK(check(file).exit_code == 2);
  CHECK(check(file).err.starts_with("can not read the rules file "));
}
