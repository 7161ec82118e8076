#include "analysis/reading/json/trace_scanner.h"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <cstdint>
#include <random>
#include <string>
#include <string_view>
#include <vector>

using namespace stepscope::analysis;

namespace {

// Writes down what the scanner hands on.
class Listing : public RawEventSink {
 public:
  bool on_event(const RawEvent& event) override {
    lines.push_back(fmt::format("{} {}", event.byte, event.text));
    return event.text.find("refuse") == std::string_view::npos;
  }
  void on_other_element() override { lines.emplace_back("other"); }
  bool wants(std::string_view key) override { return key == "wanted"; }
  void on_value(std::string_view key, std::string_view text) override {
    lines.push_back(fmt::format("{}={}", key, text));
  }
  void on_damage(std::uint64_t byte, std::string_view reason, bool event_lost) override {
    lines.push_back(fmt::format("{} at {}: {}", event_lost ? "lost" : "damage", byte, reason));
  }

  std::vector<std::string> lines;
};

struct Scanned {
  std::vector<std::string> lines;
  bool complete = false;
  bool saw_events = false;

  bool operator==(const Scanned&) const = default;
};

Scanned scan(std::string_view text, std::size_t block_bytes = 1U << 18) {
  Listing listing;
  TraceScanner scanner(listing);
  for (std::size_t at = 0; at < text.size(); at += block_bytes) {
    scanner.feed(text.substr(at, block_bytes));
  }
  scanner.finish();
  CHECK(scanner.text_bytes() == text.size());
  return {listing.lines, scanner.complete(), scanner.saw_events()};
}

using Lines = std::vector<std::string>;

}  // namespace

TEST_CASE("an object with events, whatever stands before and behind them") {
  Scanned s =
      scan(R"({"a": {"b": [1, "}"]}, "wanted": [{"c": 1}], "traceEvents": [{"ph": 1}, {"ph": 2}],)"
           R"( "wanted": "late", "z": 1} )");
  CHECK(s.lines ==
        Lines{"wanted=[{\"c\": 1}]", "61 {\"ph\": 1}", "72 {\"ph\": 2}", "wanted=\"late\""});
  CHECK(s.complete);
  CHECK(s.saw_events);
}

TEST_CASE("a bare array, closed or not, also with stray commas") {
  CHECK(scan("[{\"a\":1}]").lines == Lines{"1 {\"a\":1}"});
  CHECK(scan("[{\"a\":1}]").complete);
  CHECK(scan("[,{\"a\":1}").lines == Lines{"2 {\"a\":1}"});
  CHECK(scan("[{\"a\":1},\n").complete);
  CHECK_FALSE(scan("[{\"a\":1},{\"b\"").complete);
  CHECK(scan("\xEF\xBB\xBF\r\n[\r\n{\"a\":\r\n1}\r\n]\r\n").lines == Lines{"8 {\"a\":\r\n1}"});
}

TEST_CASE("an object whose array or braces do not close is cut") {
  CHECK_FALSE(scan("{\"traceEvents\": [{\"a\":1},").complete);
  CHECK_FALSE(scan("{\"traceEvents\": [{\"a\":1}]").complete);
  CHECK_FALSE(scan("{\"traceEvents\": [{\"a\":1}], \"b\": 1").complete);
  CHECK_FALSE(scan("{\"traceEv").complete);
  CHECK_FALSE(scan("{\"traceEv").saw_events);
  CHECK(scan("{\"traceEvents\": {\"a\": 1}}").complete);
  CHECK_FALSE(scan("{\"traceEvents\": {\"a\": 1}}").saw_events);
}

TEST_CASE("elements that are no objects are counted") {
  CHECK(scan("[1, \"x\", null, [2, []], {}]").lines ==
        Lines{"other", "other", "other", "other", "24 {}"});
}

