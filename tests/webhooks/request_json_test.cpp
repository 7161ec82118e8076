#include "webhooks/request_json.h"

#include <doctest/doctest.h>

#include <string>

#include "tests/webhooks/small_catalog.h"

using namespace stepscope;
using namespace stepscope::webhooks;
using tests::small_catalog;

namespace {

const RequestReader& reader() {
  static const RequestReader the_reader(small_catalog(), "stepscope");
  return the_reader;
}

std::string line(std::string_view context, std::string_view text) {
  return request_line(context, text, reader()).value_or("error");
}

}  // namespace

TEST_CASE("keys are sorted, nothing is spaced, absent members are left out") {
  Command command;
  CHECK(canonical_json(command) == R"({"v":"help"})");
  command.verb = Verb::refuse;
  command.refusal = {"conc_not_available", {{"conc", std::int64_t{5}}}, {"key"}, {4, 8}};
  CHECK(canonical_json(command) == R"({"asked":{"conc":5},"nearest":["key"],"nearest_conc":[4,8],)"
                                   R"("reason":"conc_not_available","v":"refuse"})");
  command.refusal = {"bad_value", {{"conc", "\xFF\"x"}}, {}, {}};
  CHECK(canonical_json(command) ==
        "{\"asked\":{\"conc\":\"\xEF\xBF\xBD\\\"x\"},\"nearest\":[],"
        "\"reason\":\"bad_value\",\"v\":\"refuse\"}");
}

TEST_CASE("a stored command is read back as it was") {
  for (const char* text :
       {"profile dsr1 fp4 b200 conc 4 with idle", "profile dsr1 fp4 on b200 and h200; rm -rf /",
        "profile dsr1 b200 conc 5", "profile dsr1 b200 and paste the log", "profile dsr1 fp4",
        "profile dsr1 b200 tp 2 with dp attention", "compare dsr1 on b200 vs h200", "help",
        "status", "cancel 57", "rerun 57, 5 steps on another runner", "list runs b200",
        "compare #1 and #2", "analyze run 23, decode phase",
        "analyze https://github.com/a/b.json.gz", "analyze file:///x"}) {
    const std::string json = canonical_json(reader().read_text(text));
    const auto command = command_from_json(json);
    REQUIRE_MESSAGE(command.has_value(), json);
    CHECK(canonical_json(*command) == json);
  }
  Command ignored;
  ignored.verb = Verb::ignore;
  ignored.reason = "quoted";
  CHECK(canonical_json(*command_from_json(canonical_json(ignored))) == canonical_json(ignored));
}

TEST_CASE("what is no command reads as nothing") {
  for (const char* text : {"", "{", "[]", "{}", R"({"v":"reboot"})", R"({"v":7})",
                           R"({"v":"refuse"})", R"({"v":"profile","jobs":[{}]})"}) {
    CHECK_FALSE_MESSAGE(command_from_json(text).has_value(), text);
  }
}

TEST_CASE("a line of stepscope request") {
  CHECK(line("{}", R"("@stepscope help")") == R"({"v":"help"})");
  CHECK(line(R"({"event":"issue_comment.edited"})", R"("@stepscope help")") ==
        R"({"reason":"edited","v":"ignore"})");
  CHECK(line(R"({"event":"issues.opened"})", R"("Title\n\n@stepscope help")") == R"({"v":"help"})");
  CHECK(line(R"({"event":"issues.closed"})", R"("@stepscope help")") ==
        R"({"reason":"event_not_handled","v":"ignore"})");
  CHECK(line(R"({"sender_type":"Bot"})", R"("@stepscope help")") ==
        R"({"reason":"bot_author","v":"ignore"})");
  CHECK(line(R"({"author_association":"NONE"})", R"("@stepscope help")") ==
        R"({"nearest":[],"reason":"not_authorized","v":"refuse"})");
  CHECK(line(R"({"author_association":"NONE"})", R"("hello")") ==
        R"({"reason":"not_a_mention","v":"ignore"})");
}

TEST_CASE("columns that are no JSON are an error") {
  CHECK(request_line("", R"("x")", reader()).error() == "the context (column 1) is no JSON object");
  CHECK(request_line("{}", "x", reader()).error() == "the text (column 2) is no JSON string");
}
