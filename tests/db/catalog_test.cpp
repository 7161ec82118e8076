#include "db/catalog.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <string>

#include "tests/support/temp_folder.h"

using namespace stepscope::db;
using stepscope::tests::TempFolder;

namespace {

std::expected<Catalog, std::string> load_text(const std::filesystem::path& file,
                                              const std::string& text) {
  std::ofstream(file, std::ios::binary) << text;
  return Catalog::load(file);
}

const std::string kEntry =
    R"({"key":"big-fp4-b200-sglang","model_prefix":"deepseek","model":"org/Big","hardware":"b200",)"
    R"("precision":"fp4","framework":"sglang",)"
    R"("scenarios":[{"isl":8192,"osl":1024,"search_space":[{"tp":4,"conc":[4]}]}]})";

// Absent on machines that only have the source.
std::filesystem::path shared_catalog() {
  const char* shared = std::getenv("STEPSCOPE_SHARED");
  const std::filesystem::path folder =
      shared != nullptr ? std::filesystem::path(shared)
                        : std::filesystem::path(STEPSCOPE_SOURCE_DIR) / ".." / "shared";
  return folder / "catalog" / "inferencex-configs.json";
}

}  // namespace

TEST_CASE("without a file the catalog holds what is built in") {
  const Catalog catalog;
  REQUIRE(catalog.entries().size() == 1);
  CHECK(catalog.entries()[0].model == "toy-moe");
  CHECK(catalog.aliases("model").at("deepseek") == "dsr1");
  CHECK(catalog.aliases("colour").empty());
  CHECK(catalog.display_name("dsr1") == "DeepSeek-R1");
  CHECK(catalog.display_name("unheard-of") == "unheard-of");
}

TEST_CASE("a file adds to what is built in and wins over it") {
  const TempFolder folder;
  const auto catalog = load_text(folder.path() / "catalog.json",
                                 R"({"format":1,"configs":[)" + kEntry +
                                     R"(],"aliases":{"model":{"deepseek":["big","R1"]},)"
                                     R"("hardware":{"b200":["blackwell-box"]}},)"
                                     R"("display_names":{"deepseek":"Big"}})");
  REQUIRE(catalog.has_value());
  REQUIRE(catalog->entries().size() == 2);
  CHECK(catalog->entries()[0].model == "toy-moe");
  CHECK(catalog->entries()[1].key == "big-fp4-b200-sglang");
  // "deepseek" is a word of its own here, no longer a spelling of dsr1; "r1" now stands for it.
  CHECK_FALSE(catalog->aliases("model").contains("deepseek"));
  CHECK(catalog->aliases("model").at("r1") == "deepseek");
  CHECK(catalog->aliases("model").at("big") == "deepseek");
  CHECK(catalog->aliases("model").at("deepseek r1") == "dsr1");
  CHECK(catalog->aliases("hardware").at("blackwell-box") == "b200");
  CHECK(catalog->aliases("hardware").at("mi355") == "mi355x");
  CHECK(catalog->display_name("deepseek") == "Big");
  CHECK(catalog->display_name("dsr1") == "DeepSeek-R1");
}

TEST_CASE("a relative trace lies beside the catalog") {
  const TempFolder folder;
  std::string entry = kEntry;
  entry.pop_back();
  const auto catalog =
      load_text(folder.path() / "catalog.json", R"({"format":1,"configs":[)" + entry +
                                                    R"(,"recipe":"replay","trace":"a/b.json"}]})");
  REQUIRE(catalog.has_value());
  CHECK(catalog->entries()[1].recipe == "replay");
  CHECK(catalog->entries()[1].trace_source == (folder.path() / "a" / "b.json").string());
}

TEST_CASE("errors name the file") {
  const TempFolder folder;
  const auto file = folder.path() / "catalog.json";
  CHECK(Catalog::load(file).error() ==
        file.string() + ": cannot be read: No such file or directory");
  CHECK(load_text(file, "{}").error() ==
        file.string() + ": /format: must be 1, the only form read here");
  CHECK(Catalog::load(folder.path())
            .error()
            .starts_with(folder.path().string() + ": cannot be read: "));
  std::filesystem::resize_file(file, (16ULL << 20) + 1);
  CHECK(Catalog::load(file).error() ==
        file.string() + ": has 16777217 bytes, at most 16777216 are read");
}

TEST_CASE("the published configurations are read whole") {
  const std::filesystem::path file = shared_catalog();
  if (!std::filesystem::exists(file)) {
    MESSAGE("not checked: no file " << file.string());
    return;
  }
  const auto catalog = Catalog::load(file);
  REQUIRE_MESSAGE(catalog.has_value(), (catalog ? "" : catalog.error()));
  const auto& entries = catalog->entries();
  // 529 entries of the file and the built-in one; counted in the file: 208 active, 197 of more
  // nodes than one or disaggregated, 583 scenarios of which 77 are agentic.
  CHECK(entries.size() == 530);
  CHECK(std::ranges::count(entries, "active", &CatalogEntry::status) == 209);
  CHECK(std::ranges::count(entries, true, &CatalogEntry::multinode) == 197);
  std::size_t scenarios = 0;
  std::size_t agentic = 0;
  for (const CatalogEntry& entry : entries) {
    scenarios += entry.scenarios.size();
    for (const Scenario& scenario : entry.scenarios) agentic += scenario.fixed_lengths ? 0 : 1;
  }
  CHECK(scenarios == 584);
  CHECK(agentic == 77);
  const auto found = std::ranges::find_if(entries, [](const CatalogEntry& entry) {
    return entry.key == "dsr1-fp4-b200-sglang" && entry.status == "active";
  });
  REQUIRE(found != entries.end());
  CHECK(found->model_name == "nvidia/DeepSeek-R1-0528-FP4-V2");
  CHECK(found->recipe == "sglang");
  REQUIRE(found->scenarios.at(0).points.size() == 2);
  CHECK(found->scenarios[0].points[1].dp_attn);
  CHECK(found->scenarios[0].points[1].conc == std::vector<int>{64, 128, 256});
}
