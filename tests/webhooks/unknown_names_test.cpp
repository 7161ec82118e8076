#include "webhooks/unknown_names.h"

#include <doctest/doctest.h>

#include <string>

using namespace stepscope::webhooks;

namespace {

// `verb` is the token of the verb; words from `used_from` on are used by fields.
std::string model(std::string_view text, std::size_t used_from = 99, std::size_t verb = 0) {
  const auto tokens = tokenize(text);
  std::vector<bool> used(tokens.size());
  for (std::size_t i = used_from; i < used.size(); ++i) used[i] = true;
  const auto item = unknown_model(text, tokens, {.first = 0, .last = tokens.size()}, used, verb);
  return item ? item->word : "";
}

std::string hardware(std::string_view text) {
  const auto tokens = tokenize(text);
  const auto item = unknown_hardware(tokens, {.first = 0, .last = tokens.size()},
                                     std::vector<bool>(tokens.size()));
  return item ? item->word : "";
}

}  // namespace

TEST_CASE("what stands behind the verb where a model should") {
  CHECK(model("profile Llama 70b fp8", 3) == "llama 70b");
  CHECK(model("profile a run of mixtral fp8", 5) == "mixtral");
  CHECK(model("profile ../../etc/passwd on b200", 3) == "../../etc/passwd");
  CHECK(model("profile foo on b200", 3) == "foo");
}

TEST_CASE("what looks like a model elsewhere") {
  CHECK(model("with the new llama 70b", 99, 5) == "llama 70b");
  CHECK(model("fp8 qwen3-235b", 99, 2) == "qwen3-235b");
}

TEST_CASE("small talk is no model") {
  CHECK(model("profile this please").empty());
  CHECK(model("profile the kernels on b200", 4).empty());
  CHECK(model("profile").empty());
  CHECK(model("profile our new model on b200", 5).empty());
  CHECK(model("profile slowly").empty());
}

TEST_CASE("a name that is quoted back has an end") {
  CHECK(model("profile " + std::string(100'000, 'a') + "1 x").size() == 80);
}

TEST_CASE("hardware behind on") {
  CHECK(hardware("profile on xyz9") == "xyz9");
  CHECK(hardware("on the nvidia foo1") == "foo1");
  CHECK(hardware("on my desk").empty());
  CHECK(hardware("on").empty());
}
