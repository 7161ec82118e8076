#include "webhooks/github_auth.h"

#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include "tests/support/fake_github.h"
#include "tests/support/rsa_key.h"
#include "tests/support/run_coroutine.h"

using namespace stepscope;
using namespace stepscope::webhooks;
using tests::json_answer;
using Kind = GitHubError::Kind;

namespace {

constexpr std::int64_t kNowMs = 1'796'040'224'000;  // 2026-11-30T12:03:44Z

const tests::RsaKey& key() {
  static const tests::RsaKey made;
  return made;
}

struct App {
  tests::ScriptedHttp http;
  tests::FakeClock clock{kNowMs};
  GitHubHttp github{http, clock, {}};
  GitHubAuth auth{
      github, clock, {.issuer = "Iv1.abc", .private_key = key().private_pem, .personal_token = ""}};

  GitHubResult<runtime::HttpResponse> send(std::int64_t installation = 5) {
    GitHubCall call;
    call.path = "/x";
    return tests::run_coroutine(auth.send(installation, call));
  }
  std::string authorization(std::size_t index) const {
    return std::string(
        runtime::header(http.requests.at(index).headers, "Authorization").value_or(""));
  }
};

// The claims of "Bearer head.body.signature", after checking the signature.
nlohmann::json claims_of(const std::string& authorization) {
  REQUIRE(authorization.starts_with("Bearer "));
  const std::string token = authorization.substr(7);
  const std::size_t second = token.rfind('.');
  const std::size_t first = token.find('.');
  CHECK(tests::from_base64url(token.substr(0, first)) == R"({"alg":"RS256","typ":"JWT"})");
  CHECK(key().verifies(token.substr(0, second), tests::from_base64url(token.substr(second + 1))));
  return nlohmann::json::parse(tests::from_base64url(token.substr(first + 1, second - first - 1)));
}

runtime::HttpResponse token_answer(const std::string& token, const std::string& expires_at) {
  return json_answer(201, R"({"token":")" + token + R"(","expires_at":")" + expires_at + R"("})");
}

}  // namespace

TEST_CASE("an App signs with RS256, a minute back and nine minutes ahead") {
  App app;
  app.http.answers = {token_answer("ghs_1_a.b.c", "2026-11-30T13:03:44Z"), json_answer(200, "{}")};
  CHECK(app.send());
  REQUIRE(app.http.requests.size() == 2);
  CHECK(app.http.requests[0].url == "https://api.github.com/app/installations/5/access_tokens");
  CHECK(app.http.requests[0].method == "POST");
  const nlohmann::json claims = claims_of(app.authorization(0));
  CHECK(claims["iat"] == kNowMs / 1000 - 60);
  CHECK(claims["exp"] == kNowMs / 1000 + 540);
  CHECK(claims["iss"] == "Iv1.abc");
  CHECK(app.authorization(1) == "Bearer ghs_1_a.b.c");
}

