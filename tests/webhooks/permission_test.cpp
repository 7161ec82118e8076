#include "webhooks/permission.h"

#include <doctest/doctest.h>

#include "tests/support/fake_github.h"
#include "tests/support/run_coroutine.h"

using namespace stepscope;
using namespace stepscope::webhooks;
using tests::json_answer;

namespace {

struct Check {
  tests::ScriptedHttp http;
  tests::FakeClock clock{1'000'000};
  GitHubHttp github{http, clock, {}};
  GitHubAuth auth{github, clock, {.issuer = "", .private_key = "", .personal_token = "ghp_mine"}};
  GitHubClient client{github, auth};
  Permission permission{client, clock};

  GitHubResult<bool> ask(const std::string& login, const std::string& repository = "octo/repo") {
    const RepositoryRef where{.full_name = repository, .installation_id = 0};
    return tests::run_coroutine(permission.may_write(where, login));
  }
};

runtime::HttpResponse answer(const std::string& word) {
  return json_answer(200, R"({"permission":")" + word + R"("})");
}

}  // namespace

TEST_CASE("write and above may") {
  CHECK(at_least_write("admin"));
  CHECK(at_least_write("maintain"));
  CHECK(at_least_write("write"));
  CHECK_FALSE(at_least_write("triage"));
  CHECK_FALSE(at_least_write("read"));
  CHECK_FALSE(at_least_write("none"));
  CHECK_FALSE(at_least_write(""));
}

TEST_CASE("an answer is remembered for five minutes, per repository and user") {
  Check c;
  c.http.answers = {answer("write"), answer("read"), answer("none"), answer("read")};
  CHECK(c.ask("Bob") == true);
  CHECK(c.ask("bob", "Octo/Repo") == true);  // GitHub's names know no case
  CHECK(c.http.requests.size() == 1);
  CHECK(c.ask("eve") == false);
  CHECK(c.ask("bob", "octo/other") == false);
  c.clock.advance(5 * 60'000 - 1);
  CHECK(c.ask("bob") == true);
  c.clock.advance(1);
  CHECK(c.ask("bob") == false);
  CHECK(c.http.requests.size() == 4);
}

TEST_CASE("whoever GitHub does not know may not; a failure is a failure and not remembered") {
  Check c;
  c.http.answers = {json_answer(404, R"({"message":"Not Found"})")};
  CHECK(c.ask("ghost") == false);
  c.http.answers = {json_answer(502, ""), answer("admin")};
  CHECK_FALSE(c.ask("bob").has_value());
  CHECK(c.ask("bob") == true);
}
