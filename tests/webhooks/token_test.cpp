#include "webhooks/token.h"

#include <doctest/doctest.h>

#include <string>

using namespace stepscope::webhooks;

namespace {

// Words as they are, marks in <>, URLs in (), code as #, line ends as |; glued ones without a
// blank.
std::string shown(std::string_view text) {
  std::string result;
  for (const Token& token : tokenize(text)) {
    if (!result.empty() && !token.glued) result += ' ';
    switch (token.kind) {
      case Token::Kind::word:
        result += token.text;
        break;
      case Token::Kind::mark:
        result += "<" + token.text + ">";
        break;
      case Token::Kind::url:
        result += "(" + token.text + ")";
        break;
      case Token::Kind::code:
        result += "#";
        break;
      case Token::Kind::line_end:
        result += "|";
        break;
    }
  }
  return result;
}

std::size_t sentence_count(std::string_view text) { return sentences(tokenize(text)).size(); }

}  // namespace

TEST_CASE("words are lower case and keep what is inside them") {
  CHECK(shown("Profile DSR1-FP4 8k/1k qwen3.5.") == "profile dsr1-fp4 8k/1k qwen3.5<.>");
  CHECK(shown("conc=4, tp: 8") == "conc<=>4<,> tp<:> 8");
  CHECK(shown("conc=$(id)") == "conc<=><$><(>id<)>");
  CHECK(shown("conc -4 - x") == "conc -4 <-> x");
  CHECK(shown("_dsr1_ **fp4** 'b200'") == "dsr1 <*><*>fp4<*><*> b200");
  CHECK(shown("../../etc/passwd #41") == "../../etc/passwd <#>41");
  CHECK(shown("...") == "<.>");
}

TEST_CASE("step words are cut at hyphens") {
  CHECK(shown("5-step one-decode-step re-run") == "5 step one decode step re-run");
}

TEST_CASE("URLs stay as written and end before what closes a link") {
  CHECK(shown("[A](https://Host/Path.gz). x") == "<[>a<]><(>(https://Host/Path.gz)<)><.> x");
  CHECK(shown("file:///etc/passwd, y") == "(file:///etc/passwd)<,> y");
}

TEST_CASE("blanks and dashes beyond ASCII, removed code, line ends") {
  CHECK(shown("a\xC2\xA0"
              "b \xE2\x80\x94 c") == "a b <-> c");
  CHECK(shown("a \x01 b\n\nc") == "a # b| | c");
  CHECK(shown("ds\xE2\x80\x8Br1") == "ds\xE2\x80\x8Br1");  // an invisible joiner makes another word
}

TEST_CASE("sentences end at marks and lines, not inside words or behind abbreviations") {
  CHECK(sentence_count("a b. c? d") == 3);
  CHECK(sentence_count("qwen3.5 vs. dsr1 e.g. fp4") == 1);
  CHECK(sentence_count("a\nb") == 2);
  CHECK(sentence_count("\n \n") == 0);
  CHECK(sentence_count("") == 0);
  const auto found = sentences(tokenize("a.\n- b\n\nc"));
  REQUIRE(found.size() == 3);
  CHECK_FALSE(found[0].bullet);
  CHECK(found[1].bullet);
  CHECK_FALSE(found[1].new_paragraph);
  CHECK(found[2].new_paragraph);
}
