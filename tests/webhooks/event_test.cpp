#include "webhooks/event.h"

#include <doctest/doctest.h>

#include <string>

using stepscope::webhooks::Event;
using stepscope::webhooks::ignored_because;
using stepscope::webhooks::read_event;

namespace {

const std::string kComment = R"({
  "action": "created",
  "issue": {"number": 12, "locked": true, "pull_request": {}},
  "comment": {"id": 900000000001, "body": "@stepscope help\r\n",
    "html_url": "https://github.com/o/r/issues/12#issuecomment-900000000001",
    "created_at": "2026-03-01T10:00:00Z", "author_association": "NONE",
    "user": {"login": "ada", "type": "User"}},
  "repository": {"id": 77, "full_name": "o/r", "archived": false},
  "installation": {"id": 5},
  "sender": {"login": "ada", "type": "User"}
})";

Event comment_event() {
  const auto event = read_event("issue_comment", "guid-1", kComment);
  REQUIRE(event.has_value());
  return *event;
}

}  // namespace

TEST_CASE("a comment's event holds what the payload says") {
  const Event event = comment_event();
  CHECK(event.name == "issue_comment");
  CHECK(event.delivery == "guid-1");
  CHECK(event.action == "created");
  CHECK(event.repository == "o/r");
  CHECK(event.repository_id == 77);
  CHECK_FALSE(event.archived);
  CHECK(event.issue_number == 12);
  CHECK(event.locked);
  CHECK(event.comment_id == 900000000001);
  CHECK(event.body == "@stepscope help\r\n");
  CHECK(event.html_url == "https://github.com/o/r/issues/12#issuecomment-900000000001");
  CHECK(event.created_at == "2026-03-01T10:00:00Z");
  CHECK(event.author == "ada");
  CHECK(event.author_type == "User");
  CHECK(event.association == "NONE");
  CHECK(event.sender == "ada");
  CHECK(event.sender_type == "User");
  CHECK(event.installation_id == 5);
  CHECK(ignored_because(event).empty());
}

TEST_CASE("absent optional fields read as their defaults") {
  const auto event = read_event("issue_comment", "", R"({"action":"created","issue":{"number":1},
      "comment":{"id":2,"user":{"login":"ada"}},"repository":{"id":3,"full_name":"o/r"}})");
  REQUIRE(event.has_value());
  CHECK(event->body.empty());
  CHECK(event->installation_id == 0);
  CHECK_FALSE(event->locked);
  CHECK(event->author_type.empty());
}

TEST_CASE("a body that is no JSON or lacks what is needed is an error that says so") {
  CHECK(read_event("issue_comment", "", "payload=%7B%7D").error() ==
        "the body is not JSON: set the hook's content type to application/json");
  CHECK(read_event("issue_comment", "", "[1]").error() == "the body is JSON but not an object");
  CHECK(read_event("ping", "", "").has_value() == false);
  CHECK(read_event("issue_comment", "", "{}").error() ==
        "issue_comment: action is missing or of a wrong type");
  CHECK(read_event("issue_comment", "", R"({"action":"created","repository":"o/r"})").error() ==
        "issue_comment: repository.full_name is missing or of a wrong type");
  CHECK(read_event("issue_comment", "", R"({"action":"created","issue":{"number":"1"},
          "repository":{"id":3,"full_name":"o/r"}})")
            .error() == "issue_comment: issue.number is missing or of a wrong type");
}

TEST_CASE("only a new comment of a person acts") {
  Event event = comment_event();
  event.action = "edited";
  CHECK(ignored_because(event) == "edited");
  event.action = "deleted";
  CHECK(ignored_because(event) == "deleted");
  event.action = "pinned";
  CHECK(ignored_because(event) == "event_not_handled");

  event = comment_event();
  event.author_type = "Bot";
  CHECK(ignored_because(event) == "bot_author");
  event = comment_event();
  event.sender_type = "Bot";
  CHECK(ignored_because(event) == "bot_author");
  event = comment_event();
  event.archived = true;
  CHECK(ignored_because(event) == "archived");

  const auto ping = read_event("ping", "g", R"({"zen":"Keep it logically awesome."})");
  REQUIRE(ping.has_value());
  CHECK(ignored_because(*ping) == "ping");
  const auto issue = read_event("issues", "g", R"({"action":"opened"})");
  REQUIRE(issue.has_value());
  CHECK(issue->action == "opened");
  CHECK(ignored_because(*issue) == "event_not_handled");
}
