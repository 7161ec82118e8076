#include "server/webhook_route.h"

#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include "db/deliveries.h"
#include "db/jobs.h"
#include "db/outbox.h"
#include "runtime/crypto.h"
#include "tests/server/world.h"

using namespace stepscope;
using namespace stepscope::server;
using nlohmann::json;
using tests::FakeGitHub;
using tests::json_answer;

namespace {

constexpr std::string_view kSecret = "It's a Secret to Everybody";
constexpr std::string_view kProfile = "@stepscope profile toy-moe fp32 on cpu conc 4";
const std::string kAskPermission = "GET /repos/octo/repo/collaborators/alice/permission";

std::string signature_of(std::string_view body, std::string_view secret = kSecret) {
  return "sha256=" + runtime::hex(runtime::hmac_sha256(secret, body));
}

json comment_event(std::string_view text, std::int64_t comment_id = 31) {
  return {{"action", "created"},
          {"repository", {{"full_name", "octo/repo"}, {"id", 9}}},
          {"issue", {{"number", 7}}},
          {"comment",
           {{"id", comment_id},
            {"body", text},
            {"html_url", "https://github.com/octo/repo/issues/7#issuecomment-31"},
            {"created_at", "2026-11-30T12:03:44Z"},
            {"user", {{"login", "alice"}, {"type", "User"}}}}},
          {"sender", {{"login", "alice"}, {"type", "User"}}},
          {"installation", {{"id", 5}}}};
}

// A daemon that is connected to a GitHub inside this process; "alice" may write.
struct Hook : tests::World {
  Hook() {
    config.github.webhook_secrets = {std::string(kSecret), "the one before"};
    http.refusals["GET /user"] = json_answer(200, R"({"login":"stepscope-bot"})");
    http.refusals[kAskPermission] = json_answer(200, R"({"permission":"write"})");
    add_webhook_route(router, app, {client, permission, requests});
  }

  runtime::HttpResponse send(const std::string& body, runtime::Headers more = {},
                             std::string_view event = "issue_comment") {
    runtime::Headers headers = {{"Content-Type", "application/json"},
                                {"X-GitHub-Event", std::string(event)},
                                {"X-GitHub-Delivery", "guid-" + std::to_string(++deliveries)},
                                {"X-Hub-Signature-256", signature_of(body)}};
    for (auto& [name, value] : more) {
      headers.erase(name);
      headers.emplace(name, value);
    }
    return ask("POST", "/webhooks/github", headers, body);
  }
  runtime::HttpResponse comment(std::string_view text, std::int64_t comment_id = 31) {
    return send(comment_event(text, comment_id).dump());
  }
  std::int64_t count(std::string_view table) {
    auto rows = writer.prepare("SELECT count(*) FROM " + std::string(table));
    rows.step();
    return rows.integer(0);
  }
  std::string outcome_of(const std::string& guid) {
    auto row = writer.prepare("SELECT outcome FROM delivery WHERE guid = ?1");
    return row.bind(1, guid).step() ? row.text(0) : "";
  }

  FakeGitHub http;
  webhooks::GitHubHttp github{http, clock, {}};
  webhooks::GitHubAuth auth{github, clock, {.personal_token = "ghp_x"}};
  webhooks::GitHubClient client{github, auth};
  webhooks::Permission permission{client, clock};
  webhooks::RequestReader requests{catalog, "stepscope"};
  int deliveries = 0;
};

std::string code_of(const runtime::HttpResponse& answer) {
  return json::parse(answer.body)["error"]["code"];
}

}  // namespace

TEST_CASE("a mention by someone who may write becomes a run, a reply to write and 202") {
  Hook hook;
  const auto answer = hook.comment(kProfile);
  CHECK(answer.status == 202);
  CHECK(answer.body == "{\"outcome\":\"accepted\"}\n");
  db::Jobs jobs(hook.writer);
  const auto job = jobs.find(1);
  REQUIRE(job.has_value());
  CHECK(job->config.key == "toy-moe-fp32-cpu-builtin");
  const auto request = jobs.request(1);
  CHECK(request->source == "github");
  CHECK(request->repository == "octo/repo");
  CHECK(request->issue_number == 7);
  CHECK(request->comment_id == 31);
  CHECK(request->author == "alice");
  CHECK(request->installation_id == 5);
  CHECK(request->marker.size() == 32);
  CHECK(db::Outbox(hook.writer).next(hook.clock.now_ms()).has_value());
  CHECK(hook.jobs_queued == 1);
  CHECK(hook.replies_due == 1);
  CHECK(hook.outcome_of("guid-1") == "accepted");
}

