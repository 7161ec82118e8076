#include "workers/artifacts.h"

#include <doctest/doctest.h>

#include <fstream>
#include <sstream>

#include "tests/support/temp_folder.h"

using namespace stepscope;
using namespace stepscope::workers;

namespace {

std::filesystem::path write(const std::filesystem::path& file, const std::string& text) {
  std::ofstream(file) << text;
  return file;
}

std::string read(const std::filesystem::path& file) {
  std::stringstream text;
  text << std::ifstream(file).rdbuf();
  return text.str();
}

}  // namespace

TEST_CASE("traces are moved to a folder of their job, the first one described") {
  const tests::TempFolder folder;
  const Artifacts artifacts(folder.path() / "traces");
  const auto scratch = artifacts.scratch(57, 1);
  const std::vector traces{write(scratch / "b-TP-1.json", "rank 1"),
                           write(scratch / "a-TP-0.json", "abc")};
  const StoredTrace stored = artifacts.keep(57, traces);
  CHECK(stored.file == "57/a-TP-0.json");
  CHECK(stored.name == "a-TP-0.json");
  CHECK(stored.bytes == 3);
  CHECK(stored.kept_bytes == 9);  // and the 6 of "rank 1"
  // SHA-256 of "abc" (FIPS 180-2, appendix B.1)
  CHECK(stored.sha256 == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  REQUIRE(stored.files.size() == 2);
  CHECK(read(artifacts.path_of("57/b-TP-1.json")) == "rank 1");
  CHECK_FALSE(std::filesystem::exists(traces[0]));
}

TEST_CASE("a later attempt replaces what a former one brought") {
  const tests::TempFolder folder;
  const Artifacts artifacts(folder.path());
  artifacts.keep(1, std::vector{write(artifacts.scratch(1, 1) / "old.json", "old")});
  const auto stored =
      artifacts.keep(1, std::vector{write(artifacts.scratch(1, 2) / "new.json", "new")});
  CHECK(stored.files.size() == 1);
  CHECK_FALSE(std::filesystem::exists(artifacts.path_of("1/old.json")));
  CHECK(read(artifacts.path_of(stored.file)) == "new");
}

TEST_CASE("scratch folders start empty and go") {
  const tests::TempFolder folder;
  const Artifacts artifacts(folder.path());
  write(artifacts.scratch(1, 1) / "left over", "x");
  const auto scratch = artifacts.scratch(1, 1);
  CHECK(std::filesystem::is_empty(scratch));
  artifacts.drop_scratch(1, 1);
  CHECK_FALSE(std::filesystem::exists(scratch));
}

TEST_CASE("a start removes what a killed process has left, and what no job names") {
  const tests::TempFolder folder;
  const Artifacts artifacts(folder.path());
  for (const db::JobId id : {3, 4}) {
    artifacts.keep(id, std::vector{write(artifacts.scratch(id, 1) / "t.json", "x")});
  }
  write(artifacts.scratch(5, 2) / "half a trace", "x");
  std::filesystem::create_directory(folder.path() / "6.incoming");
  write(folder.path() / "README", "not ours");
  artifacts.drop_leftovers(std::vector<std::string>{"3/t.json"});
  CHECK(std::filesystem::exists(artifacts.path_of("3/t.json")));
  CHECK_FALSE(std::filesystem::exists(folder.path() / "4"));
  CHECK_FALSE(std::filesystem::exists(folder.path() / "6.incoming"));
  CHECK(std::filesystem::exists(folder.path() / "README"));
  CHECK(std::filesystem::is_empty(artifacts.scratch_folder()));
}

TEST_CASE("dropping a job's traces takes the whole folder and may be repeated") {
  const tests::TempFolder folder;
  const Artifacts artifacts(folder.path());
  const auto stored =
      artifacts.keep(9, std::vector{write(artifacts.scratch(9, 1) / "t.json", "x")});
  artifacts.drop(9);
  artifacts.drop(9);
  CHECK_FALSE(std::filesystem::exists(artifacts.path_of(stored.file)));
}
