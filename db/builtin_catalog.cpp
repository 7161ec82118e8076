#include "db/builtin_catalog.h"

#include <array>

namespace stepscope::db {
namespace {

struct AliasRow {
  std::string_view field;
  std::string_view word;
  std::string_view spelling;
};

constexpr std::array kAliasRows = {
    AliasRow{"model", "dsr1", "deepseek"},
    AliasRow{"model", "dsr1", "deepseek r1"},
    AliasRow{"model", "dsr1", "deepseek-r1"},
    AliasRow{"model", "dsr1", "deepseek-r1-0528"},
    AliasRow{"model", "dsr1", "ds r1"},
    AliasRow{"model", "dsr1", "r1"},
    AliasRow{"model", "dsv4", "deepseek v4"},
    AliasRow{"model", "dsv4", "deepseek-v4"},
    AliasRow{"model", "dsv4", "deepseek v4 pro"},
    AliasRow{"model", "dsv4", "deepseek-v4-pro"},
    AliasRow{"model", "qwen3.5", "qwen"},
    AliasRow{"model", "qwen3.5", "qwen 3.5"},
    AliasRow{"model", "qwen3.5", "qwen3.5-397b-a17b"},
    AliasRow{"model", "minimaxm3", "m3"},
    AliasRow{"model", "minimaxm3", "minimax m3"},
    AliasRow{"model", "minimaxm3", "minimax-m3"},
    AliasRow{"model", "glm5.2", "glm 5.2"},
    AliasRow{"model", "glm5.2", "glm-5.2"},
    AliasRow{"model", "kimik3", "kimi k3"},
    AliasRow{"model", "kimik3", "kimi-k3"},
    AliasRow{"model", "kimik2.5", "kimi k2.5"},
    AliasRow{"model", "kimik2.5", "kimi-k2.5"},
    AliasRow{"model", "gptoss", "gpt-oss"},
    AliasRow{"model", "gptoss", "gpt-oss-120b"},
    AliasRow{"precision", "fp4", "nvfp4"},
    AliasRow{"precision", "fp4", "mxfp4"},
    AliasRow{"precision", "fp8", "mxfp8"},
    AliasRow{"hardware", "b200", "b200s"},
    AliasRow{"hardware", "b300", "b300s"},
    AliasRow{"hardware", "gb200", "gb200s"},
    AliasRow{"hardware", "gb300", "gb300s"},
    AliasRow{"hardware", "h100", "h100s"},
    AliasRow{"hardware", "h200", "h200s"},
    AliasRow{"hardware", "mi300x", "mi300"},
    AliasRow{"hardware", "mi325x", "mi325"},
    AliasRow{"hardware", "mi355x", "mi355"},
    AliasRow{"framework", "trt", "trtllm"},
    AliasRow{"framework", "trt", "trt-llm"},
    AliasRow{"framework", "trt", "tensorrt-llm"},
};

}  // namespace

std::vector<CatalogEntry> builtin_entries() {
  CatalogEntry toy;
  toy.key = "toy-moe-fp32-cpu-builtin";
  toy.status = "active";
  toy.model = "toy-moe";
  toy.model_name = "toy-moe (built-in mixture-of-experts decoder)";
  toy.hardware = "cpu";
  toy.precision = "fp32";
  toy.framework = "builtin";
  toy.recipe = "toy-moe";
  OperatingPoint point;
  point.conc = {1, 2, 4, 8, 16, 32};
  Scenario scenario;
  scenario.isl = 64;
  scenario.osl = 32;
  scenario.points.push_back(std::move(point));
  toy.scenarios.push_back(std::move(scenario));
  return {toy};
}

Aliases builtin_aliases() {
  Aliases aliases;
  for (const AliasRow& row : kAliasRows) {
    aliases[std::string(row.field)].emplace(row.spelling, row.word);
  }
  return aliases;
}

std::map<std::string, std::string, std::less<>> builtin_display_names() {
  return {{"dsr1", "DeepSeek-R1"},         {"dsv4", "DeepSeek-V4"},     {"qwen3.5", "Qwen3.5"},
          {"minimaxm2.5", "MiniMax-M2.5"}, {"minimaxm3", "MiniMax-M3"}, {"glm5", "GLM-5"},
          {"glm5.1", "GLM-5.1"},           {"glm5.2", "GLM-5.2"},       {"kimik2.5", "Kimi-K2.5"},
          {"kimik2.6", "Kimi-K2.6"},       {"kimik3", "Kimi-K3"},       {"gptoss", "gpt-oss-120b"}};
}

}  // namespace stepscope::db
