#include "webhooks/ask.h"

#include <doctest/doctest.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <string>

using namespace stepscope::webhooks;

namespace {

std::string asks(std::string_view text) {
  const auto tokens = tokenize(text);
  return fmt::format("{}", fmt::join(asks_in(tokens, std::vector<bool>(tokens.size())), " "));
}

bool more(std::string_view text) {
  const auto tokens = tokenize(text);
  return asks_for_more(tokens, std::vector<bool>(tokens.size()));
}

bool drops(std::string_view text) {
  const auto tokens = tokenize(text);
  return drops_text(tokens, {.first = 0, .last = tokens.size()}, std::vector<bool>(tokens.size()));
}

}  // namespace

TEST_CASE("words of the report's parts") {
  CHECK(asks("kernel by kernel, wall clock time & %, how long did MoE take") ==
        "kernels moe percent");
  CHECK(asks("attention vs MoE vs allreduce") == "attention comm moe");
  CHECK(asks("the all-reduce and all reduce") == "comm");
  CHECK(asks("per layer pattern, phases") == "layers phases");
  CHECK(asks("layers; idle time; gemm shapes; the bottleneck; the draft model") ==
        "bottleneck draft idle layers shapes");
  CHECK(asks("decode phase please").empty());
}

TEST_CASE("the narrower wish stands") {
  CHECK(asks("only attention kernels") == "attention");
  CHECK(asks("rank skew on the collectives") == "skew");
  CHECK(asks("the collectives") == "comm");
  CHECK(asks("compute-comms overlap") == "overlap");
}

TEST_CASE("tokens of fields are passed over") {
  const auto tokens = tokenize("toy-moe dp attention kernels");
  CHECK(asks_in(tokens, {true, true, true, false}) == std::vector<std::string>{"kernels"});
}

TEST_CASE("imperatives behind and, then, also that no report answers") {
  CHECK(more("profile it and paste the runner's environment in the reply"));
  CHECK(more("and write a repro script to microbenchmark each kernel"));
  CHECK(more("then please open a pull request"));
  CHECK_FALSE(more("and print the kernels"));
  CHECK_FALSE(more("then post the idle time in a table"));
  CHECK_FALSE(more("then help me analyze overlap"));
  CHECK_FALSE(more("print the kernels"));
  const auto tokens = tokenize("and run dsr1");
  CHECK_FALSE(asks_for_more(tokens, {false, false, true}));
}

TEST_CASE("text that a shell would read is seen, chatter is not") {
  for (const char* text : {"a; rm -rf / --no-preserve-root", "a && reboot", "a | sh", "a $(id)",
                           "a > /dev/null", "a ; reboot", "a \x01 b", "a \\x", "a$HOME", "a <b"}) {
    CHECK_MESSAGE(drops(text), text);
  }
  for (const char* text : {"step & dsr1", "for one step; idle time?", "a; thanks!", "b200 -> h200",
                           "what's the #1 thing (decode)?", "100 %", "a, b."}) {
    CHECK_FALSE_MESSAGE(drops(text), text);
  }
}