TEST_CASE("braces, quotes and commas in strings are no structure") {
  const std::string event =
      R"({"name": "void f<{lambda(int)#1}>, [x] \" \\\" }, {", "args": {"x": {"y": "}"}}})";
  CHECK(scan("[" + event + "," + event + "]").lines ==
        Lines{"1 " + event, fmt::format("{} {}", event.size() + 2, event)});
}

TEST_CASE("objects in lists are legal, though rare") {
  const std::string event = R"({"args": {"list": [{"a": 1}, {"b": [{}]}]}})";
  CHECK(scan("[" + event + "]").lines == Lines{"1 " + event});
}

TEST_CASE("a fault costs one event and says where it is") {
  // The sum is made of an event in front of and one behind the bad one.
  auto with = [](std::string_view bad) {
    return scan(fmt::format("[{{\"ph\":1}},{},{{\"ph\":3}}]", bad));
  };
  auto expected = [](std::string_view damage, std::size_t bad_bytes) {
    return Lines{"1 {\"ph\":1}", std::string(damage),
                 fmt::format("{} {{\"ph\":3}}", 11 + bad_bytes)};
  };
  std::string_view bad = R"({"ph":2,"name":"a\decode"})";
  CHECK(with(bad).lines == expected("lost at 28: illegal escape in a string", bad.size()));
  bad = R"({"ph":2,"name":"say "hi" now"})";
  CHECK(with(bad).lines ==
        expected("lost at 31: text behind a closing quote (unescaped quotes in a string?)",
                 bad.size()));
  bad = R"({"ph":2,"name":"odd"quote"})";
  CHECK(with(bad).lines ==
        expected("lost at 30: text behind a closing quote (unescaped quotes in a string?)",
                 bad.size()));
  bad = R"({"ph":2,"args":{"a":1})";  // a brace is missing
  CHECK(with(bad).lines == expected("lost at 33: a name in quotes was expected", bad.size()));
  bad = R"({"ph":2,"name":"no end})";  // a quote is missing: it hides the next event's first one
  CHECK(with(bad).lines ==
        expected("lost at 36: text behind a closing quote (unescaped quotes in a string?)",
                 bad.size()));
  bad = R"({"ph":2,"x":oops"})";
  CHECK(with(bad).lines == expected("lost at 22: a word that is no JSON value", bad.size()));
  CHECK(with("{\"ph\":2}}").lines == Lines{"1 {\"ph\":1}", "10 {\"ph\":2}",
                                           "damage at 18: a closing brace between events",
                                           "20 {\"ph\":3}"});
  CHECK(with("junk").lines == expected("damage at 10: text between events", 4));
  CHECK(with("{\"ph\":2} {\"ph\":2}").lines == Lines{"1 {\"ph\":1}", "10 {\"ph\":2}",
                                                     "damage at 19: no comma between events",
                                                     "19 {\"ph\":2}", "28 {\"ph\":3}"});
  CHECK(with(bad).complete);
}

TEST_CASE("control characters and invalid UTF-8 cost nothing and are told") {
  CHECK(scan("[{\"n\":\"a\x01\xFF\"}]").lines ==
        Lines{"damage at 8: raw control character in a string", "1 {\"n\":\"a\x01\xFF\"}"});
  CHECK(scan("[{\"n\":\"a\xFF\"}]").lines ==
        Lines{"damage at 8: invalid UTF-8 in a string", "1 {\"n\":\"a\xFF\"}"});
  CHECK(scan("[{\"n\":\"\xC3\xA9\"}]").lines == Lines{"1 {\"n\":\"\xC3\xA9\"}"});
}

TEST_CASE("damage in the last event does not hide the end of the array") {
  const std::string broken = R"({"traceEvents": [{"ph":1},{"name":"a"b"}],)";
  Scanned s = scan(broken + R"( "traceName": "x", "wanted": 7})");
  CHECK(s.lines.back() == "wanted=7");
  CHECK(s.complete);
  CHECK(scan(R"({"traceEvents": [{"ph":1},{"name":"a"b"}]})").complete);
  CHECK_FALSE(scan(R"({"traceEvents": [{"ph":1},{"name":"a"b",)").complete);
}

TEST_CASE("damage outside of the events does not hide them") {
  Scanned s = scan(R"({"bad": "a"b", "traceEvents" : [{"ph":1}]})");
  CHECK(s.lines == Lines{"damage at 11: a name in quotes was expected", "32 {\"ph\":1}"});
  s = scan(R"({"bad": [1}, "traceEvents":[{"ph":1}]})");
  CHECK(s.lines == Lines{"damage at 10: a bracket that does not match", "28 {\"ph\":1}"});
  s = scan("[{\"ph\":1}] trailing");
  CHECK(s.lines == Lines{"1 {\"ph\":1}", "damage at 11: text behind the end of the trace"});
  CHECK(scan(std::string("[{\"ph\":1}]\n\0\0\0", 14)).lines == Lines{"1 {\"ph\":1}"});
}

TEST_CASE("an event that the sink can not read is reported") {
  CHECK(scan("[{\"refuse\":1},{\"ph\":2}]").lines ==
        Lines{"1 {\"refuse\":1}", "lost at 1: an event that can not be read", "14 {\"ph\":2}"});
}

