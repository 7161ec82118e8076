#include "webhooks/github_http.h"

#include <doctest/doctest.h>

#include "tests/support/fake_github.h"
#include "tests/support/run_coroutine.h"

using namespace stepscope;
using namespace stepscope::webhooks;
using tests::json_answer;
using Kind = GitHubError::Kind;

namespace {

constexpr std::int64_t kNowMs = 1'796'040'224'000;  // 2026-11-30T12:03:44Z

GitHubError refusal(int status, std::string message, runtime::Headers headers = {}) {
  GitHubCall call;
  call.method = "POST";
  call.path = "/repos/o/r/issues/1/comments?since=now";
  const runtime::HttpResponse response =
      json_answer(status, R"({"message":")" + message + R"("})", std::move(headers));
  return read_refusal(call, response, kNowMs);
}

struct Api {
  tests::ScriptedHttp http;
  tests::FakeClock clock{kNowMs};
  GitHubHttp github{
      http, clock, {.api_url = "https://ghe.example/api/v3/", .api_version = "2022-11-28"}};

  GitHubResult<runtime::HttpResponse> send(std::string body = "") {
    GitHubCall call;
    call.method = body.empty() ? "GET" : "PATCH";
    call.path = "/repos/o/r";
    call.authorization = "Bearer ghs_secret";
    call.body = std::move(body);
    return tests::run_coroutine(github.send(call));
  }
};

}  // namespace

TEST_CASE("rate limits are read in GitHub's order") {
  SUBCASE("Retry-After comes first") {
    const GitHubError error = refusal(403, "You have exceeded a secondary rate limit",
                                      {{"retry-after", "7"},
                                       {"x-ratelimit-remaining", "0"},
                                       {"x-ratelimit-reset", "1796040324"}});
    CHECK(error.kind == Kind::retry_after);
    CHECK(error.wait_ms == 7'000);
    CHECK_FALSE(error.wait_is_a_guess);
  }
  SUBCASE("then the reset, read against GitHub's clock") {
    // Reset 100 s after now; GitHub's own Date is 10 s ahead of us, so 90 s are left, plus one.
    const GitHubError error = refusal(403, "API rate limit exceeded",
                                      {{"X-RateLimit-Remaining", "0"},
                                       {"X-RateLimit-Reset", "1796040324"},
                                       {"Date", "Mon, 30 Nov 2026 12:03:54 GMT"}});
    CHECK(error.kind == Kind::retry_after);
    CHECK(error.wait_ms == 91'000);
  }
  SUBCASE("a reset that has passed is a second") {
    const GitHubError error =
        refusal(429, "", {{"X-RateLimit-Remaining", "0"}, {"X-RateLimit-Reset", "1"}});
    CHECK(error.wait_ms == 1'000);
  }
  SUBCASE("else a minute, as a guess") {
    const GitHubError error = refusal(403, "You have exceeded a secondary rate limit",
                                      {{"X-RateLimit-Remaining", "4771"}});
    CHECK(error.kind == Kind::retry_after);
    CHECK(error.wait_ms == 60'000);
    CHECK(error.wait_is_a_guess);
    CHECK(refusal(429, "").wait_is_a_guess);
  }
  SUBCASE("nonsense is bounded") {
    CHECK(refusal(429, "", {{"Retry-After", "99999999999999"}}).wait_ms == 86'400'000);
    CHECK(refusal(429, "", {{"Retry-After", "soon"}}).wait_ms == 60'000);
    CHECK(refusal(429, "", {{"Retry-After", "-5"}}).wait_ms == 1'000);
  }
}

TEST_CASE("refusals for good are told from those that pass") {
  CHECK(refusal(403, "Unable to create comment because issue is locked.").kind ==
        Kind::gone_for_good);
  CHECK(refusal(403, "Unable to create comment because issue is locked.").reason == kReasonLocked);
  CHECK(refusal(403, "Repository was archived so is read-only.").reason ==
        "the repository is archived");
  CHECK(refusal(403, "This installation has been suspended").kind == Kind::gone_for_good);
  CHECK(refusal(422, "User is blocked").kind == Kind::gone_for_good);
  CHECK(refusal(410, "This issue was deleted").kind == Kind::gone_for_good);
  CHECK(refusal(404, "Not Found").kind == Kind::not_found);
  CHECK(refusal(401, "Bad credentials").kind == Kind::unauthorized);
  CHECK(refusal(502, "Server Error").transient);
  CHECK_FALSE(refusal(422, "Validation Failed").transient);
  CHECK(refusal(422, "Validation Failed").kind == Kind::failed);
}

TEST_CASE("an error says what was asked and what GitHub said, and no secret") {
  const GitHubError error = refusal(403, "Resource not accessible by integration ghs_abc.def",
                                    {{"X-Accepted-GitHub-Permissions", "issues=write"}});
  CHECK(error.kind == Kind::failed);
  CHECK(error.message ==
        "GitHub answered 403 to POST /repos/o/r/issues/1/comments: Resource not accessible by "
        "integration [redacted] (needs issues=write)");
  CHECK(refusal(500, "two\\nlines").message.find('\n') == std::string::npos);
}

TEST_CASE("every call carries GitHub's headers") {
  Api api;
  api.http.answers = {json_answer(200, "{}")};
  CHECK(api.send("{}"));
  const runtime::OutgoingRequest& request = api.http.requests.at(0);
  CHECK(request.url == "https://ghe.example/api/v3/repos/o/r");
  CHECK(runtime::header(request.headers, "Accept") == "application/vnd.github+json");
  CHECK(runtime::header(request.headers, "X-GitHub-Api-Version") == "2022-11-28");
  CHECK(runtime::header(request.headers, "Content-Type") == "application/json");
  CHECK(runtime::header(request.headers, "Authorization") == "Bearer ghs_secret");
  CHECK(runtime::header(request.headers, "User-Agent")->starts_with("stepscope/"));
}

TEST_CASE("a redirect inside the API is followed with the same method and body") {
  Api api;
  api.http.answers = {
      json_answer(301, "{}", {{"Location", "https://ghe.example/api/v3/repositories/5"}}),
      json_answer(200, "{}")};
  CHECK(api.send(R"({"body":"x"})"));
  REQUIRE(api.http.requests.size() == 2);
  CHECK(api.http.requests[1].url == "https://ghe.example/api/v3/repositories/5");
  CHECK(api.http.requests[1].method == "PATCH");
  CHECK(api.http.requests[1].body == R"({"body":"x"})");
}

TEST_CASE("a redirect elsewhere is not followed: the token stays here") {
  for (const char* location :
       {"https://evil.example/api/v3/repos", "https://ghe.example.evil.example/api/v3/x",
        "https://ghe.example/api/v3evil", "https://ghe.example/api/v3/../../login",
        "http://ghe.example/api/v3/x", "//evil.example/api/v3/x"}) {
    CAPTURE(location);
    Api api;
    api.http.answers = {json_answer(307, "{}", {{"Location", location}})};
    CHECK_FALSE(api.send());
    CHECK(api.http.requests.size() == 1);
  }
}

TEST_CASE("redirects end") {
  Api api;
  for (int hop = 0; hop < 9; ++hop) {
    api.http.answers.push_back(
        json_answer(302, "{}", {{"Location", "https://ghe.example/api/v3/again"}}));
  }
  const auto answer = api.send();
  REQUIRE_FALSE(answer);
  CHECK(answer.error().message == "GET /again: more than 3 redirects");
  CHECK(api.http.requests.size() == 4);
}
