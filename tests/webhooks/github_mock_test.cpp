#include <doctest/doctest.h>

#include <boost/asio/io_context.hpp>
#include <fstream>
#include <nlohmann/json.hpp>

#include "db/jobs.h"
#include "db/schema.h"
#include "runtime/curl_client.h"
#include "tests/support/mock_process.h"
#include "tests/support/rsa_key.h"
#include "tests/support/run_coroutine.h"
#include "tests/support/temp_folder.h"
#include "webhooks/github_client.h"
#include "webhooks/permission.h"
#include "webhooks/responder.h"

using namespace stepscope;
using namespace stepscope::webhooks;
using nlohmann::json;
using Kind = GitHubError::Kind;

namespace {

std::string write_file(const std::filesystem::path& file, const std::string& text) {
  std::ofstream(file) << text;
  return file.string();
}

// Our client, over libcurl, against GitHub's own description of its API.
struct Mocked {
  Mocked() {
    control("POST", "repositories", {{"full_name", "octo/repo"}});
    control("POST", "issues", {{"repository", "octo/repo"}, {"number", 7}});
  }
  ~Mocked() {
    const json state = control("GET", "state", json());
    CHECK(state["violations"] == json::array());
  }

  json control(const std::string& method, const std::string& name, const json& body) {
    runtime::OutgoingRequest request;
    request.method = method;
    request.url = mock.url() + "/_mock/" + name;
    if (!body.is_null()) request.body = body.dump();
    const runtime::Result<runtime::HttpResponse> answer = http.send_blocking(request);
    REQUIRE(answer);
    REQUIRE(answer->status == 200);
    return json::parse(answer->body);
  }
  json comments() {
    return control("GET", "state", json())["repositories"][0]["issues"][0]["comments"];
  }
  template <class T>
  T run(boost::asio::awaitable<T> work) {
    return tests::run_coroutine(context, std::move(work));
  }

  boost::asio::io_context context;
  tests::TempFolder folder;
  tests::RsaKey key;
  tests::MockProcess mock{write_file(folder.path() / "key.pem", key.public_pem)};
  runtime::SystemClock clock;
  runtime::BlockingPool pool{"http", 1};
  runtime::CurlClient http{pool, "stepscope-test"};
  GitHubHttp github{http, clock, {.api_url = mock.url(), .api_version = "2022-11-28"}};
  GitHubAuth auth{
      github, clock, {.issuer = "1", .private_key = key.private_pem, .personal_token = ""}};
  GitHubClient client{github, auth};
  RepositoryRef repository{.full_name = "octo/repo", .installation_id = 1};
  IssueRef issue{.repository = repository, .number = 7};
};

template <class T>
GitHubError error_of(const GitHubResult<T>& result) {
  REQUIRE_FALSE(result);
  return result.error();
}

bool skipped() {
  const std::optional<std::string> missing = tests::MockProcess::missing();
  if (missing)
    MESSAGE("skipped, the calls are not checked against GitHub's description: ", *missing);
  return missing.has_value();
}

}  // namespace

