#include "analysis/reading/json/event_scan.h"

#include <doctest/doctest.h>

#include <string>
#include <string_view>
#include <vector>

using namespace stepscope::analysis;
using Outcome = EventScan::Outcome;

namespace {

struct Scanned {
  Outcome outcome = Outcome::more;
  std::size_t end = 0;
  bool escapes = false;
  std::string_view inner;
};

// `front` bytes stand before the event, so that groups of 64 bytes fall on other places of it.
Scanned scan(std::string_view event, std::size_t front = 0) {
  std::string text = std::string(front, '#') + std::string(event);
  std::size_t size = text.size();
  text.append(64, ' ');
  EventScan scan;
  scan.begin(front, false);
  Scanned result;
  result.outcome = scan.advance(text.data(), size, true);
  if (result.outcome == Outcome::done) {
    result.end = scan.end() - front;
    if (scan.inner_begin() != 0) {
      result.inner =
          event.substr(scan.inner_begin() - front, scan.inner_end() - scan.inner_begin());
    }
  }
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
    scan.begin(0, false);
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
  scan.begin(5, false);
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

TEST_CASE("the first object inside of an event is found, whatever stands in it") {
  CHECK(scan(R"({"a": 1})").inner.empty());
  CHECK(scan(R"({"a": {"b": {}, "c": "}"}, "d": {"e": 1}})").inner == R"({"b": {}, "c": "}"})");
  for (std::size_t length = 0; length < 1200; length += 37) {
    CAPTURE(length);
    const std::string inner = R"({"x": ")" + std::string(length, 'x') + R"(", "y": {}})";
    CHECK(scan(R"({"args":)" + inner + R"(,"n":1})", length % 64).inner == inner);
  }
}

TEST_CASE("events one behind the other are those that each would be alone") {
  std::string text;
  std::vector<std::size_t> begins;
  for (std::size_t i = 0; i < 60; ++i) {
    begins.push_back(text.size());
    text += R"({"name": ")" + std::string(i * 7, 'x') + (i % 5 == 0 ? R"(\n)" : "") +
            R"(", "args": {"i": )" + std::to_string(i) + "}}";
    text += std::string(i % 3, ' ') + "," + std::string(i % 70, '\n');
  }
  const std::size_t size = text.size();
  text.append(64, ' ');
  EventScan scan_of_all;
  for (std::size_t i = 0; i < begins.size(); ++i) {
    CAPTURE(i);
    scan_of_all.begin(begins[i], i > 0);
    REQUIRE(scan_of_all.advance(text.data(), size, true) == Outcome::done);
    const std::string_view event = std::string_view(text).substr(begins[i]);
    const Scanned alone = scan(event.substr(0, scan_of_all.end() - begins[i]));
    CHECK(alone.outcome == Outcome::done);
    CHECK(alone.end == scan_of_all.end() - begins[i]);
    CHECK(scan_of_all.escapes() == (i % 5 == 0));
    CHECK(text.substr(scan_of_all.inner_begin(),
                      scan_of_all.inner_end() - scan_of_all.inner_begin()) == alone.inner);
  }
}

TEST_CASE("an odd place is that of the event it stands in") {
  const std::string text = R"({"a": 1}, {"b": "\q"}, {"c": 2})" + std::string(64, ' ');
  EventScan scan_of_all;
  scan_of_all.begin(0, false);
  CHECK(scan_of_all.advance(text.data(), text.size(), false) == Outcome::done);
  CHECK(scan_of_all.end() == 8);
  CHECK_FALSE(scan_of_all.escapes());
  scan_of_all.begin(10, true);
  CHECK(scan_of_all.advance(text.data(), text.size(), false) == Outcome::odd);
  scan_of_all.begin(23, false);
  CHECK(scan_of_all.advance(text.data(), text.size(), false) == Outcome::done);
  CHECK(scan_of_all.end() == 31);
  CHECK_FALSE(scan_of_all.escapes());
}
