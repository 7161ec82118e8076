#include "webhooks/intake.h"

#include <doctest/doctest.h>

#include <string>

#include "tests/db/fixtures.h"
#include "tests/webhooks/small_catalog.h"
#include "webhooks/comment.h"
#include "webhooks/request_json.h"

using namespace stepscope;
using namespace stepscope::webhooks;
using tests::small_catalog;

namespace {

constexpr std::string_view kOwn = "stepscope-app[bot]";

const RequestReader& reader() {
  static const RequestReader the_reader(small_catalog(), "stepscope");
  return the_reader;
}

Event comment(std::string body) {
  Event event;
  event.name = "issue_comment";
  event.action = "created";
  event.repository = "o/r";
  event.repository_id = 77;
  event.issue_number = 12;
  event.comment_id = 9001;
  event.body = std::move(body);
  event.html_url = "https://github.com/o/r/issues/12#issuecomment-9001";
  event.author = "ada";
  event.author_type = "User";
  event.sender = "ada";
  event.sender_type = "User";
  event.installation_id = 5;
  return event;
}

Accepted take(const Event& event, WriteAccess access = WriteAccess::granted) {
  const IntakeDecision decision = decide(event, access, reader(), kOwn, "8f3a", 1000);
  REQUIRE(std::holds_alternative<Accepted>(decision));
  return std::get<Accepted>(decision);
}

std::string ignored(const Event& event) {
  const IntakeDecision decision = decide(event, WriteAccess::granted, reader(), kOwn, "8f3a", 1000);
  const auto* reason = std::get_if<Ignored>(&decision);
  CHECK(reason_to_ignore(event, reader(), kOwn) == (reason == nullptr ? "" : reason->reason));
  return reason == nullptr ? "" : reason->reason;
}

}  // namespace

TEST_CASE("a request becomes a row with all that its reply needs") {
  const Accepted accepted = take(comment("@stepscope profile dsr1 fp4 b200 conc 4"));
  const db::Request& request = accepted.request;
  CHECK(request.source == "github");
  CHECK(request.marker == "8f3a");
  CHECK(request.repository == "o/r");
  CHECK(request.repository_id == 77);
  CHECK(request.issue_number == 12);
  CHECK(request.comment_id == 9001);
  CHECK(request.comment_url == "https://github.com/o/r/issues/12#issuecomment-9001");
  CHECK(request.author == "ada");
  CHECK(request.installation_id == 5);
  CHECK(request.text == "@stepscope profile dsr1 fp4 b200 conc 4");
  CHECK(request.verb == "profile");
  CHECK(request.received_ms == 1000);
  CHECK(request.understood.starts_with(R"({"ask":["report"],"jobs":[{"assumed")"));
  CHECK(accepted.action == "created");
  REQUIRE(accepted.configs.size() == 1);
  CHECK(accepted.configs[0].key == "dsr1-fp4-b200-sglang");
}

TEST_CASE("whatever speaks to us is answered") {
  CHECK(take(comment("@stepscope profile dsr1 fp4 h200")).request.verb == "refuse");
  CHECK(take(comment("@stepscope profile dsr1")).request.verb == "clarify");
  CHECK(take(comment("@stepscope")).request.verb == "help");
  // Understood, but not obeyed yet.
  const Accepted status = take(comment("@stepscope status 57"));
  CHECK(status.request.verb == "help");
  CHECK(status.request.understood == R"({"target":57,"v":"status"})");
  CHECK(status.configs.empty());
}

TEST_CASE("without the right to write nothing runs") {
  const Accepted denied =
      take(comment("@stepscope profile dsr1 fp4 b200 conc 4"), WriteAccess::denied);
  CHECK(denied.request.verb == "refuse");
  CHECK(denied.request.understood == R"({"nearest":[],"reason":"not_authorized","v":"refuse"})");
  CHECK(denied.configs.empty());
}

TEST_CASE("what is not for us, not new or not of a person is ignored") {
  CHECK(ignored(comment("hello")) == "not_a_mention");
  CHECK(ignored(comment("> @stepscope help")) == "quoted");
  Event event = comment("@stepscope help");
  CHECK(ignored(event).empty());
  event.action = "edited";
  CHECK(ignored(event) == "edited");
  event = comment("@stepscope help");
  event.author_type = "Bot";
  CHECK(ignored(event) == "bot_author");
  event = comment(comment_marker("77") + "\n@stepscope help");
  event.author = "StepScope-App[bot]";
  CHECK(ignored(event) == "own_account");
  // A person whose token the daemon signs in with still may ask.
  event.body = "@stepscope help";
  CHECK(ignored(event).empty());
}

TEST_CASE("texts of the API and the command line") {
  const Accepted accepted =
      accept_text("api", "profile toy-moe fp32 on cpu conc 4", reader(), "77", 5);
  CHECK(accepted.request.source == "api");
  CHECK(accepted.request.verb == "profile");
  REQUIRE(accepted.configs.size() == 1);
  CHECK(accepted.configs[0].recipe == "toy-moe");
  CHECK(accept_text("cli", "hello", reader(), "77", 5).configs.empty());
}

TEST_CASE("when too many runs wait, a request is answered and starts none") {
  tests::TestDatabase database;
  db::Jobs jobs(*database);
  const Accepted two = take(comment("@stepscope profile dsr1 fp4 b200 conc 4 and 8"));
  REQUIRE(two.configs.size() == 2);
  CHECK(has_room(jobs, two, 2));
  CHECK_FALSE(has_room(jobs, two, 1));
  CHECK(has_room(jobs, take(comment("@stepscope help")), 0));
  const Accepted refused = refused_for_room(two);
  CHECK(refused.request.verb == "refuse");
  CHECK(refused.request.comment_id == two.request.comment_id);
  CHECK(command_from_json(refused.request.understood)->refusal.reason == "queue_full");
  const db::Enqueued stored = store(jobs, refused, 1000);
  CHECK(stored.job_ids.empty());
  // The same comment again finds its refusal, also when there is room by now.
  CHECK(store(jobs, two, 2000).request_id == stored.request_id);
}

TEST_CASE("a second delivery of the same comment changes nothing") {
  tests::TestDatabase database;
  db::Jobs jobs(*database);
  const Accepted accepted = take(comment("@stepscope profile dsr1 fp4 b200 conc 4 and 8"));
  const db::Enqueued first = store(jobs, accepted, 1000);
  CHECK_FALSE(first.already_known);
  CHECK(first.job_ids.size() == 2);
  const db::Enqueued second = store(jobs, accepted, 2000);
  CHECK(second.already_known);
  CHECK(second.request_id == first.request_id);
  CHECK(jobs.of_request(first.request_id).size() == 2);
}