TEST_CASE("a token serves until five minutes before it expires, each installation has its own") {
  App app;
  app.http.answers = {token_answer("ghs_one", "2026-11-30T13:03:44Z"), json_answer(200, "{}"),
                      json_answer(200, "{}"), token_answer("ghs_two", "2026-11-30T14:00:00Z"),
                      json_answer(200, "{}")};
  CHECK(app.send());
  app.clock.set(kNowMs + 55 * 60'000 - 1);  // one hour of life less five minutes
  CHECK(app.send());
  CHECK(app.http.requests.size() == 3);
  app.clock.advance(1);
  CHECK(app.send());
  CHECK(app.authorization(4) == "Bearer ghs_two");
  app.http.answers = {token_answer("ghs_other", "2026-11-30T15:00:00Z"), json_answer(200, "{}")};
  CHECK(app.send(6));
  CHECK(app.authorization(6) == "Bearer ghs_other");
}

TEST_CASE("a refused token is dropped and the call made once more") {
  App app;
  app.http.answers = {token_answer("ghs_one", "2026-11-30T13:03:44Z"),
                      json_answer(401, R"({"message":"Bad credentials"})"),
                      token_answer("ghs_two", "2026-11-30T13:03:44Z"), json_answer(200, "{}")};
  CHECK(app.send());
  CHECK(app.authorization(3) == "Bearer ghs_two");
  app.http.answers = {json_answer(401, "{}"), token_answer("ghs_three", "2026-11-30T13:03:44Z"),
                      json_answer(401, "{}")};
  const auto answer = app.send();
  REQUIRE_FALSE(answer);
  CHECK(answer.error().kind == Kind::unauthorized);
  CHECK(app.http.requests.size() == 7);
}

TEST_CASE("a clock that is wrong is corrected by GitHub's, once") {
  App app;
  // GitHub is two minutes behind: our exp would be eleven minutes ahead.
  const runtime::Headers date{{"Date", "Mon, 30 Nov 2026 12:01:44 GMT"}};
  app.http.answers = {
      json_answer(401, R"({"message":"'Expiration time' claim ('exp') is too far in the future"})",
                  date),
      token_answer("ghs_one", "2026-11-30T13:01:44Z"), json_answer(200, "{}")};
  CHECK(app.send());
  CHECK(app.auth.clock_drift_ms() == -120'000);
  CHECK(claims_of(app.authorization(1))["iat"] == kNowMs / 1000 - 120 - 60);

  App hopeless;
  hopeless.http.answers = {json_answer(401, "{}", date), json_answer(401, "{}", date)};
  CHECK_FALSE(hopeless.send());
  CHECK(hopeless.http.requests.size() == 2);
}

TEST_CASE("an installation that is gone or suspended ends for good") {
  App app;
  app.http.answers = {json_answer(404, R"({"message":"Not Found"})")};
  const auto gone = app.send();
  REQUIRE_FALSE(gone);
  CHECK(gone.error().kind == Kind::gone_for_good);
  CHECK(gone.error().reason == "the app is not installed there any more");
  app.http.answers = {json_answer(403, R"({"message":"This installation has been suspended"})")};
  const auto suspended = app.send();
  REQUIRE_FALSE(suspended);
  CHECK(suspended.error().reason == "the app's installation is suspended");
}

TEST_CASE("a key that can not sign is an error without the key") {
  App app;
  GitHubAuth auth(app.github, app.clock,
                  {.issuer = "1", .private_key = "-----BEGIN nonsense", .personal_token = ""});
  GitHubCall call;
  const auto answer = tests::run_coroutine(auth.send_as_app(call));
  REQUIRE_FALSE(answer);
  CHECK(answer.error().message.starts_with("cannot sign in as a GitHub App: "));
  CHECK_FALSE(answer.error().message.contains("nonsense"));
  CHECK(app.http.requests.empty());
}

TEST_CASE("the own account is asked once") {
  App app;
  app.http.answers = {json_answer(200, R"({"slug":"stepscope","id":77})")};
  const auto account = tests::run_coroutine(app.auth.account());
  REQUIRE(account);
  CHECK(account->login == "stepscope[bot]");
  CHECK(account->app_id == 77);
  CHECK(app.http.requests[0].url == "https://api.github.com/app");
  CHECK(tests::run_coroutine(app.auth.account()));
  CHECK(app.http.requests.size() == 1);
}

TEST_CASE("a personal token needs no exchange and is not tried twice") {
  App app;
  GitHubAuth auth(app.github, app.clock,
                  {.issuer = "", .private_key = "", .personal_token = "ghp_mine"});
  app.http.answers = {json_answer(200, R"({"login":"octocat"})"), json_answer(401, "{}")};
  const auto account = tests::run_coroutine(auth.account());
  REQUIRE(account);
  CHECK(account->login == "octocat");
  CHECK(account->app_id == 0);
  CHECK(app.authorization(0) == "Bearer ghp_mine");
  GitHubCall call;
  call.path = "/x";
  const auto answer = tests::run_coroutine(auth.send(0, call));
  REQUIRE_FALSE(answer);
  CHECK(answer.error().kind == Kind::unauthorized);
  CHECK(app.http.requests.size() == 2);
}