TEST_CASE("an event has a limit") {
  std::string text = "[{\"x\":\"" + std::string(TraceScanner::kEventBytesMax + (1U << 20), 'a') +
                     "\"}," + std::string(1000, ' ') + "{\"ph\":2}]";
  Scanned s = scan(text);
  REQUIRE(s.lines.size() == 2);
  REQUIRE(s.lines[0].size() < 100);
  CHECK(s.lines[0] == "lost at 1: an event longer than 16 MiB");
  CHECK(s.lines[1] == fmt::format("{} {{\"ph\":2}}", text.size() - 9));
}

TEST_CASE("deep nesting is refused, not followed") {
  std::string deep = "{\"ph\":1,\"a\":";
  for (int i = 0; i < 200; ++i) deep += "{\"a\":";
  Scanned s = scan("[" + deep + "1" + std::string(201, '}') + ",{\"ph\":2}]");
  CHECK(s.lines.front().find("nested deeper than 128 levels") != std::string::npos);
  CHECK(s.lines.back().ends_with(" {\"ph\":2}"));
}

TEST_CASE("blocks of every size give the same") {
  std::string text = "\xEF\xBB\xBF{\"schemaVersion\": 1, \"wanted\": {\"n\": \"\\u00e9\"}, ";
  text += "\"traceEvents\": [\n";
  for (int i = 0; i < 12; ++i) {
    text += fmt::format(
        "  {{\n    \"ph\": \"X\", \"cat\": \"kernel\", \"name\": \"k{} \\\\ {{}} \\\"q\\\"\",\n"
        "    \"args\": {{\"stream\": {}, \"grid\": [1, 2, 3]}}\n  }},\n",
        std::string(static_cast<std::size_t>(i) * 7, 'x'), i);
  }
  text += "{\"ph\":\"X\",\"name\":\"bad\\escape\"},\n{\"ph\":\"X\",\"name\":\"raw \x02\"},\n";
  text += "null, [1, {\"a\": 2}], {\"name\":\"say \"hi\"\", \"ts\": 1},\n{\"ph\":\"f\"}],";
  text += "\"wanted\": 2, \"traceName\": \"x\"}\n";
  Scanned whole = scan(text);
  CHECK(whole.complete);
  CHECK(whole.lines.size() == 21);
  for (std::size_t size = 1; size <= 64; ++size) {
    CAPTURE(size);
    REQUIRE(scan(text, size) == whole);
  }
  for (std::size_t size : {65U, 100U, 127U, 128U, 255U, 1000U, 1024U}) {
    CAPTURE(size);
    REQUIRE(scan(text, size) == whole);
  }
}

TEST_CASE("whatever is broken, blocks of every size give the same") {
  const std::string good =
      "{\"wanted\": [1, {\"a\": \"b\"}], \"traceEvents\": [\n  {\n    \"ph\": \"X\", \"name\": "
      "\"k \\\"1\\\" {}\", \"args\": {\"grid\": [1, 2], \"x\": {\"y\": null}}\n  },\n  {\"ph\": "
      "\"f\"}, "
      "7,\n{\"name\": \"second\", \"ts\": 1.5e3}],\"traceName\": \"n\", \"wanted\": true}\n";
  std::mt19937 random(7);
  const std::string_view odd = "\"\\{}[],: \nx1\x01\xFF";
  for (int round = 0; round < 3000; ++round) {
    std::string text = good;
    for (unsigned changes = 1 + random() % 3; changes > 0; --changes) {
      std::size_t at = random() % text.size();
      char c = odd[random() % odd.size()];
      switch (random() % 3) {
        case 0:
          text[at] = c;
          break;
        case 1:
          text.insert(at, 1, c);
          break;
        default:
          text.erase(at, 1 + random() % 4);
          break;
      }
    }
    CAPTURE(text);
    Scanned whole = scan(text);
    REQUIRE(scan(text, 1) == whole);
    REQUIRE(scan(text, 3 + random() % 100) == whole);
  }
}

TEST_CASE("text cut at any byte is scanned without a fault of ours, and says that it is cut") {
  const std::string text =
      R"({"wanted": [1], "traceEvents": [{"ph":"X","name":"a\"b"}, {"ph":"X"}], "z": {"a": 1}})";
  for (std::size_t cut = 0; cut < text.size(); ++cut) {
    CAPTURE(cut);
    Scanned s = scan(text.substr(0, cut));
    CHECK_FALSE(s.complete);
    CHECK(s.lines.size() <= 3);
  }
  CHECK(scan(text).complete);
}

