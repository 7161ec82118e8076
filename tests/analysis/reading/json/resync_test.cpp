#include "analysis/reading/json/resync.h"

#include <doctest/doctest.h>

#include <string>
#include <string_view>

using namespace stepscope::analysis;
using Kind = ResyncPoint::Kind;

TEST_CASE("an event starts at a brace that a known key follows") {
  const std::string_view text = R"(broken"x", "args": {"name": 1}}, { "ph" : "X"})";
  ResyncPoint point = find_resync(text, 0, true);
  CHECK(point.kind == Kind::event);
  CHECK(point.pos == text.find("{ \"ph\""));
}

TEST_CASE("values of events and unknown objects are no starts") {
  CHECK(find_resync(R"("args": {"name": 1})", 0, true).kind == Kind::none);
  CHECK(find_resync(R"(, {"mode": "eager"})", 0, true).kind == Kind::none);
  CHECK(find_resync(R"(, {"ph")", 0, true).kind == Kind::none);
  CHECK(find_resync(R"(, {\"ph\": 1})", 0, true).kind == Kind::none);
}

TEST_CASE("the array ends at a bracket that a known top-level name follows") {
  const std::string_view text = R"("a": 1}], "traceName": "x"})";
  ResyncPoint point = find_resync(text, 0, true);
  CHECK(point.kind == Kind::array_end);
  CHECK(point.pos == text.find(']'));
  CHECK(find_resync(R"("a": [{}], "b": 1})", 0, true).kind == Kind::none);
}

TEST_CASE("a place too near to the end of the text waits for more of it") {
  const std::string text = "xx, {\"ph\": ";
  ResyncPoint point = find_resync(text, 0, false);
  CHECK(point.kind == Kind::none);
  CHECK(point.pos == 4);
  CHECK(find_resync(text + std::string(kResyncContext, ' '), point.pos, false).kind == Kind::event);
  CHECK(find_resync("nothing here", 0, false).pos == 12);
}

TEST_CASE("a closed text ends with a bracket or a brace") {
  CHECK(ends_closed("...}]}\n"));
  CHECK(ends_closed("...}]"));
  CHECK_FALSE(ends_closed("...},\n"));
  CHECK_FALSE(ends_closed(""));
}
