#include "workers/recipes/replay.h"

#include <doctest/doctest.h>

#include <fstream>
#include <sstream>

#include "tests/support/temp_folder.h"

using namespace stepscope;
using namespace stepscope::workers;

namespace {

std::string read(const std::filesystem::path& file) {
  std::stringstream text;
  text << std::ifstream(file).rdbuf();
  return text.str();
}

}  // namespace

TEST_CASE("a trace file is copied under a harmless name and named in the result") {
  const tests::TempFolder folder;
  std::filesystem::create_directory(folder.path() / "out");
  const auto source = folder.path() / "my trace (1).json";
  std::ofstream(source) << "[]";
  const auto done = run_replay({.source = source.string(), .folder = folder.path() / "out"});
  REQUIRE(done.has_value());
  CHECK(read(folder.path() / "out" / "my_trace__1_.json") == "[]");
  CHECK(read(folder.path() / "out" / "result.json") ==
        "{\"hardware\":\"\",\"traces\":[\"my_trace__1_.json\"]}\n");
  CHECK(read(source) == "[]");
}

TEST_CASE("what can not be replayed says why") {
  const tests::TempFolder folder;
  CHECK(run_replay({.folder = folder.path()}).error().message ==
        "the catalog entry has no \"trace\": give it a file path or an https URL");
  CHECK(run_replay({.source = "/no/such/trace.json", .folder = folder.path()}).error().message ==
        "can not read trace.json: No such file or directory");
  const auto source = folder.path() / "big.json";
  std::ofstream(source) << "12345";
  CHECK(run_replay({.source = source.string(), .folder = folder.path(), .bytes_max = 4})
            .error()
            .message == "big.json has 5 bytes, allowed are 4");
}

TEST_CASE("only https and loopback URLs are fetched") {
  const tests::TempFolder folder;
  const auto refused = run_replay({.source = "http://203.0.113.1/t.json", .folder = folder.path()});
  CHECK(!refused.has_value());
}
