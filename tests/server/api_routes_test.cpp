#include "server/api_routes.h"

#include <doctest/doctest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "server/answers.h"
#include "tests/db/fixtures.h"
#include "tests/server/world.h"

using namespace stepscope;
using namespace stepscope::server;
using nlohmann::json;
using tests::bearer;
using tests::header_of;
using tests::request_for;

namespace {

struct Api : tests::World {
  using World::World;
  json get_json(std::string_view target) { return json::parse(get(target).body); }
  std::vector<db::JobId> listed(std::string_view target) {
    std::vector<db::JobId> ids;
    for (const json& run : get_json(target)["runs"]) ids.push_back(run["id"]);
    return ids;
  }
  db::JobId add(const std::string& model, const std::string& hardware, int conc) {
    db::RunConfig run_config = tests::some_config(hardware);
    run_config.model = model;
    run_config.conc = conc;
    return tests::enqueue_job(writer, ++comments, run_config, clock.now_ms());
  }
  db::JobId job_in(db::JobState state) { return tests::job_in(writer, state, ++comments); }

  std::int64_t comments = 0;
  bool routes = (add_api_routes(router, app), true);
};

std::string code_of(const runtime::HttpResponse& answer) {
  return json::parse(answer.body)["error"]["code"];
}

std::string filter_fault(std::string_view query) {
  const auto filter = run_filter_of(request_for("GET", "/api/v1/runs?" + std::string(query)));
  return filter ? "" : filter.error();
}

}  // namespace

TEST_CASE("the filters of a list are words, numbers within bounds, and a cursor") {
  const auto filter = run_filter_of(request_for(
      "GET",
      "/api/v1/runs?model=a+b&hardware=%27%3B--&precision=fp4&framework=sglang&state=done"
      "&conc=4&limit=200&cursor=99"));
  REQUIRE(filter.has_value());
  CHECK(filter->model == "a b");
  CHECK(filter->hardware == "';--");
  CHECK(filter->precision == "fp4");
  CHECK(filter->framework == "sglang");
  CHECK(filter->state == "done");
  CHECK(filter->conc == 4);
  CHECK(filter->limit == 200);
  CHECK(filter->before == 99);
  const auto none = run_filter_of(request_for("GET", "/api/v1/runs?unknown=1"));
  REQUIRE(none.has_value());
  CHECK_FALSE(none->model.has_value());
  CHECK_FALSE(none->conc.has_value());
  CHECK_FALSE(none->before.has_value());
  CHECK(none->limit == 50);
}

TEST_CASE("a filter that can not be meant is refused by its name") {
  CHECK(filter_fault("state=") == "state: is no state of a run");
  CHECK(filter_fault("state=Done") == "state: is no state of a run");
  for (const char* bad : {"", "0", "201", "-1", "1.5", "x", "1x", "99999999999", "%201"}) {
    INFO(bad);
    CHECK(filter_fault("limit=" + std::string(bad)) ==
          "limit: must be a whole number from 1 to 200");
  }
  CHECK(filter_fault("conc=0") == "conc: must be a whole number from 1 to 1000000");
  CHECK(filter_fault("conc=1000001") == "conc: must be a whole number from 1 to 1000000");
  for (const char* bad : {"", "0", "-5", "x", "9223372036854775808"}) {
    CHECK(filter_fault("cursor=" + std::string(bad)) ==
          "cursor: take it from next_cursor of the last page");
  }
}

TEST_CASE("runs are listed newest first and filtered by every field") {
  Api api;
  CHECK(api.get("/api/v1/runs").body == "{\n  \"runs\": [],\n  \"next_cursor\": null\n}\n");
  const auto first = api.add("dsr1", "b200", 4);
  const auto second = api.add("dsr1", "h200", 8);
  const auto third = api.add("o'brien", "cpu", 4);
  using Ids = std::vector<db::JobId>;
  CHECK(api.listed("/api/v1/runs") == Ids{third, second, first});
  CHECK(api.listed("/api/v1/runs?model=dsr1") == Ids{second, first});
  CHECK(api.listed("/api/v1/runs?model=o%27brien") == Ids{third});
  CHECK(api.listed("/api/v1/runs?model=dsr1&hardware=b200") == Ids{first});
  CHECK(api.listed("/api/v1/runs?conc=4") == Ids{third, first});
  CHECK(api.listed("/api/v1/runs?state=queued") == Ids{third, second, first});
  CHECK(api.listed("/api/v1/runs?state=done").empty());
  CHECK(api.listed("/api/v1/runs?precision=fp32&framework=builtin") == Ids{third, second, first});
  CHECK(api.listed("/api/v1/runs?precision=fp4").empty());
  CHECK(api.listed("/api/v1/runs?model=%27%20OR%201%3D1%20--").empty());
}

