#include "webhooks/github_client.h"

#include <doctest/doctest.h>

#include "tests/support/fake_github.h"
#include "tests/support/run_coroutine.h"

using namespace stepscope;
using namespace stepscope::webhooks;
using tests::json_answer;
using Kind = GitHubError::Kind;

namespace {

struct Client {
  tests::ScriptedHttp http;
  tests::FakeClock clock{1'796'040'224'000};
  GitHubHttp github{http, clock, {}};
  GitHubAuth auth{github, clock, {.issuer = "", .private_key = "", .personal_token = "ghp_mine"}};
  GitHubClient client{github, auth};
  RepositoryRef repository{.full_name = "octo/re.po", .installation_id = 0};
  IssueRef issue{.repository = repository, .number = 7};

  const runtime::OutgoingRequest& asked(std::size_t index = 0) const {
    return http.requests.at(index);
  }
};

}  // namespace

TEST_CASE("a comment is created and its id read") {
  Client c;
  c.http.answers = {json_answer(201, R"({"id":41,"body":"x"})")};
  const auto id = tests::run_coroutine(c.client.create_comment(c.issue, "one \"two\"\n\xC3\xA4"));
  REQUIRE(id);
  CHECK(*id == 41);
  CHECK(c.asked().method == "POST");
  CHECK(c.asked().url == "https://api.github.com/repos/octo/re.po/issues/7/comments");
  CHECK(c.asked().body == "{\"body\":\"one \\\"two\\\"\\n\xC3\xA4\"}");
}

TEST_CASE("bytes that are no UTF-8 are repaired, not refused") {
  Client c;
  c.http.answers = {json_answer(200, "{}")};
  CHECK(tests::run_coroutine(c.client.update_comment(c.repository, 41, "a\xFFz")));
  CHECK(c.asked().method == "PATCH");
  CHECK(c.asked().url == "https://api.github.com/repos/octo/re.po/issues/comments/41");
  CHECK(c.asked().body == "{\"body\":\"a\xEF\xBF\xBDz\"}");
}

TEST_CASE("an answer without an id may have written the comment") {
  Client c;
  c.http.answers = {json_answer(201, "<html>")};
  const auto id = tests::run_coroutine(c.client.create_comment(c.issue, "x"));
  REQUIRE_FALSE(id);
  CHECK(id.error().transient);
}

TEST_CASE("comments are listed page by page") {
  Client c;
  const std::string next = "https://api.github.com/repositories/9/issues/7/comments?page=2";
  c.http.answers = {
      json_answer(
          200, R"([{"id":1,"body":"a","user":{"login":"bob"}},{"id":2,"body":null,"user":null}])",
          {{"Link",
            "<https://api.github.com/x?page=1>; rel=\"prev\", <" + next + ">; rel=\"next\""}}),
      json_answer(200, R"([{"id":3,"body":")" + std::string(500, 'b') +
                           R"(","user":{"login":"eve"}},{"no":"id"},7])")};
  const auto comments = tests::run_coroutine(c.client.list_comments(c.issue, 1'796'040'224'000));
  REQUIRE(comments);
  REQUIRE(comments->size() == 3);
  CHECK(c.asked(0).url ==
        "https://api.github.com/repos/octo/re.po/issues/7/"
        "comments?per_page=100&since=2026-11-30T12:03:44Z");
  CHECK(c.asked(1).url == next);
  CHECK(comments->at(0).login == "bob");
  CHECK(comments->at(1).login.empty());
  CHECK(comments->at(2).body_start == std::string(kBodyStartBytes, 'b'));
}

TEST_CASE("a list that goes on elsewhere or for ever is an error") {
  Client c;
  c.http.answers = {json_answer(200, "[]", {{"Link", "<https://evil.example/x>; rel=\"next\""}})};
  CHECK_FALSE(tests::run_coroutine(c.client.list_comments(c.issue, 0)));
  CHECK(c.http.requests.size() == 1);

  Client endless;
  for (int page = 0; page < 60; ++page) {
    endless.http.answers.push_back(
        json_answer(200, "[]", {{"Link", "<https://api.github.com/x>; rel=\"next\""}}));
  }
  CHECK_FALSE(tests::run_coroutine(endless.client.list_comments(endless.issue, 0)));
  CHECK(endless.http.requests.size() == 50);
}

TEST_CASE("Link headers") {
  CHECK(next_page("<https://h/a?page=2>; rel=\"next\", <https://h/a?page=9>; rel=\"last\"") ==
        "https://h/a?page=2");
  CHECK_FALSE(next_page("<https://h/a?page=1>; rel=\"first\""));
  CHECK_FALSE(next_page(""));
  CHECK_FALSE(next_page("<broken"));
}

TEST_CASE("permissions and reactions") {
  Client c;
  c.http.answers = {json_answer(200, R"({"permission":"write"})"), json_answer(200, "[]"),
                    json_answer(200, "{}")};
  CHECK(tests::run_coroutine(c.client.permission(c.repository, "b/ob")).value() == "write");
  CHECK(c.asked(0).url ==
        "https://api.github.com/repos/octo/re.po/collaborators/b%2Fob/permission");
  CHECK_FALSE(tests::run_coroutine(c.client.permission(c.repository, "bob")));
  CHECK(tests::run_coroutine(c.client.add_reaction(c.repository, 41, "eyes")));
  CHECK(c.asked(2).url == "https://api.github.com/repos/octo/re.po/issues/comments/41/reactions");
  CHECK(c.asked(2).body == R"({"content":"eyes"})");
}

TEST_CASE("a repository's name that is no owner/name goes nowhere") {
  for (const char* name : {"", "octo", "octo/", "/repo", "a/b/c", "../user", "octo/.."}) {
    CAPTURE(name);
    Client c;
    const RepositoryRef repository{.full_name = name, .installation_id = 0};
    CHECK_FALSE(tests::run_coroutine(c.client.permission(repository, "bob")));
    const IssueRef issue{.repository = repository, .number = 1};
    CHECK_FALSE(tests::run_coroutine(c.client.list_comments(issue, 0)));
    CHECK(c.http.requests.empty());
  }
}