TEST_CASE("the same comment again is known, whether delivered under the same GUID or another") {
  Hook hook;
  const std::string body = comment_event(kProfile).dump();
  CHECK(hook.send(body).body == "{\"outcome\":\"accepted\"}\n");
  const auto again = hook.send(body, {{"X-GitHub-Delivery", "guid-1"}});
  CHECK(again.status == 202);
  CHECK(again.body == "{\"outcome\":\"known\"}\n");
  CHECK(hook.send(body).body == "{\"outcome\":\"known\"}\n");
  CHECK(hook.count("request") == 1);
  CHECK(hook.count("job") == 1);
  // Who may write was asked once: the answer is remembered.
  CHECK(hook.http.count(kAskPermission) == 1);
  // Another comment with the same words is another request.
  CHECK(hook.comment(kProfile, 32).body == "{\"outcome\":\"accepted\"}\n");
  CHECK(hook.count("job") == 2);
}

TEST_CASE("without the right to write there is an answer and no run") {
  Hook hook;
  for (const char* permission : {R"({"permission":"read"})", R"({"permission":"none"})"}) {
    Hook own;
    own.http.refusals[kAskPermission] = json_answer(200, permission);
    CHECK(own.comment(kProfile).status == 202);
    CHECK(own.count("job") == 0);
    CHECK(db::Jobs(own.writer).request(1)->verb == "refuse");
    CHECK(own.replies_due == 1);
  }
  // Somebody whom GitHub does not know there: 404.
  hook.http.refusals.erase(kAskPermission);
  CHECK(hook.comment(kProfile).status == 202);
  CHECK(hook.count("job") == 0);
}

TEST_CASE("what is not for us is ignored without a word to GitHub, and recorded") {
  Hook hook;
  json by_bot = comment_event(kProfile);
  by_bot["comment"]["user"]["type"] = "Bot";
  json edited = comment_event(kProfile);
  edited["action"] = "edited";
  json archived = comment_event(kProfile);
  archived["repository"]["archived"] = true;
  const std::pair<std::string, std::string> cases[] = {
      {comment_event("no mention").dump(), "not_a_mention"},
      {comment_event("> @stepscope help").dump(), "quoted"},
      {comment_event("`@stepscope help`").dump(), "code_span"},
      {by_bot.dump(), "bot_author"},
      {edited.dump(), "edited"},
      {archived.dump(), "archived"},
  };
  for (const auto& [body, reason] : cases) {
    const auto answer = hook.send(body);
    CHECK(answer.status == 202);
    CHECK(answer.body == "{\"outcome\":\"ignored\",\"reason\":\"" + reason + "\"}\n");
    CHECK(hook.outcome_of("guid-" + std::to_string(hook.deliveries)) == "ignored: " + reason);
  }
  const auto other = hook.send(R"({"action":"created"})", {}, "sponsorship");
  CHECK(other.body == "{\"outcome\":\"ignored\",\"reason\":\"event_not_handled\"}\n");
  CHECK(hook.http.kinds.empty());
  CHECK(hook.count("request") == 0);
  CHECK(hook.jobs_queued == 0);
  CHECK(hook.replies_due == 0);
}

TEST_CASE("our own comments start nothing") {
  Hook hook;
  hook.http.refusals["GET /user"] = json_answer(200, R"({"login":"Alice"})");
  const std::string own = "<!-- stepscope:request=8f3a -->\n" + std::string(kProfile);
  CHECK(hook.comment(own).body == "{\"outcome\":\"ignored\",\"reason\":\"own_account\"}\n");
  CHECK(hook.count("request") == 0);
}

TEST_CASE("a ping is answered and leaves nothing behind") {
  Hook hook;
  const auto answer = hook.send(R"({"zen":"x","hook_id":1})", {}, "ping");
  CHECK(answer.status == 200);
  CHECK(answer.body == "{\"outcome\":\"pong\"}\n");
  CHECK(hook.count("delivery") == 0);
}

TEST_CASE("only JSON is read, and the answer says how to set that up") {
  Hook hook;
  for (const char* type :
       {"application/x-www-form-urlencoded", "text/json", "", "application/xml"}) {
    const auto answer = hook.send("payload=%7B%7D", {{"Content-Type", type}});
    CHECK(answer.status == 415);
    CHECK(code_of(answer) == "unsupported_media_type");
    CHECK(answer.body.contains("application/json"));
  }
  CHECK(hook.send(comment_event(kProfile).dump(),
                  {{"Content-Type", "application/json; charset=utf-8"}})
            .status == 202);
}

