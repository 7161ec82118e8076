#include "db/catalog_reader.h"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <string>
#include <vector>

using namespace stepscope::db;

namespace {

const std::filesystem::path kFile = "/etc/stepscope/catalog.json";

std::expected<CatalogFile, std::string> read(std::string_view text) {
  return read_catalog(text, kFile, builtin_entries());
}

// What is wrong with a text, without the file's name before each line.
std::string faults(std::string_view text) {
  const auto result = read(text);
  if (result) return "none";
  std::string faults = result.error();
  const std::string prefix = kFile.string() + ": ";
  for (std::size_t at = faults.find(prefix); at != std::string::npos; at = faults.find(prefix)) {
    faults.erase(at, prefix.size());
  }
  return faults;
}

constexpr std::string_view kScenario =
    R"({"type":"fixed","isl":8,"osl":1,"search_space":[{"tp":4,"conc":[1,2]}]})";

// A whole file with one entry: the given members come last, so they win over the good ones.
std::string with_entry(std::string_view members, std::string_view scenario = kScenario) {
  return fmt::format(
      R"({{"format":1,"configs":[{{"key":"k","status":"active","model_prefix":"m",)"
      R"("hardware":"b200","precision":"fp4","framework":"sglang","scenarios":[{}]{}{}}}]}})",
      scenario, members.empty() ? "" : ",", members);
}

std::string with_top(std::string_view members) {
  std::string text = with_entry("");
  text.pop_back();
  return text + "," + std::string(members) + "}";
}

std::string with_scenario(std::string_view scenario) { return with_entry("", scenario); }

}  // namespace

TEST_CASE("a whole entry is read") {
  const auto file = read(
      R"({"format":1,"configs":[{"key":"dsr1-fp4-b200-sglang","status":"retired",
      "model":"nvidia/R1","model_prefix":"dsr1","hardware":"b200","precision":"fp4",
      "framework":"sglang","image":"lmsysorg/sglang:v1","multinode":false,"disagg":false,
      "scenarios":[{"type":"fixed","isl":8192,"osl":1024,"search_space":[
        {"tp":4,"ep":1,"dp_attn":false,"conc":[1,2],"spec":"none"},
        {"tp":8,"ep":2,"dp_attn":true,"conc":[64],"spec":"mtp"}]}],"unknown":{"x":1}}]})");
  REQUIRE(file.has_value());
  REQUIRE(file->entries.size() == 1);
  const CatalogEntry& entry = file->entries[0];
  CHECK(entry.key == "dsr1-fp4-b200-sglang");
  CHECK(entry.status == "retired");
  CHECK(entry.model == "dsr1");
  CHECK(entry.model_name == "nvidia/R1");
  CHECK(entry.hardware == "b200");
  CHECK(entry.precision == "fp4");
  CHECK(entry.framework == "sglang");
  CHECK(entry.image == "lmsysorg/sglang:v1");
  CHECK(entry.recipe == "sglang");
  CHECK(entry.trace_source.empty());
  CHECK_FALSE(entry.multinode);
  REQUIRE(entry.scenarios.size() == 1);
  CHECK(entry.scenarios[0].isl == 8192);
  CHECK(entry.scenarios[0].osl == 1024);
  REQUIRE(entry.scenarios[0].points.size() == 2);
  const OperatingPoint& point = entry.scenarios[0].points[1];
  CHECK(point.tp == 8);
  CHECK(point.ep == 2);
  CHECK(point.dp_attn);
  CHECK(point.conc == std::vector<int>{64});
  CHECK(point.spec == "mtp");
}

TEST_CASE("what may be absent has its usual value") {
  const auto file = read(
      R"({"format":1,"configs":[{"key":"k","model_prefix":"m","hardware":"b200","precision":"fp4",
      "framework":"vllm","scenarios":[{"isl":8,"osl":1,"search_space":[{"conc":[1]}]}]}]})");
  REQUIRE(file.has_value());
  const CatalogEntry& entry = file->entries[0];
  CHECK(entry.status == "active");
  CHECK(entry.model_name == "m");
  CHECK(entry.image.empty());
  CHECK(entry.recipe == "vllm");
  CHECK(entry.scenarios[0].fixed_lengths);
  CHECK(entry.scenarios[0].points[0].tp == 1);
  CHECK(entry.scenarios[0].points[0].spec == "none");
}

TEST_CASE("disaggregated rows mark the entry and keep their concurrency") {
  const auto file = read(with_scenario(
      R"({"type":"fixed","isl":8,"osl":1,"search_space":[{"prefill":{"workers":1,"tp":4},)"
      R"("decode":{"workers":0,"tp":8},"conc":[90],"spec":"mtp"}]})"));
  REQUIRE(file.has_value());
  CHECK(file->entries[0].multinode);
  CHECK(file->entries[0].scenarios[0].points[0].conc == std::vector<int>{90});
  CHECK(file->entries[0].scenarios[0].points[0].spec == "mtp");
  CHECK(read(with_entry(R"("disagg":true)"))->entries[0].multinode);
  CHECK(read(with_entry(R"("multinode":true)"))->entries[0].multinode);
}

