#include "analysis/reading/json/json_text.h"

#include <doctest/doctest.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

using namespace stepscope::analysis;

namespace {

std::string decode(std::string_view raw) {
  std::string out;
  append_decoded(raw, out);
  return out;
}

using Pairs = std::vector<std::pair<std::string, std::string>>;

// Keys and texts of an object, as far as the cursor comes; `failed` says whether it gave up.
Pairs pairs_of(std::string_view text, bool& failed) {
  JsonCursor cursor(text, true);
  Pairs pairs;
  std::string_view key;
  cursor.enter_object();
  while (cursor.next_key(key)) pairs.emplace_back(key, cursor.value().text);
  failed = cursor.failed() || !cursor.at_end();
  return pairs;
}

}  // namespace

TEST_CASE("escapes are resolved") {
  CHECK(decode("plain {lambda()#1}") == "plain {lambda()#1}");
  CHECK(decode(R"(a\"b\\c\/d\n\t\b\f\r)") == "a\"b\\c/d\n\t\b\f\r");
  CHECK(decode(R"(k\u0065rnel)") == "kernel");
  CHECK(decode(R"(\u00e9\u20AC)") == "\xC3\xA9\xE2\x82\xAC");
  CHECK(decode(R"(\ud83d\ude00)") == "\xF0\x9F\x98\x80");
}

TEST_CASE("what is no valid text is replaced, and the rest stays") {
  const std::string mark = "\xEF\xBF\xBD";
  CHECK(decode(R"(a\ud83dz)") == "a" + mark + "z");  // half of a surrogate pair
  CHECK(decode(R"(a\ud83d\u0041)") == "a" + mark + "A");
  CHECK(decode(R"(a\uZZ)") == "a" + mark + "ZZ");
  CHECK(decode("a\xFF\xFE"
               "b") == "a" + mark + mark + "b");
  CHECK(decode("a\x01"
               "b") == "a" + mark + "b");
  CHECK(decode("\xC3\xA9") == "\xC3\xA9");
  CHECK(decode("\xC0\xAF") == mark + mark);                        // overlong
  CHECK(decode("\xED\xA0\x80") == mark + mark + mark);             // a surrogate
  CHECK(decode("\xF4\x90\x80\x80") == mark + mark + mark + mark);  // beyond U+10FFFF
  CHECK(decode("a\xE2\x82") == "a" + mark + mark);                 // cut
  CHECK(decode("a\\") == "a");
  // A backslash that escapes nothing goes; what it stood before is text like any other.
  CHECK(decode(R"(a\decode)") == "adecode");
  CHECK(decode("\\\xC3\xA9") == "\xC3\xA9");
  CHECK(decode("\\\xEF\x80") == mark + mark);
  CHECK(decode("\\\x01") == mark);
}

TEST_CASE("the cursor gives keys and values in order, nested ones whole") {
  bool failed = false;
  Pairs pairs =
      pairs_of(R"( { "a" : 1.5e3 , "b":"x\"y", "c": {"d": [1, "}"]}, "e": [], "f": null})", failed);
  CHECK_FALSE(failed);
  CHECK(pairs == Pairs{{"a", "1.5e3"},
                       {"b", R"(x\"y)"},
                       {"c", R"({"d": [1, "}"]})"},
                       {"e", "[]"},
                       {"f", "null"}});
  CHECK(pairs_of("{}", failed).empty());
  CHECK_FALSE(failed);
}

TEST_CASE("the cursor goes into an object and comes back to the one around it") {
  JsonCursor cursor(R"({"args": {"x": 1}, "empty": {}, "z": 2})", false);
  std::string_view key;
  REQUIRE(cursor.enter_object());
  REQUIRE(cursor.next_key(key));
  REQUIRE(cursor.enter_object());
  REQUIRE(cursor.next_key(key));
  CHECK(cursor.value().text == "1");
  CHECK_FALSE(cursor.next_key(key));
  REQUIRE(cursor.next_key(key));
  CHECK(key == "empty");
  REQUIRE(cursor.enter_object());
  CHECK_FALSE(cursor.next_key(key));
  REQUIRE(cursor.next_key(key));
  CHECK(key == "z");
  CHECK(cursor.value().kind == JsonValue::Kind::scalar);
  CHECK_FALSE(cursor.next_key(key));
  CHECK_FALSE(cursor.failed());
  CHECK(cursor.at_end());
}

TEST_CASE("the cursor refuses what is no JSON object") {
  for (std::string_view text :
       {"{", "{\"a\"", "{\"a\":", "{\"a\": }", "{\"a\": 1", "{\"a\": 1 \"b\": 2}", "{\"a\": 1,}",
        "{a: 1}", "{\"a\": \"x}", "{\"a\": [1}", "{\"a\": @}", "{\"a\" 1}", "{\"a\": 1} x"}) {
    CAPTURE(text);
    bool failed = false;
    pairs_of(text, failed);
    CHECK(failed);
  }
}
