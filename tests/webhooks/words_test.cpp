#include "webhooks/words.h"

#include <doctest/doctest.h>

#include "tests/webhooks/small_catalog.h"

using namespace stepscope::webhooks;
using stepscope::tests::small_catalog;

namespace {

std::string value_of(const Vocabulary& words, std::string_view spelling) {
  const Word* word = words.find(spelling);
  return word == nullptr ? "" : word->value;
}

}  // namespace

TEST_CASE("catalog words, their aliases, hyphens and plurals") {
  const Vocabulary words(small_catalog());
  CHECK(value_of(words, "dsr1") == "dsr1");
  CHECK(value_of(words, "deepseek-r1") == "dsr1");
  CHECK(value_of(words, "deepseekv4pro") == "dsv4");
  CHECK(value_of(words, "B200s") == "b200");
  CHECK(value_of(words, "nvfp4") == "fp4");
  CHECK(value_of(words, "mi300") == "mi300x");
  CHECK(value_of(words, "toy moe") == "toy-moe");
  CHECK(value_of(words, "cpu") == "cpu");
  CHECK(value_of(words, "deepseek").empty() == false);
  CHECK(words.find("deepseek")->family);
  CHECK_FALSE(words.find("dsr1")->family);
  CHECK(value_of(words, "fp4s").empty());  // only hardware has a plural
  CHECK(value_of(words, "a100").empty());
  CHECK(value_of(words, "").empty());
}

TEST_CASE("keys match as a whole, weights by their published name") {
  const Vocabulary words(small_catalog());
  REQUIRE(words.find_key("dsr1-fp4-b200-sglang") != nullptr);
  CHECK(words.find_key("dsr1-fp4-b200-sglang")->field == Field::key);
  CHECK(words.find_key("dsr1fp4b200sglang") == nullptr);
  REQUIRE(words.find_weights("deepseek-ai/deepseek-r1-0528") != nullptr);
  CHECK(words.find_weights("deepseek-r1-0528")->value == "dsr1");
  CHECK(words.find_weights("deepseek-r1-0529") == nullptr);
}

TEST_CASE("groups of hardware") {
  const Vocabulary words(small_catalog());
  CHECK(words.find("blackwell")->group);
  CHECK(Vocabulary::group("hopper").size() == 2);
  CHECK(Vocabulary::group("b200").empty());
}

TEST_CASE("number words") {
  CHECK(number_word("zero") == 0);
  CHECK(number_word("four") == 4);
  CHECK(number_word("nineteen") == 19);
  CHECK(number_word("sixty") == 60);
  CHECK(number_word("sixty-four") == 64);
  CHECK(number_word("single") == 1);
  CHECK_FALSE(number_word("fourth").has_value());
  CHECK_FALSE(number_word("4").has_value());
}

TEST_CASE("shapes of names that no catalog has") {
  for (const char* word : {"a100", "mi250x", "rtx4090", "h800", "gh200", "l40s", "tpu", "gaudi3"}) {
    CHECK_MESSAGE(looks_like_hardware(word), word);
  }
  for (const char* word : {"a", "b2", "c4", "h264encoderx", "abc", "p99", "", "70b"}) {
    CHECK_FALSE_MESSAGE(looks_like_hardware(word), word);
  }
  CHECK(looks_like_precision("fp16"));
  CHECK(looks_like_precision("w4a8"));
  CHECK_FALSE(looks_like_precision("fp"));
  CHECK_FALSE(looks_like_precision("print"));
  CHECK(looks_like_framework("dynamo-foo"));
  CHECK(looks_like_framework("tgi"));
  CHECK_FALSE(looks_like_framework("dynamic"));
  for (const char* word : {"llama", "llama-3.1-70b", "meta/llama-3", "../../etc/passwd", "/etc",
                           "foo-7b", "qwen3-235b"}) {
    CHECK_MESSAGE(looks_like_model(word), word);
  }
  for (const char* word : {"this", "compute-comms", "llamas", "prefill", "8k1k"}) {
    CHECK_FALSE_MESSAGE(looks_like_model(word), word);
  }
  for (const char* word : {"v3", "2.5", "70b", "7b-instruct"}) {
    CHECK_MESSAGE(looks_like_version(word), word);
  }
  for (const char* word : {"4", "fp4", "vllm", "", "b"}) {
    CHECK_FALSE_MESSAGE(looks_like_version(word), word);
  }
}

TEST_CASE("fillers") {
  CHECK(is_filler("please"));
  CHECK_FALSE(is_filler("mixtral"));
}
