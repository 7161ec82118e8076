#include "analysis/reading/json/event_scan.h"

#include <doctest/doctest.h>

#include <string>
#include <string_view>

using namespace stepscope::analysis;
using Outcome = EventScan::Outcome;

namespace {

struct Scanned {
  Outcome outcome = Outcome::more;
  std::size_t end = 0;
  bool escapes = false;
};

// `front` bytes stand before the event, so that groups of 64 bytes fall on other places of it.
Scanned scan(std::string_view event, std::size_t front = 0) {
  std::string text = std::string(front, '#') + std::string(event);
  std::size_t size = text.size();
  text.append(64, ' ');
  EventScan scan;
  scan.begin(front);
  Scanned result;
  result.outcome = scan.advance(text.data(), size, true);
  if (result.outcome == Outcome::done) result.end = scan.end() - front;
  result.escapes = scan.escapes();
  return result;
}

}  // namespace

TEST_CASE("an event ends at its own closing brace, wherever the groups of 64 bytes fall") {
  for (std::size_t length = 0; length < 200; ++length) {
    CAPTURE(length);
    std::string event = R"({"name": ")" + std::string(length, 'x') +
                        R"( } { \" \\", "args": {"a": {}, "b": [1, "}"]}, "c" : "" })";
    Scanned s = scan(event + R"(, {"ph": 1})", length % 7);
    CHECK(s.outcome == Outcome::done);
    CHECK(s.end == event.size());
    CHECK(s.escapes);
  }
  CHECK(scan("{}").end == 2);
  CHECK_FALSE(scan(R"({"a": 1})").escapes);
}

TEST_CASE("an event that goes on needs more text, and is continued where it stopped") {
  std::string event = R"({"name": ")" + std::string(500, 'x') + R"(", "args": {"a": "b"}})";
  std::string text = event + std::string(64, ' ');
  for (std::size_t size = 1; size <= event.size(); ++size) {
    EventScan scan;
    scan.begin(0);
    Outcome first = scan.advance(text.data(), size, false);
    // Without the end of the text only whole groups are looked at.
    CHECK(first == Outcome::more);
    CHECK(scan.advance(text.data(), event.size(), true) == Outcome::done);
    CHECK(scan.end() == event.size());
  }
}

TEST_CASE("text may move between two calls") {
  std::string event = R"({"name": ")" + std::string(200, 'x') + "\"}";
  std::string text = "front" + event + std::string(64, ' ');
  EventScan scan;
  scan.begin(5);
  CHECK(scan.advance(text.data(), 5 + 128, false) == Outcome::more);
  scan.shift(5);
  CHECK(scan.advance(text.data() + 5, event.size(), true) == Outcome::done);
  CHECK(scan.end() == event.size());
}

TEST_CASE("what looks odd is left to the strict walk") {
  for (std::string_view event :
       {R"({"a": "say "hi""})", R"({"a": "x"y})", R"({"a": x"y"})", "{\"a\": \"\xC3\xA9\"}",
        "{\"a\": \"\n\"}", R"({"a": "\x"})", R"({"a": "\u0041"})", R"({"a": \ 1})",
        R"({"a": 1, {"b": 2}})", R"({"a": [{"b": 2}]})"}) {
    CAPTURE(event);
    for (std::size_t front = 0; front < 64; ++front) {
      // Blanks behind the name move the odd place over the seams of groups.
      std::string padded(event);
      padded.insert(5, std::string(front, ' '));
      CHECK(scan(padded, front).outcome == Outcome::odd);
    }
  }
}