TEST_CASE("a cursor leads through all pages without gap or repetition, also while runs are added") {
  Api api;
  for (int i = 0; i < 7; ++i) api.add("dsr1", "b200", i % 2 + 1);
  std::vector<db::JobId> seen;
  std::string target = "/api/v1/runs?limit=3";
  std::vector<std::size_t> sizes;
  while (true) {
    const json page = api.get_json(target);
    sizes.push_back(page["runs"].size());
    for (const json& run : page["runs"]) seen.push_back(run["id"]);
    if (page["next_cursor"].is_null()) break;
    target = "/api/v1/runs?limit=3&cursor=" + page["next_cursor"].get<std::string>();
    api.add("dsr1", "b200", 9);
  }
  CHECK(sizes == std::vector<std::size_t>{3, 3, 1});
  CHECK(seen == std::vector<db::JobId>{7, 6, 5, 4, 3, 2, 1});
  // With a filter the cursor counts runs that pass it: conc 2 are those of even id.
  const json page = api.get_json("/api/v1/runs?conc=2&limit=2");
  CHECK(page["next_cursor"] == "4");
  CHECK(api.listed("/api/v1/runs?conc=2&limit=2&cursor=4") == std::vector<db::JobId>{2});
}

TEST_CASE("reading needs the token; without it every run looks alike") {
  Api api;
  const auto id = std::to_string(api.add("dsr1", "b200", 4));
  for (const std::string& target :
       {std::string("/api/v1/runs"), "/api/v1/runs/" + id, std::string("/api/v1/runs/999"),
        std::string("/api/v1/runs/x"), "/api/v1/runs/" + id + "/breakdown",
        "/api/v1/runs/" + id + "/trace", "/runs/" + id + "/trace",
        std::string("/api/v1/runs?limit=x")}) {
    INFO(target);
    for (const auto& headers : {runtime::Headers{}, bearer("wrong")}) {
      const auto answer = api.ask("GET", target, headers);
      CHECK(answer.status == 401);
      CHECK(answer.body == unauthorized().body);
    }
  }
}

TEST_CASE("a signed link reads its own run and nothing else") {
  Api api;
  const auto id = api.job_in(db::JobState::done);
  api.add("dsr1", "b200", 4);
  const std::string suffix = api.access.link_suffix(id);
  const auto status = [&](const std::string& path) { return api.ask("GET", path, {}).status; };
  CHECK(status("/api/v1/runs/1" + suffix) == 200);
  CHECK(status("/api/v1/runs/1/breakdown" + suffix) == 200);
  CHECK(status("/api/v1/runs/1/trace" + suffix) == 404);  // may be read, and there is none
  CHECK(status("/api/v1/runs/2" + suffix) == 401);
  CHECK(status("/api/v1/runs" + suffix) == 401);
  CHECK(api.ask("POST", "/api/v1/runs" + suffix, {}, "{}").status == 401);
}

TEST_CASE("a public history is read without a token and still not written") {
  Api api(Access("a-secret-token", true, ""));
  api.add("dsr1", "b200", 4);
  CHECK(api.ask("GET", "/api/v1/runs", {}).status == 200);
  CHECK(api.ask("GET", "/api/v1/runs/1", {}).status == 200);
  CHECK(api.ask("GET", "/api/v1/runs/2", {}).status == 404);
  CHECK(api.ask("POST", "/api/v1/runs", {}, R"({"text":"help"})").status == 401);
}

TEST_CASE("one run comes with its events and its place in the queue") {
  Api api;
  api.add("dsr1", "b200", 4);
  const auto id = api.add("dsr1", "b200", 8);
  const json run = api.get_json("/api/v1/runs/" + std::to_string(id));
  CHECK(run["id"] == id);
  CHECK(run["queue_position"] == 2);
  CHECK(run["events"].size() == 1);
  CHECK(run["events"][0]["to"] == "queued");
  for (const char* absent : {"999", "0", "-1", "x", "1%20", "9223372036854775808"}) {
    const auto answer = api.get("/api/v1/runs/" + std::string(absent));
    CHECK(answer.status == 404);
    CHECK(code_of(answer) == "not_found");
  }
}

TEST_CASE("bytes of a runner that are no UTF-8 do not hide a run") {
  Api api;
  const auto id = api.add("dsr1", "cpu", 4);
  db::Jobs jobs(api.writer);
  tests::claim(api.writer, "r\xFF");
  jobs.fail(id, "r\xFF", 1, {db::ErrorKind::configuration, "runner", "said \xC3("}, 1000);
  const json run = api.get_json("/api/v1/runs/1");
  CHECK(run["runner"] == "r\xEF\xBF\xBD");
  CHECK(run["failure"]["message"] == "said \xEF\xBF\xBD(");
  CHECK(api.listed("/api/v1/runs") == std::vector<db::JobId>{id});
}

