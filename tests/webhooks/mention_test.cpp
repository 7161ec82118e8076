#include "webhooks/mention.h"

#include <doctest/doctest.h>

#include <string>

using stepscope::webhooks::find_mentions;
using stepscope::webhooks::kRemovedCode;
using stepscope::webhooks::Mentions;

namespace {

std::string after(std::string_view text) {
  const Mentions mentions = find_mentions(text, "stepscope");
  return mentions.passages.size() == 1 ? mentions.passages[0].after : "?";
}

std::string reason(std::string_view text) { return find_mentions(text, "stepscope").reason; }

}  // namespace

TEST_CASE("a mention stands alone, in any case") {
  CHECK(after("@stepscope profile") == " profile");
  CHECK(after("hey @StepScope: profile") == ": profile");
  CHECK(after("(@stepscope) profile") == ") profile");
  CHECK(after("**@stepscope** profile") == "** profile");
  CHECK(after("thanks, @stepscope.") == ".");
  CHECK(after("\xF0\x9F\x91\x8D @stepscope go") == " go");
  CHECK(after("\xE8\xAF\xB7@stepscope go") == " go");  // CJK is written without blanks
}

TEST_CASE("a part of a word, an address or a longer name is no mention") {
  for (const std::string_view text : {"someone@stepscope.example",
                                      "x@stepscope",
                                      "@stepscopes",
                                      "@stepscope-bot",
                                      "@stepscope2",
                                      "@stepscope_x",
                                      "@stepscope/team",
                                      "@stepscope[bot]",
                                      "@stepscope.example",
                                      "@@stepscope",
                                      "https://host/@stepscope",
                                      "https://host/?q=(@stepscope)",
                                      "stepscope",
                                      "\\@stepscope",
                                      "&#64;stepscope",
                                      "@steps\xD1\x81ope" /* Cyrillic */,
                                      "@stepscop\xD0\xB5",
                                      "@stepscope\xD0\xB5",
                                      "@stepscope\xE2\x80\x8Bx" /* zero width */,
                                      "\xC3\xA9@stepscope",
                                      "\xEF\xBC\xA0stepscope" /* full-width @ */,
                                      ""}) {
    CAPTURE(text);
    CHECK(reason(text) == "not_a_mention");
  }
}

TEST_CASE("where a hidden mention was") {
  CHECK(reason("write `@stepscope help`") == "code_span");
  CHECK(reason("```\n@stepscope help\n```") == "code_block");
  CHECK(reason("a\n\n    @stepscope help") == "code_block");
  CHECK(reason("> @stepscope help") == "quoted");
  CHECK(reason("<!-- @stepscope help -->") == "html_comment");
  CHECK(reason("> @stepscope a\n\n`@stepscope b`") == "quoted");  // the first one
}

TEST_CASE("a live mention counts beside hidden ones") {
  CHECK(after("> @stepscope a\r\n\r\nbut: @stepscope b\r\nc") == " b\nc");
}

TEST_CASE("passages: the line before, all lines behind, up to the next mention's line") {
  const Mentions mentions =
      find_mentions("a\nb @stepscope c\nd\ne @stepscope f @stepscope g", "stepscope");
  REQUIRE(mentions.passages.size() == 3);
  CHECK(mentions.reason.empty());
  CHECK(mentions.passages[0].before == "b ");
  CHECK(mentions.passages[0].after == " c\nd\n");
  CHECK(mentions.passages[1].before == "e ");
  CHECK(mentions.passages[1].after == " f ");
  CHECK(mentions.passages[2].before.empty());
  CHECK(mentions.passages[2].after == " g");
}

TEST_CASE("hidden text is left out; a code span leaves a sign, which cannot be typed") {
  CHECK(after("@stepscope a `b` c") == std::string(" a ") + kRemovedCode + " c");
  CHECK(after("@stepscope a\n> b\nc") == " a\n \nc");
  CHECK(after("@stepscope a\x01z") == " a z");
}

TEST_CASE("no name, no mention") {
  CHECK(find_mentions("@ profile", "").passages.empty());
  CHECK(find_mentions("@", "stepscope").reason == "not_a_mention");
}

TEST_CASE("a megabyte of mentions is read once") {
  std::string text;
  for (int i = 0; i < 100'000; ++i) text += "@stepscope ";
  CHECK(find_mentions(text, "stepscope").passages.size() == 100'000);
}