TEST_CASE("every call of the client fits GitHub's description") {
  if (skipped()) return;
  Mocked m;
  CHECK(m.run(m.client.account())->login == "stepscope[bot]");
  const auto id = m.run(m.client.create_comment(m.issue, "one"));
  REQUIRE(id);
  CHECK(m.run(m.client.update_comment(m.repository, *id, "two | `x` \xC3\xA4\n")));
  CHECK(m.run(m.client.add_reaction(m.repository, *id, "eyes")));
  CHECK(m.run(m.client.add_reaction(m.repository, *id, "eyes")));
  for (int count = 0; count < 120; ++count) {
    m.control("POST", "comments",
              {{"repository", "octo/repo"}, {"issue", 7}, {"login", "bob"}, {"body", "noise"}});
  }
  const auto listed = m.run(m.client.list_comments(m.issue, m.clock.now_ms() - 600'000));
  REQUIRE(listed);
  CHECK(listed->size() == 121);  // two pages
  CHECK(listed->front().body_start == "two | `x` \xC3\xA4\n");
  CHECK(listed->front().login == "stepscope[bot]");
  m.control("POST", "permissions",
            {{"repository", "octo/repo"}, {"login", "bob"}, {"permission", "maintain"}});
  Permission permission(m.client, m.clock);
  CHECK(m.run(permission.may_write(m.repository, "bob")) == true);
  CHECK(m.run(permission.may_write(m.repository, "eve")) == false);
  const json state = m.control("GET", "state", json());
  CHECK(state["repositories"][0]["issues"][0]["comments"][0]["reactions"].size() == 1);
  CHECK(state["tokens_issued"] == 1);
}

TEST_CASE("GitHub's refusals, over the wire") {
  if (skipped()) return;
  Mocked m;
  const auto post = [&m](const std::string& body) {
    return m.run(m.client.create_comment(m.issue, body));
  };
  const auto edited = m.run(m.client.update_comment(m.repository, 12345, "x"));
  CHECK(error_of(edited).kind == Kind::not_found);
  m.control("POST", "issues", {{"repository", "octo/repo"}, {"number", 7}, {"locked", true}});
  CHECK(error_of(post("x")).reason == kReasonLocked);
  m.control("POST", "issues", {{"repository", "octo/repo"}, {"number", 7}, {"locked", false}});
  CHECK(error_of(post(std::string(65'537, 'x'))).message.contains("Body is too long"));
  m.control("POST", "faults", {{"statuses", {429}}, {"headers", {{"Retry-After", "3"}}}});
  CHECK(error_of(post("x")).wait_ms == 3'000);
  m.control("POST", "drop-tokens", json::object());
  CHECK(post("with a new token"));
  CHECK(m.comments().size() == 1);
  m.control("POST", "drop-tokens", json::object());
  m.control("POST", "installations", {{"id", 1}, {"removed", true}});
  CHECK(error_of(post("x")).kind == Kind::gone_for_good);
}

TEST_CASE("a renamed repository is followed") {
  if (skipped()) return;
  Mocked m;
  m.control("POST", "repositories", {{"full_name", "octo/old"}, {"moved_to", "octo/repo"}});
  const RepositoryRef old{.full_name = "octo/old", .installation_id = 1};
  const IssueRef moved{.repository = old, .number = 7};
  CHECK(m.run(m.client.create_comment(moved, "followed")));
  CHECK(m.comments().size() == 1);
}

// A client that repeats a POST by itself would write the comment twice.
TEST_CASE("a comment whose answer is lost is an error, and not sent again") {
  if (skipped()) return;
  Mocked m;
  CHECK(m.run(m.client.account()));  // the connection is in use by now
  m.control("POST", "faults", {{"drop", "after"}, {"operation", "issues/create-comment"}});
  const auto lost = m.run(m.client.create_comment(m.issue, "written"));
  CHECK(error_of(lost).transient);
  CHECK(m.comments().size() == 1);
}

TEST_CASE("a personal token signs in too") {
  if (skipped()) return;
  Mocked m;
  GitHubAuth auth(m.github, m.clock,
                  {.issuer = "", .private_key = "", .personal_token = "ghp_mock"});
  GitHubClient client(m.github, auth);
  CHECK(m.run(client.account())->login == "stepscope-user");
  CHECK(m.run(client.create_comment(m.issue, "x")));
}

TEST_CASE("the responder writes one comment through lost answers, server errors and limits") {
  if (skipped()) return;
  Mocked m;
  runtime::BlockingPool db_pool("db", 1);
  db::Database database(m.folder.path() / "test.db", db::Database::Mode::read_write);
  db::migrate(database);
  ResponderLimits limits;
  limits.edit_interval_ms = 0;
  limits.write_interval_ms = 0;
  limits.outage = {.first_ms = 1, .longest_ms = 1, .attempts_max = 100};
  Responder responder({.executor = m.context.get_executor(),
                       .clock = m.clock,
                       .db_pool = db_pool,
                       .database = database,
                       .client = m.client},
                      {.public_url = "https://stepscope.example",
                       .mention = "stepscope",
                       .limits = limits,
                       .explain = nullptr});
  db::Request request;
  request.source = "github";
  request.marker = "8f3a";
  request.repository = "octo/repo";
  request.issue_number = 7;
  request.comment_id = 1;
  request.installation_id = 1;
  request.verb = "profile";
  request.received_ms = m.clock.now_ms();
  const std::vector<db::RunConfig> configs(1);
  m.control("POST", "faults", {{"statuses", {502}}, {"operation", "issues/list-comments"}});
  m.control("POST", "faults", {{"drop", "before"}, {"operation", "issues/create-comment"}});
  m.control("POST", "faults", {{"drop", "after"}, {"operation", "issues/create-comment"}});
  m.control("POST", "faults",
            {{"statuses", {500}}, {"act", true}, {"operation", "issues/update-comment"}});
  db::Jobs(database).enqueue(request, "created", configs, m.clock.now_ms());
  for (int steps = 0; steps < 1'000 && db::Outbox(database).next_due_ms(); ++steps) {
    m.run(responder.step());
  }
  CHECK_FALSE(db::Outbox(database).next_due_ms());
  const json comments = m.comments();
  REQUIRE(comments.size() == 1);
  CHECK(comments[0]["login"] == "stepscope[bot]");
  CHECK(comments[0]["body"].get<std::string>().contains("**Queued**, place 1"));
  CHECK(m.control("GET", "state", json())["faults_left"] == 0);
}
