#include "webhooks/markdown_regions.h"

#include <doctest/doctest.h>

#include <string>

using stepscope::webhooks::markdown_regions;
using stepscope::webhooks::Region;
using stepscope::webhooks::with_plain_line_ends;

namespace {

// One letter a byte: . live, s span, b block, q quoted, c comment; line ends stay.
std::string map_of(std::string_view text) {
  std::string map;
  const auto regions = markdown_regions(text);
  REQUIRE(regions.size() == text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    constexpr std::string_view kLetters = ".sbqc";
    map += text[i] == '\n' ? '\n' : kLetters[static_cast<std::size_t>(regions[i])];
  }
  return map;
}

}  // namespace

TEST_CASE("plain text is live") { CHECK(map_of("ab\n\ncd") == "..\n\n.."); }

TEST_CASE("a code span ends at the next run of as many backticks") {
  CHECK(map_of("a `b` c") == "..sss..");
  CHECK(map_of("``a`b`` c") == "sssssss..");
  CHECK(map_of("a `b c") == "......");          // never closed: a plain backtick
  CHECK(map_of("`a\nb` c") == "ss\nss..");      // goes over a line end
  CHECK(map_of("`a\n\nb` c") == "..\n\n....");  // not over a blank line
}

TEST_CASE("fences of backticks and tildes hold blocks") {
  CHECK(map_of("a\n```\nb\n```\nc") == ".\nbbb\nb\nbbb\n.");
  CHECK(map_of("~~~ text\nb\n~~~\nc") == "bbbbbbbb\nb\nbbb\n.");
  CHECK(map_of("````\n```\n````\nc") == "bbbb\nbbb\nbbbb\n.");  // a shorter fence closes nothing
  CHECK(map_of("```\nnever closed") == "bbb\nbbbbbbbbbbbb");
  CHECK(map_of("```a`\nb") ==
        "..."
        ".."
        "\n.");  // a backtick behind it: no fence
}

TEST_CASE("indented code needs a blank line before it and no list around it") {
  CHECK(map_of("a\n\n    b\nc") == ".\n\nbbbbb\n.");
  CHECK(map_of("a\n\tb") == ".\n..");
  CHECK(map_of("    b") == "bbbbb");
  CHECK(map_of("- a\n\n    b") == "...\n\n.....");
}

TEST_CASE("quoted lines") {
  CHECK(map_of("> a\nb\n > c") == "qqq\n.\nqqqq");
  CHECK(map_of("a > b") == ".....");
}

TEST_CASE("HTML comments, over blank lines when they begin a line") {
  CHECK(map_of("a <!-- b --> c") == "..cccccccccc..");
  CHECK(map_of("<!-- a\n\nb -->\nc") == "cccccc\n\nccccc\n.");
  CHECK(map_of("<!-- a") == "cccccc");
  CHECK(map_of("a <!-- b") == "........");              // never closed, inside a paragraph
  CHECK(map_of("`<!--` a `-->`") == "ssssss...sssss");  // code first
}

TEST_CASE("line ends of every kind become LF, control characters become blanks") {
  CHECK(with_plain_line_ends("a\r\nb\rc\n") == "a\nb\nc\n");
  CHECK(with_plain_line_ends(std::string("a\0b\x01"
                                         "c\x7f\td",
                                         8)) == "a b c \td");
}

TEST_CASE("a megabyte of openers is read once") {
  std::string text;
  for (int i = 0; i < 250'000; ++i) text += i % 2 == 0 ? "<!--" : "`` `";
  CHECK(markdown_regions(text).size() == text.size());
}