TEST_CASE("a bracket too many, or one in the wrong place, does not cost the events behind it") {
  const Scanned bare =
      scan("[]\n \"ph\": \"X\", \"name\": \"a\"},\n{\"ph\":\"b\"},\n{\"ph\":\"c\"}]");
  CHECK(bare.lines == Lines{"damage at 4: text behind the end of the trace", "29 {\"ph\":\"b\"}",
                            "41 {\"ph\":\"c\"}"});
  CHECK(bare.complete);
  const Scanned object = scan(R"({"traceEvents":[{"ph":1}],{"ph":2}],"traceName":"n"})");
  CHECK(object.lines ==
        Lines{"16 {\"ph\":1}", "damage at 26: a name in quotes was expected", "26 {\"ph\":2}"});
  CHECK(object.complete);
  // What follows a whole trace and holds no event takes nothing from it.
  const Scanned tail = scan(R"({"traceEvents":[{"ph":1}]} and more)");
  CHECK(tail.lines == Lines{"16 {\"ph\":1}", "damage at 27: text behind the end of the trace"});
  CHECK(tail.complete);
}

TEST_CASE("a bracket that opens between events costs none of them") {
  const std::string why = ": an object where none belongs";
  const Scanned s = scan(R"({"traceEvents":[{"ph":1},[ {"ph":2},{"ph":3}]})");
  CHECK(s.lines == Lines{"16 {\"ph\":1}", "lost at 27" + why, "27 {\"ph\":2}", "36 {\"ph\":3}"});
  CHECK(s.complete);
  const Scanned late =
      scan(R"({"traceEvents":["x", [[3, "{", {"ph":1},{"ph":2}], "traceName": "x"})");
  CHECK(late.lines == Lines{"other", "lost at 31" + why, "31 {\"ph\":1}", "40 {\"ph\":2}"});
  CHECK(late.complete);
  // Lists of other things are elements of their own.
  CHECK(scan("[[1,2],[\"a\",[]]]").lines == Lines{"other", "other"});
  const std::string text = "[{\"ph\":1}, [" + std::string(300, ' ') + "{\"ph\":2}]]";
  for (const std::size_t size : {1, 63, 400}) CHECK(scan(text, size) == scan(text));
}

TEST_CASE("events taken for the values of one that never ends are found again") {
  const Scanned s =
      scan(R"({"traceEvents":[{"ph":1,"args":{"grid":[1,{"ph":2},{"ph":3}],"traceName":"x"})");
  CHECK(s.lines ==
        Lines{"lost at 16: an event that does not end", "42 {\"ph\":2}", "51 {\"ph\":3}"});
  CHECK(s.complete);
  const Scanned cut = scan(R"([{"ph":1},{"ph":2,"args":{"grid":[1)");
  CHECK(cut.lines == Lines{"1 {\"ph\":1}"});
  CHECK_FALSE(cut.complete);
}

TEST_CASE("events behind the first 16 MiB of one that never ends are found") {
  std::string text = R"([{"ph":0,"args":[)";
  const std::size_t first = text.size();
  text += R"({"ph":1},")" + std::string(TraceScanner::kEventBytesMax, 'x') + "\",";
  const std::size_t second = text.size();
  text += R"({"ph":2})";
  CHECK(scan(text).lines == Lines{"lost at 1: an event longer than 16 MiB",
                                  fmt::format("{} {{\"ph\":1}}", first), "other",
                                  fmt::format("{} {{\"ph\":2}}", second)});
}

TEST_CASE("limits count from the first byte, whatever is in memory, and so do looks back") {
  const std::string name(TraceScanner::kKeyBytesMax, 'x');
  const std::string blanks(5000, ' ');
  for (const std::string& text : {"{\"" + name + R"(":1,"traceEvents":[{"ph":1}]})",
                                  "{\"a\"" + blanks + R"(:1,"traceEvents":[{"ph":1}]})",
                                  R"({"a":tru, "traceEvents":)" + blanks + R"([{"ph":1}]})",
                                  R"([{"a" 1,"args":)" + blanks.substr(0, 300) + R"({"ph":1}}])",
                                  std::string("[[2:\n{\"ph\":1},{\"ph\":2}]")}) {
    CAPTURE(text.substr(0, 40));
    const Scanned whole = scan(text);
    for (const std::size_t size : {1, 7, 64, 1000}) CHECK(scan(text, size) == whole);
  }
}