TEST_CASE("nothing is read that was not signed with one of the secrets") {
  Hook hook;
  const std::string body = comment_event(kProfile).dump();
  const auto with = [&](const std::string& signature) {
    return hook.send(body, {{"X-Hub-Signature-256", signature}});
  };
  CHECK(code_of(with("")) == "unsigned");
  const std::string good = signature_of(body);
  for (const std::string& bad :
       {"sha256=" + std::string(64, '0'), good.substr(7), good.substr(0, 70), good + "0",
        "sha1=" + good.substr(7), signature_of(body, "another secret"), signature_of(body, ""),
        signature_of(body + " "), std::string("sha256=")}) {
    INFO(bad);
    const auto answer = with(bad);
    CHECK(answer.status == 401);
    CHECK(code_of(answer) == "bad_signature");
  }
  CHECK(hook.count("delivery") == 0);
  CHECK(hook.http.kinds.empty());
  // While a secret is being changed the former one still counts.
  CHECK(with(signature_of(body, "the one before")).status == 202);
}

TEST_CASE("an unsigned body is not looked into, whatever it holds") {
  Hook hook;
  const runtime::Headers unsigned_json{{"X-Hub-Signature-256", "sha256=00"}};
  for (const std::string& body :
       {std::string(), std::string("{"), std::string(1 << 20, '['), std::string("\xFF\0", 2)}) {
    CHECK(hook.send(body, unsigned_json).status == 401);
  }
}

TEST_CASE("a signed body that is no event is refused in one line") {
  Hook hook;
  json no_id = comment_event(kProfile);
  no_id["comment"].erase("id");
  for (const std::string& body : {std::string(), std::string("{"), std::string("[]"),
                                  std::string("null"), std::string("{\"a\":\"\xFF\"}"),
                                  std::string(1 << 20, '['), std::string("{}"), no_id.dump()}) {
    INFO(body.substr(0, 40));
    const auto answer = hook.send(body);
    CHECK(answer.status == 400);
    CHECK(code_of(answer) == "bad_event");
  }
  CHECK(hook.send(no_id.dump()).body.contains("issue_comment: comment.id is missing"));
  CHECK(hook.count("delivery") == 0);
}

TEST_CASE("while GitHub does not say who may write, the delivery fails so that it comes again") {
  Hook hook;
  const std::string body = comment_event(kProfile).dump();
  for (const int status : {500, 502, 403, 429}) {
    hook.http.refusals[kAskPermission] = json_answer(status, R"({"message":"x"})");
    const auto answer = hook.send(body);
    CHECK(answer.status == 503);
    CHECK(code_of(answer) == "github_unavailable");
  }
  hook.http.faults[hook.http.kinds.size()] = FakeGitHub::Fault::lost_before;
  CHECK(hook.send(body).status == 503);
  CHECK(hook.count("request") == 0);
  CHECK(hook.count("delivery") == 0);
  CHECK(hook.jobs_queued == 0);
  hook.http.refusals[kAskPermission] = json_answer(200, R"({"permission":"admin"})");
  CHECK(hook.send(body).body == "{\"outcome\":\"accepted\"}\n");
}

TEST_CASE("who we are need not be known for a request to be accepted") {
  Hook hook;
  hook.http.refusals["GET /user"] = json_answer(500, "");
  CHECK(hook.comment(kProfile).body == "{\"outcome\":\"accepted\"}\n");
}

TEST_CASE("what can not be run is accepted all the same: it wants an answer") {
  Hook hook;
  CHECK(hook.comment("@stepscope profile toy-moe fp8 on cpu").status == 202);
  CHECK(db::Jobs(hook.writer).request(1)->verb == "refuse");
  CHECK(hook.count("job") == 0);
  CHECK(hook.replies_due == 1);
}

TEST_CASE("a delivery without a GUID is served, and not recorded under an empty one") {
  Hook hook;
  CHECK(hook.send(comment_event("nothing").dump(), {{"X-GitHub-Delivery", ""}}).status == 202);
  CHECK(hook.send(comment_event(kProfile).dump(), {{"X-GitHub-Delivery", ""}}).status == 202);
  CHECK(hook.count("delivery") == 0);
  CHECK(hook.count("job") == 1);
}

TEST_CASE("deliveries are remembered for thirty days") {
  Hook hook;
  hook.comment("nothing");
  hook.clock.advance(30LL * 24 * 3600 * 1000);
  hook.comment("nothing");
  CHECK(hook.count("delivery") == 2);
  hook.clock.advance(1);
  hook.comment("nothing");
  CHECK(hook.count("delivery") == 2);
  CHECK(hook.outcome_of("guid-1").empty());
}

TEST_CASE("a payload may be as large as GitHub's largest, and no larger") {
  Hook hook;
  CHECK(hook.router.match("POST", "/webhooks/github").limits.body_bytes_max == 26'214'400);
  CHECK(hook.router.match("GET", "/webhooks/github").status == 405);
}