TEST_CASE("agentic scenarios have no lengths") {
  const auto file = read(with_scenario(
      R"({"type":"agentic","isl":null,"osl":null,"search_space":[{"tp":8,"conc":[1]}]})"));
  REQUIRE(file.has_value());
  CHECK_FALSE(file->entries[0].scenarios[0].fixed_lengths);
  CHECK(file->entries[0].scenarios[0].isl == 0);
}

TEST_CASE("a replay names a file beside the catalog, or an https URL") {
  const auto source = [](const std::string& trace) {
    const auto file = read(with_entry(R"("recipe":"replay","trace":")" + trace + "\""));
    return file ? file->entries[0].trace_source : file.error();
  };
  CHECK(source("traces/a.json.gz") == "/etc/stepscope/traces/a.json.gz");
  CHECK(source("../a.json") == "/etc/a.json");
  CHECK(source("/srv/a.json") == "/srv/a.json");
  CHECK(source("https://example.org/a.json.gz") == "https://example.org/a.json.gz");
  CHECK(source("http://127.0.0.1:8000/a.json") == "http://127.0.0.1:8000/a.json");
  CHECK(source("http://localhost/a.json") == "http://localhost/a.json");
  CHECK(faults(with_entry(R"("recipe":"replay","trace":"http://127.0.0.1.example.org/a")")) ==
        "/configs/0/trace: must be a path or an https URL");
  CHECK(faults(with_entry(R"("recipe":"replay","trace":"http://example.org/a")")) ==
        "/configs/0/trace: must be a path or an https URL");
  CHECK(faults(with_entry(R"("recipe":"replay","trace":"")")) ==
        "/configs/0/trace: must be a path or an https URL");
  CHECK(faults(with_entry(R"("recipe":"replay","trace":5)")) ==
        "/configs/0/trace: must be a path or an https URL");
  CHECK(faults(with_entry(R"("recipe":"replay")")) ==
        "/configs/0/trace: is missing: the recipe is replay");
  CHECK(faults(with_entry(R"("trace":"a.json")")) ==
        "/configs/0/trace: goes with the recipe \"replay\" only");
}

TEST_CASE("text that is no catalog is told where it breaks") {
  CHECK(faults("") ==
        "parse error at line 1, column 1: syntax error while parsing value - unexpected end of "
        "input; expected '[', '{', or a literal");
  CHECK(faults("{\n  \"format\": 1,\n  x").starts_with("parse error at line 3, column 3: "));
  CHECK(faults("[]") == "must be a JSON object");
  CHECK(faults("{}") == "/format: must be 1, the only form read here");
  CHECK(faults(R"({"format":2,"configs":[]})") == "/format: must be 1, the only form read here");
  CHECK(faults(R"({"format":1})") == "/configs: must be an array with at least one element");
  CHECK(faults(R"({"format":1,"configs":[7]})") == "/configs/0: must be an object");
  // Depth is no recursion.
  CHECK(faults(std::string(1'000'000, '[')).starts_with("parse error at line 1, column 1000001"));
}

TEST_CASE("every wrong value is named by its place") {
  const std::string word = "must be a word of a-z, 0-9, \".\", \"_\", \"+\", \"-\"";
  for (const std::string field : {"key", "model_prefix", "hardware", "precision", "framework"}) {
    for (const std::string bad : {"\"B200\"", "\"a b\"", "\"\"", "\"-x\"", "7", "null"}) {
      CHECK(faults(with_entry(fmt::format("\"{}\":{}", field, bad))) ==
            fmt::format("/configs/0/{}: {}", field, word));
    }
  }
  CHECK(faults(with_entry(R"("recipe":"A")")) == "/configs/0/recipe: " + word);
  CHECK(faults(with_entry(R"("status":"new")")) ==
        R"(/configs/0/status: must be "active" or "retired")");
  CHECK(faults(with_entry(R"("multinode":1)")) == "/configs/0/multinode: must be true or false");
  CHECK(faults(with_entry(R"("image":"--privileged")")) ==
        "/configs/0/image: must be a text of 1 to 300 printable characters without blanks, not "
        "beginning with \"-\"");
  CHECK(faults(with_entry(R"("scenarios":[])")) ==
        "/configs/0/scenarios: must be an array with at least one element");
}

TEST_CASE("every wrong figure of a scenario is named by its place") {
  const auto scenario = [](std::string_view isl, std::string_view row) {
    return faults(with_scenario(
        fmt::format(R"({{"type":"fixed","isl":{},"osl":1,"search_space":[{}]}})", isl, row)));
  };
  const std::string good = R"({"conc":[1]})";
  const std::string at = "/configs/0/scenarios/0";
  for (const std::string bad :
       {"0", "-1", "1.5", "\"8k\"", "null", "10000001", "18446744073709551615", "1e400000"}) {
    CAPTURE(bad);
    const std::string found = scenario(bad, good);
    if (bad == "1e400000") {  // no number at all for the parser
      CHECK(found.starts_with("number overflow"));
    } else {
      CHECK(found == at + "/isl: must be a whole number from 1 to 10000000");
    }
  }
  CHECK(scenario("8", R"({"conc":[1,0]})") ==
        at + "/search_space/0/conc/1: must be a whole number from 1 to 1000000");
  CHECK(scenario("8", R"({"conc":[]})") ==
        at + "/search_space/0/conc: must be an array with at least one element");
  CHECK(scenario("8", R"({"conc":[1],"tp":5000})") ==
        at + "/search_space/0/tp: must be a whole number from 1 to 4096");
  CHECK(scenario("8", R"({"conc":[1],"dp_attn":"no"})") ==
        at + "/search_space/0/dp_attn: must be true or false");
  CHECK(scenario("8", "5") == at + "/search_space/0: must be an object");
  CHECK(faults(with_scenario("5")) == at + ": must be an object");
}

TEST_CASE("a key is clear: one entry per status and lengths") {
  const auto two = [](std::string_view second) {
    const std::string entry =
        R"({"key":"k","model_prefix":"m","hardware":"b200","precision":"fp4",)"
        R"("framework":"sglang",)";
    return faults(fmt::format(R"({{"format":1,"configs":[{0}"scenarios":[{1}]}},{0}{2}}}]}})",
                              entry, kScenario, second));
  };
  CHECK(two(fmt::format(R"("scenarios":[{}])", kScenario)) ==
        "/configs/1/scenarios/0: has the key, status, isl and osl of /configs/0/scenarios/0");
  CHECK(two(fmt::format(R"("status":"retired","scenarios":[{}])", kScenario)) == "none");
  CHECK(two(fmt::format(R"("multinode":true,"scenarios":[{}])", kScenario)) == "none");
  CHECK(two(R"("scenarios":[{"isl":9,"osl":1,"search_space":[{"conc":[1]}]}])") == "none");
  CHECK(faults(with_entry(R"("key":"toy-moe-fp32-cpu-builtin")",
                          R"({"isl":64,"osl":32,"search_space":[{"conc":[1]}]})")) ==
        "/configs/0/scenarios/0: has the key, status, isl and osl of a built-in entry");
}

TEST_CASE("aliases are spellings of words that exist") {
  const auto file =
      read(with_top(R"("aliases":{"model":{"m":["Big M","m-large"],"toy-moe":["toy"]},)"
                    R"("hardware":{"b200":["B 200"]}})"));
  REQUIRE(file.has_value());
  CHECK(file->aliases.at("model").at("big m") == "m");
  CHECK(file->aliases.at("model").at("m-large") == "m");
  CHECK(file->aliases.at("model").at("toy") == "toy-moe");
  CHECK(file->aliases.at("hardware").at("b 200") == "b200");
  const auto alias = [](std::string_view members) {
    return faults(with_top(fmt::format(R"("aliases":{})", members)));
  };
  CHECK(alias("5") == "/aliases: must be an object");
  CHECK(alias(R"({"modell":{}})") ==
        "/aliases/modell: must be model, hardware, precision or framework");
  CHECK(alias(R"({"model":5})") == "/aliases/model: must be an object");
  CHECK(alias(R"({"model":{"n":["x"]}})") == "/aliases/model/n: no entry has this model");
  CHECK(alias(R"({"model":{"m":"x"}})") ==
        "/aliases/model/m: must be an array with at least one element");
  CHECK(alias(R"({"model":{"m":["x",7]}})") ==
        "/aliases/model/m/1: must be a text of 1 to 100 ASCII characters");
  CHECK(alias(R"({"model":{"m":["x\u0007"]}})") ==
        "/aliases/model/m/0: must be a text of 1 to 100 ASCII characters");
  CHECK(alias(R"({"model":{"m":["toy-moe"]}})") ==
        "/aliases/model/m/0: is a model of the catalog itself");
  CHECK(alias(R"({"model":{"m":["x"],"toy-moe":["X"]}})") ==
        "/aliases/model/toy-moe/0: already stands for m");
}

TEST_CASE("display names are texts") {
  const auto file = read(with_top(R"("display_names":{"m":"Modèle M"})"));
  REQUIRE(file.has_value());
  CHECK(file->display_names.at("m") == "Modèle M");
  CHECK(faults(with_top(R"("display_names":{"m/1":5})")) ==
        "/display_names/m~11: must be a text of 1 to 100 bytes");
  // A name from the file can not break the line it is reported in.
  CHECK(faults(with_top(R"("display_names":{"a\nb":5})")) ==
        "/display_names/a?b: must be a text of 1 to 100 bytes");
}

TEST_CASE("the first twenty faults are named, the rest counted") {
  std::string rows;
  for (int index = 0; index < 25; ++index) rows += index == 0 ? "7" : ",7";
  const std::string text = faults(fmt::format(R"({{"format":1,"configs":[{}]}})", rows));
  std::string expected;
  for (int index = 0; index < 20; ++index) {
    expected += fmt::format("/configs/{}: must be an object\n", index);
  }
  CHECK(text == expected + "and 5 more");
}
