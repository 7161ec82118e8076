#include "db/builtin_catalog.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <vector>

using namespace stepscope::db;

TEST_CASE("the toy decoder can be asked for without a file") {
  const std::vector<CatalogEntry> entries = builtin_entries();
  REQUIRE(entries.size() == 1);
  const CatalogEntry& toy = entries[0];
  CHECK(toy.key == "toy-moe-fp32-cpu-builtin");
  CHECK(toy.status == "active");
  CHECK(toy.model == "toy-moe");
  CHECK(toy.model_name == "toy-moe (built-in mixture-of-experts decoder)");
  CHECK(toy.hardware == "cpu");
  CHECK(toy.precision == "fp32");
  CHECK(toy.framework == "builtin");
  CHECK(toy.recipe == "toy-moe");
  CHECK_FALSE(toy.multinode);
  REQUIRE(toy.scenarios.size() == 1);
  CHECK(toy.scenarios[0].fixed_lengths);
  CHECK(toy.scenarios[0].isl == 64);
  CHECK(toy.scenarios[0].osl == 32);
  REQUIRE(toy.scenarios[0].points.size() == 1);
  CHECK(toy.scenarios[0].points[0].tp == 1);
  CHECK(toy.scenarios[0].points[0].ep == 1);
  CHECK(toy.scenarios[0].points[0].conc == std::vector<int>{1, 2, 4, 8, 16, 32});
}

TEST_CASE("usual spellings stand for the words of the catalog") {
  const Aliases aliases = builtin_aliases();
  CHECK(aliases.size() == 4);
  CHECK(aliases.at("model").at("deepseek") == "dsr1");
  CHECK(aliases.at("model").at("ds r1") == "dsr1");
  CHECK(aliases.at("model").at("deepseek v4 pro") == "dsv4");
  CHECK(aliases.at("model").at("qwen3.5-397b-a17b") == "qwen3.5");
  CHECK(aliases.at("model").at("m3") == "minimaxm3");
  CHECK(aliases.at("model").at("glm 5.2") == "glm5.2");
  CHECK(aliases.at("model").at("kimi k3") == "kimik3");
  CHECK(aliases.at("model").at("kimi k2.5") == "kimik2.5");
  CHECK(aliases.at("model").at("gpt-oss-120b") == "gptoss");
  CHECK(aliases.at("precision").at("nvfp4") == "fp4");
  CHECK(aliases.at("precision").at("mxfp8") == "fp8");
  CHECK(aliases.at("hardware").at("mi355") == "mi355x");
  CHECK(aliases.at("hardware").at("b200s") == "b200");
  CHECK(aliases.at("framework").at("trtllm") == "trt");
}

TEST_CASE("spellings are lower case, and none is a word that it could hide") {
  for (const auto& [field, spellings] : builtin_aliases()) {
    for (const auto& [spelling, word] : spellings) {
      CAPTURE(spelling);
      CHECK(std::ranges::none_of(spelling, [](char c) { return c >= 'A' && c <= 'Z'; }));
      CHECK(
          std::ranges::none_of(spellings, [&](const auto& row) { return row.second == spelling; }));
    }
  }
}

TEST_CASE("models have names to print") {
  CHECK(builtin_display_names().at("dsr1") == "DeepSeek-R1");
}
