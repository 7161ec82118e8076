#include "analysis/reading/json/json_walker.h"

#include <doctest/doctest.h>

#include <string>
#include <string_view>

using namespace stepscope::analysis;
using Outcome = JsonWalker::Outcome;

namespace {

struct Walked {
  Outcome outcome = Outcome::more;
  std::size_t pos = 0;
  std::string reason;
  std::uint64_t offset = 0;
};

Walked walk(std::string_view text) {
  JsonWalker walker;
  Walked w;
  w.outcome = walker.walk(text, w.pos);
  if (w.outcome == Outcome::broken) {
    w.reason = walker.fault().reason;
    w.offset = walker.fault().offset;
  } else if (walker.blemish()) {
    w.reason = walker.blemish()->reason;
    w.offset = walker.blemish()->offset;
  }
  return w;
}

}  // namespace

TEST_CASE("a value ends where its text ends") {
  CHECK(walk("{} x").pos == 2);
  CHECK(walk(R"({"a": [1, -2.5e3, "x\u00e9\n", null, true], "b": {}},)").pos == 53 - 1);
  CHECK(walk("[[], {}]").pos == 8);
  CHECK(walk("\"a}b\",").pos == 5);
  CHECK(walk("12, ").pos == 2);  // a number ends at what is no part of it
  CHECK(walk("[NaN, -Infinity, nan, -inf]").outcome == Outcome::done);
  CHECK(walk("  {}").outcome == Outcome::done);
}

TEST_CASE("a value that goes on needs more text, wherever it is cut") {
  const std::string text = R"({"a": [1, "x\u00e9)"
                           "\xC3\xA9"
                           R"(", null], "b": {"c": -1.5}})";
  for (std::size_t cut = 0; cut <= text.size(); ++cut) {
    CAPTURE(cut);
    JsonWalker walker;
    std::size_t pos = 0;
    Outcome first = walker.walk(text.substr(0, cut), pos);
    CHECK(first == (cut == text.size() ? Outcome::done : Outcome::more));
    CHECK(pos == cut);
    if (first == Outcome::more) CHECK(walker.walk(text, pos) == Outcome::done);
    CHECK(pos == text.size());
    CHECK_FALSE(walker.blemish().has_value());
  }
}

TEST_CASE("the first fault is named with its place") {
  Walked w = walk(R"({"n": "a\decode"})");
  CHECK(w.outcome == Outcome::broken);
  CHECK(w.reason == "illegal escape in a string");
  CHECK(w.offset == 9);
  w = walk(R"({"n": "a"b"})");
  CHECK(w.reason == "text behind a closing quote (unescaped quotes in a string?)");
  CHECK(w.offset == 9);
  w = walk(R"({"n": "\u12G4"})");
  CHECK(w.reason == "illegal \\u escape in a string");
  CHECK(w.offset == 11);
  w = walk(R"({"n": 1, {"m": 2}})");
  CHECK(w.reason == "a name in quotes was expected");
  CHECK(w.offset == 9);
  w = walk(R"({"n": [1}})");
  CHECK(w.reason == "a bracket that does not match");
  CHECK(w.offset == 8);
  w = walk(R"({"n": bad})");
  CHECK(w.reason == "a word that is no JSON value");
  CHECK(w.offset == 6);
  CHECK(walk(R"({"n": ,})").reason == "a value was expected");
  CHECK(walk(R"({"n": 1 2})").reason == "a comma or a closing bracket was expected");
  CHECK(walk(R"({"n": trueeeeeeeeeeeeeeeeeeee})").outcome == Outcome::broken);
}

TEST_CASE("control characters and invalid UTF-8 are told, and do not end the walk") {
  Walked w = walk("{\"n\": \"a\x01\xFF\"}");
  CHECK(w.outcome == Outcome::done);
  CHECK(w.reason == "raw control character in a string");
  CHECK(w.offset == 8);
  w = walk("[\"ab\xFF\xFE\"]");
  CHECK(w.outcome == Outcome::done);
  CHECK(w.reason == "invalid UTF-8 in a string");
  CHECK(w.offset == 4);
  w = walk("[\"ab\xE2\x82\"]");  // a sequence that the closing quote cuts
  CHECK(w.outcome == Outcome::done);
  CHECK(w.offset == 4);
}

TEST_CASE("nesting has a limit") {
  CHECK(walk(std::string(JsonWalker::kDepthMax, '[')).outcome == Outcome::more);
  Walked w = walk(std::string(JsonWalker::kDepthMax + 1, '['));
  CHECK(w.reason == "nested deeper than 128 levels");
  CHECK(w.offset == JsonWalker::kDepthMax);
}

TEST_CASE("objects may be unwelcome") {
  JsonWalker walker;
  walker.reset(false);
  std::size_t pos = 0;
  CHECK(walker.walk("[1, \"{\", [2]] ", pos) == JsonWalker::Outcome::done);
  walker.reset(false);
  pos = 0;
  CHECK(walker.walk("[1, [{}]]", pos) == JsonWalker::Outcome::broken);
  CHECK(pos == 5);
  CHECK(walker.fault().reason == "an object where none belongs");
  walker.reset();
  pos = 0;
  CHECK(walker.walk("[1, [{}]]", pos) == JsonWalker::Outcome::done);
}
