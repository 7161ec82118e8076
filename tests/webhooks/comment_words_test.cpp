#include "webhooks/comment_words.h"

#include <doctest/doctest.h>

using namespace stepscope;
using namespace stepscope::webhooks;

TEST_CASE("durations") {
  CHECK(format_duration(-5) == "0.0 s");
  CHECK(format_duration(849) == "0.8 s");
  CHECK(format_duration(9'999) == "9.9 s");
  CHECK(format_duration(10'000) == "10 s");
  CHECK(format_duration(59'999) == "59 s");
  CHECK(format_duration(723'000) == "12 m 3 s");
  CHECK(format_duration(7'500'000) == "2 h 5 m");
}

TEST_CASE("the command that asks for a configuration") {
  db::RunConfig config;
  config.key = "dsr1-fp4-b200-sglang";
  config.conc = 4;
  config.isl = 8192;
  config.osl = 1024;
  config.tp = 4;
  CHECK(command_words(config) ==
        "profile dsr1-fp4-b200-sglang conc 4 isl 8192 osl 1024 tp 4 1 decode step");
  config.ep = 4;
  config.dp_attn = true;
  config.spec = "mtp";
  config.phase = "prefill";
  config.steps = 5;
  config.isl = 0;
  CHECK(command_words(config) ==
        "profile dsr1-fp4-b200-sglang conc 4 tp 4 ep 4 dp attention mtp 5 prefill steps");
  config.phase = "both";
  CHECK(command_words(config).ends_with(" mtp both 5 steps"));
}

TEST_CASE("what was assumed") {
  db::RunConfig config;
  CHECK(assumed_words(config).empty());
  config.assumed = {"conc", "framework", "seq_len"};
  CHECK(assumed_words(config) == "concurrency, framework, lengths");
}

TEST_CASE("how long no worker was seen goes in steps") {
  CHECK_FALSE(unseen_words(179'999));
  CHECK(unseen_words(180'000) == "3 minutes");
  CHECK(unseen_words(13 * 60'000) == "10 minutes");
  CHECK(unseen_words(60 * 60'000) == "1 hour");
  CHECK(unseen_words(1'000LL * 3'600'000) == "24 hours");
}

TEST_CASE("a text that fits is whole") {
  CHECK(cut_markdown("", 0) == "");
  CHECK(cut_markdown("abc", 3) == "abc");
}

TEST_CASE("a cut falls between blocks") {
  const std::string text =
      "one\n\n| a |\n| b |\n\n<details><summary>s</summary>\n\nin\n\n</details>\n\nend\n";
  const auto cut = [&](std::size_t bytes) { return std::string(cut_markdown(text, bytes)); };
  CHECK(cut(12) == "one\n\n");  // inside the table
  CHECK(cut(17) == "one\n\n");  // the blank line does not fit
  CHECK(cut(19) == "one\n\n| a |\n| b |\n\n");
  CHECK(cut(55) == "one\n\n| a |\n| b |\n\n");  // inside <details>
  CHECK(cut(text.size() - 2) == text.substr(0, text.size() - 4));
}

TEST_CASE("a cut never opens a code fence") {
  CHECK(cut_markdown("a\n```\nx\n\ny\n```\nb\n", 12) == "a\n");
}

TEST_CASE("without a block the line counts, without a line the character") {
  CHECK(cut_markdown("a\nb\nccccc", 6) == "a\nb\n");
  CHECK(cut_markdown("\xC3\xA4\xC3\xA4\xC3\xA4", 5) == "\xC3\xA4\xC3\xA4");
  CHECK(cut_markdown("abc", 0) == "");
}