TEST_CASE("a breakdown is given as JSON, Markdown or HTML, as it was stored") {
  Api api;
  api.job_in(db::JobState::done);
  const auto plain = api.get("/api/v1/runs/1/breakdown");
  CHECK(plain.body == "{}\n");
  CHECK(header_of(plain, "Content-Type") == "application/json; charset=utf-8");
  CHECK(api.get("/api/v1/runs/1/breakdown?format=json").body == "{}\n");
  const auto markdown = api.get("/api/v1/runs/1/breakdown?format=markdown");
  CHECK(markdown.body == "| a |");
  CHECK(header_of(markdown, "Content-Type") == "text/markdown; charset=utf-8");
  CHECK(header_of(markdown, "X-Content-Type-Options") == "nosniff");
  const auto html = api.get("/api/v1/runs/1/breakdown?format=html");
  CHECK(html.body == "<p>a</p>");
  CHECK(header_of(html, "Content-Type") == "text/html; charset=utf-8");
  CHECK(header_of(html, "Content-Security-Policy") == "default-src 'none'; sandbox");
  for (const char* bad : {"", "xml", "JSON", "html%0D%0AX:%201"}) {
    const auto answer = api.get("/api/v1/runs/1/breakdown?format=" + std::string(bad));
    CHECK(answer.status == 400);
    CHECK(code_of(answer) == "bad_request");
  }
}

TEST_CASE("no breakdown: not yet is 409, never is 404") {
  Api api;
  using enum db::JobState;
  for (const auto state :
       {queued, assigned, running, uploading, analysing, failed, cancelled, timed_out}) {
    Api own;
    own.job_in(state);
    const auto answer = own.get("/api/v1/runs/1/breakdown");
    CHECK(answer.status == (db::is_final(state) ? 404 : 409));
    CHECK(code_of(answer) == "no_breakdown");
    CHECK(answer.body.contains("it is " + std::string(db::to_string(state))));
  }
  CHECK(code_of(api.get("/api/v1/runs/1/breakdown")) == "not_found");
}

TEST_CASE("a trace is served under both addresses, from the artifact folder") {
  Api api;
  const auto id = tests::enqueue_job(api.writer, 1);
  tests::claim(api.writer, "r1");
  db::Jobs(api.writer).attach_trace(id, "r1", 1, "1/t.json", "t.json", "abcd", 5, "");
  std::filesystem::create_directories(api.artifacts.path_of("1"));
  std::ofstream(api.artifacts.path_of("1/t.json")) << "12345";
  for (const char* target : {"/api/v1/runs/1/trace", "/runs/1/trace"}) {
    const auto answer = api.get(target);
    CHECK(answer.status == 200);
    REQUIRE(answer.file.has_value());
    CHECK(answer.file->path == api.artifacts.path_of("1/t.json"));
    CHECK(answer.file->length == 5);
  }
  CHECK(api.ask("HEAD", "/runs/1/trace").status == 200);
  CHECK(api.get("/runs/2/trace").status == 404);
}

TEST_CASE("a run is submitted with the token, and only where there is one") {
  Api api;
  const std::string body = R"({"text":"profile toy-moe fp32 on cpu conc 4"})";
  const auto accepted = api.ask("POST", "/api/v1/runs", bearer(), body);
  CHECK(accepted.status == 202);
  CHECK(api.jobs_queued == 1);
  CHECK(api.listed("/api/v1/runs") == std::vector<db::JobId>{1});
  CHECK(api.ask("POST", "/api/v1/runs", bearer("x"), body).status == 401);
  CHECK(api.ask("POST", "/api/v1/runs", {}, body).status == 401);
  CHECK(api.jobs_queued == 1);

  Api closed(Access("", false, ""));
  const auto answer = closed.ask("POST", "/api/v1/runs", bearer(""), body);
  CHECK(answer.status == 403);
  CHECK(code_of(answer) == "submission_off");
}

TEST_CASE("other methods and paths are no routes") {
  Api api;
  CHECK(api.ask("DELETE", "/api/v1/runs").status == 405);
  CHECK(api.ask("PUT", "/api/v1/runs/1").status == 405);
  CHECK(api.ask("POST", "/healthz").status == 405);
  CHECK(api.get("/api/v1/runs/").status == 404);
  CHECK(api.get("/api/v2/runs").status == 404);
  CHECK(api.get("/api/v1/runs/1/../2").status == 404);
  CHECK(api.router.match("POST", "/api/v1/runs").limits.body_bytes_max == 65'536);
}

TEST_CASE("alive and ready are told without a token") {
  Api api;
  CHECK(api.ask("GET", "/healthz", {}).body == "ok\n");
  const auto ready = api.ask("GET", "/readyz", {});
  CHECK(ready.status == 200);
  CHECK(ready.body == "ready\n");
}

TEST_CASE("a daemon whose database is broken is alive and not ready") {
  Api api;
  // The file is another one than this program knows: every read fails.
  api.writer.execute("PRAGMA foreign_keys = OFF; ALTER TABLE job RENAME TO something_else");
  const auto answer = api.ask("GET", "/readyz", {});
  CHECK(answer.status == 503);
  CHECK(code_of(answer) == "not_ready");
  CHECK(answer.body.contains("no such table: job"));
  CHECK_FALSE(answer.body.contains(api.folder.path().string()));
  CHECK(api.ask("GET", "/healthz", {}).status == 200);
}
