#pragma once
// The catalog that the tests of requests share: a few rows of every kind, written to a file and
// loaded as an operator's would be. Built once.

#include <fstream>
#include <stdexcept>
#include <string>

#include "db/catalog.h"
#include "tests/support/temp_folder.h"

namespace stepscope::tests {

// Per row: key, status, model, hardware, precision, framework, further members, scenarios.
inline std::string small_catalog_json() {
  const auto row = [](const std::string& key, const std::string& model, const std::string& hardware,
                      const std::string& precision, const std::string& framework,
                      const std::string& more, const std::string& scenarios) {
    return R"({"key":")" + key + R"(","model_prefix":")" + model + R"(","hardware":")" + hardware +
           R"(","precision":")" + precision + R"(","framework":")" + framework + "\"," + more +
           R"("scenarios":[)" + scenarios + "]}";
  };
  const auto fixed = [](const std::string& points) {
    return R"({"type":"fixed","isl":8192,"osl":1024,"search_space":[)" + points + "]}";
  };
  const std::string weights = R"("model":"deepseek-ai/DeepSeek-R1-0528",)";
  std::string rows;
  const auto add = [&rows](const std::string& text) { rows += (rows.empty() ? "" : ",\n") + text; };
  add(row("dsr1-fp4-b200-sglang", "dsr1", "b200", "fp4", "sglang", weights,
          fixed(R"({"tp":4,"conc":[4,8,16,32]},{"tp":4,"ep":4,"dp_attn":true,"conc":[64,128]})")));
  add(row("dsr1-fp4-b200-sglang-mtp", "dsr1", "b200", "fp4", "sglang", weights,
          fixed(R"({"tp":4,"conc":[4,8],"spec":"mtp"})")));
  add(row("dsr1-fp8-b200-sglang", "dsr1", "b200", "fp8", "sglang", weights,
          fixed(R"({"tp":8,"conc":[1,2,4]},{"tp":4,"conc":[4,8,16]})")));
  add(row("dsr1-fp8-h200-sglang", "dsr1", "h200", "fp8", "sglang", weights,
          fixed(R"({"tp":8,"conc":[4,8,16,64]})")));
  add(row("dsr1-fp4-b300-sglang", "dsr1", "b300", "fp4", "sglang", weights,
          fixed(R"({"tp":4,"ep":4,"conc":[4,8]})")));
  add(row("dsr1-fp4-b200-trt", "dsr1", "b200", "fp4", "trt", weights,
          fixed(R"({"tp":4,"conc":[4]})")));
  add(row("dsr1-fp8-gb200-dynamo-sglang", "dsr1", "gb200", "fp8", "dynamo-sglang",
          weights + R"("multinode":true,)", fixed(R"({"conc":[64]})")));
  add(row("dsv4-fp4-b200-vllm", "dsv4", "b200", "fp4", "vllm", "",
          fixed(R"({"tp":8,"conc":[4,8,128]})")));
  add(row("gptoss-fp4-b200-vllm", "gptoss", "b200", "fp4", "vllm", R"("status":"retired",)",
          fixed(R"({"tp":1,"conc":[4]})")));
  add(row("dsr1-fp4-b200-sglang", "dsr1", "b200", "fp4", "sglang", R"("status":"retired",)",
          R"({"type":"fixed","isl":1024,"osl":1024,"search_space":[{"tp":4,"conc":[4]}]})"));
  add(row("minimaxm3-fp4-b200-vllm-agentic", "minimaxm3", "b200", "fp4", "vllm", "",
          R"({"type":"agentic","search_space":[{"tp":4,"conc":[4]}]})"));
  return "{\"format\":1,\"configs\":[\n" + rows + "\n]}\n";
}

inline const db::Catalog& small_catalog() {
  static const db::Catalog catalog = [] {
    const TempFolder folder;
    const std::filesystem::path file = folder.path() / "catalog.json";
    std::ofstream(file) << small_catalog_json();
    auto loaded = db::Catalog::load(file);
    if (!loaded) throw std::runtime_error(loaded.error());
    return *loaded;
  }();
  return catalog;
}

}  // namespace stepscope::tests
