#include "server/page_routes.h"

#include <doctest/doctest.h>

#include <array>

#include "analysis/reports/breakdown_html.h"
#include "analysis/reports/html/html_assets.h"
#include "db/outbox.h"
#include "server/answers.h"
#include "tests/db/fixtures.h"
#include "tests/server/world.h"
#include "tests/support/sample_breakdown.h"

using namespace stepscope;
using namespace stepscope::server;
using tests::header_of;

namespace {

constexpr std::string_view kAttack = "\"'><script>alert(1)</script><img src=x onerror=alert(2)>";
constexpr std::string_view kHarmless =
    "&quot;&#39;&gt;&lt;script&gt;alert(1)&lt;/script&gt;&lt;img src=x onerror=alert(2)&gt;";

struct Pages : tests::World {
  using World::World;
  bool routes = (add_page_routes(router, app), true);
};

db::RunSummary run_of(db::JobState state = db::JobState::done) {
  db::RunSummary run;
  run.job.id = 57;
  run.job.state = state;
  run.job.config = tests::some_config();
  run.job.queued_ms = 1'796'040'224'000;
  return run;
}

// Every field that somebody else writes holds markup.
RunPage hostile_page() {
  RunPage page;
  page.run = run_of(db::JobState::failed);
  db::Job& job = page.run.job;
  for (std::string* text : {&job.config.model, &job.config.precision, &job.config.hardware,
                            &job.config.framework, &job.runner, &page.run.comment_url}) {
    *text = kAttack;
  }
  job.failure = db::JobFailure{db::ErrorKind::analysis, std::string(kAttack), std::string(kAttack)};
  page.events = {{57, 0, "", std::string(kAttack), std::string(kAttack)}};
  page.comment_refusal = kAttack;
  return page;
}

}  // namespace

TEST_CASE("the list of runs says what, in which state and how long a step is") {
  CHECK(runs_page({}) == "<h1>Runs</h1>\n<p>No run yet.</p>");
  db::RunSummary done = run_of();
  done.wall_ns = 24'976'499;
  const std::string html = runs_page({done, run_of(db::JobState::queued)});
  // 24.976499 ms is printed with three decimals; what is not known yet is a dash.
  CHECK(
      html.contains("<tr><td><a href=\"/runs/57\">57</a></td><td>toy-moe fp32 on cpu, conc 4</td>"
                    "<td>builtin</td><td>done</td><td class=\"number\">24.976</td>"
                    "<td>2026-11-30 12:03:44 UTC</td></tr>"));
  CHECK(html.contains("<td>queued</td><td class=\"number\">–</td>"));
}

TEST_CASE("whatever others wrote is text on the list and on the page") {
  const RunPage page = hostile_page();
  for (const std::string& html : {runs_page({page.run}), run_page(page)}) {
    CHECK(html.contains(kHarmless));
    CHECK_FALSE(html.contains("<script"));
    CHECK_FALSE(html.contains("<img"));
  }
  const std::string html = run_page(page);
  // Title (model, precision, hardware), runner, layer, message, refusal, state and detail of the
  // event.
  std::size_t count = 0;
  for (auto at = html.find(kHarmless); at != std::string::npos; at = html.find(kHarmless, at + 1)) {
    ++count;
  }
  CHECK(count == 9);
}

TEST_CASE("the request is linked when it is an https address and never otherwise") {
  RunPage page;
  page.run = run_of();
  for (const char* url : {"", "javascript:alert(1)", "http://github.com/o/r/issues/1", " https://x",
                          "HTTPS://x", "data:text/html,x", "//x"}) {
    page.run.comment_url = url;
    CHECK_FALSE(run_page(page).contains("<a "));
  }
  page.run.comment_url = "https://github.com/o/r/issues/1?a=1&b=\"><script>";
  CHECK(run_page(page).contains(
      "<a rel=\"noreferrer\" href=\"https://github.com/o/r/issues/1?a=1&amp;b=&quot;&gt;"
      "&lt;script&gt;\">the request</a>"));
}

TEST_CASE("a page shows the report with its kernel names as text; its only script is a file") {
  RunPage page;
  page.run = run_of();
  page.breakdown = db::StoredBreakdown{};
  const auto breakdown = tests::sample_breakdown();
  page.breakdown->html = analysis::breakdown_html_fragment(breakdown, tests::sample_context());
  const auto answer = page_answer(200, "Run 57", run_page(page));
  CHECK(answer.body.contains("<script src=\"/static/report.js\" defer></script>"));
  for (const char* forbidden : {"<script>", "javascript:", " onerror=", " onload=", " style=",
                                "<img", "<iframe", "<form", "<style"}) {
    INFO(forbidden);
    CHECK_FALSE(answer.body.contains(forbidden));
  }
  CHECK(answer.body.contains("Charged 6 774 950 ns + idle 1 120 057 ns = wall 7 895 007 ns"));
}

TEST_CASE("links lead to what is there and carry on a signature") {
  RunPage page;
  page.run = run_of();
  CHECK_FALSE(run_page(page).contains("<a "));
  page.breakdown = tests::some_breakdown();
  page.run.job.trace_file = "57/t.json";
  page.link_suffix = "?sig=ab";
  const std::string html = run_page(page);
  CHECK(html.contains("<a href=\"/api/v1/runs/57/breakdown?sig=ab\">JSON</a>"));
  CHECK(html.contains("<a href=\"/runs/57/trace?sig=ab\">trace</a>"));
  CHECK(html.contains("<p>a</p>"));
}

TEST_CASE("the page tells state, runner, failure and refusal in words") {
  RunPage page;
  page.run = run_of(db::JobState::failed);
  page.run.job.runner = "local";
  page.run.job.failure = db::JobFailure{db::ErrorKind::analysis, "capture", "no luck"};
  page.comment_refusal = "the issue is locked";
  page.events = {{57, 1'796'040'224'999, "", "queued", ""}};
  const std::string html = run_page(page);
  CHECK(html.contains("<h1>Run 57: toy-moe fp32 on cpu, conc 4</h1>"));
  CHECK(html.contains("State: <strong>failed</strong>, on local. Queued 2026-11-30 12:03:44 UTC."));
  CHECK(html.contains("Failed in the layer <strong>capture</strong>:</p>\n<pre>no luck</pre>"));
  CHECK(html.contains("The comment was not posted: the issue is locked."));
  CHECK(html.contains("<tr><td>2026-11-30 12:03:44 UTC</td><td>queued</td><td></td></tr>"));
  CHECK_FALSE(html.contains("Replayed"));
  page.run.job.config.recipe = "replay";
  CHECK(run_page(page).contains("<strong>Replayed</strong>"));
}

TEST_CASE("a page loads itself again until its run is final") {
  Pages pages;
  using enum db::JobState;
  std::int64_t comment = 0;
  for (const auto state : {queued, running, analysing, done, failed, cancelled, timed_out}) {
    const auto id = tests::job_in(pages.writer, state, ++comment);
    const auto answer = pages.get("/runs/" + std::to_string(id));
    CHECK(answer.status == 200);
    const bool refreshes = answer.body.contains("<meta http-equiv=\"refresh\" content=\"2\">");
    CHECK(refreshes == !db::is_final(state));
    // The jobs before it are out of the queue, or the next one would not be claimed.
    if (!db::is_final(state)) db::Jobs(pages.writer).request_cancel(id, 1000);
  }
  CHECK_FALSE(pages.get("/runs").body.contains("refresh"));
}

TEST_CASE("pages need the token or a signed link; a link works for its own page") {
  Pages pages;
  const auto id = tests::job_in(pages.writer, db::JobState::done, 1);
  tests::job_in(pages.writer, db::JobState::done, 2);
  const std::string suffix = pages.access.link_suffix(id);
  const auto status = [&](const std::string& target) {
    return pages.ask("GET", target, {}).status;
  };
  for (const char* target : {"/", "/runs", "/runs/1", "/runs/2", "/runs/999", "/runs/x"}) {
    CHECK(status(target) == 401);
  }
  const auto answer = pages.ask("GET", "/runs/1" + suffix, {});
  CHECK(answer.status == 200);
  CHECK(answer.body.contains("/api/v1/runs/1/breakdown" + suffix));
  CHECK(header_of(answer, "Content-Security-Policy").starts_with("default-src 'none'; "));
  CHECK(status("/runs/2" + suffix) == 401);
  CHECK(status("/runs" + suffix) == 401);
  // With the token no signature is handed out.
  CHECK_FALSE(pages.get("/runs/1").body.contains("sig="));
}

TEST_CASE("both addresses of the list are the same page; what is not there is a page, too") {
  Pages pages;
  tests::job_in(pages.writer, db::JobState::done, 1);
  CHECK(pages.get("/").body == pages.get("/runs").body);
  CHECK(pages.get("/").body.contains("<a href=\"/runs/1\">1</a>"));
  for (const char* target : {"/runs/999", "/runs/0", "/runs/x", "/runs/%3Cscript%3E"}) {
    const auto answer = pages.get(target);
    CHECK(answer.status == 404);
    CHECK(answer.body.contains("<h1>No such run</h1>"));
    CHECK_FALSE(answer.body.contains("<script"));
  }
}

TEST_CASE("why a comment was not posted stands on the page of its run") {
  Pages pages;
  const auto id = tests::job_in(pages.writer, db::JobState::done, 1);
  const auto request_id = db::Jobs(pages.writer).find(id)->request_id;
  db::Outbox(pages.writer).refuse(request_id, "the issue is locked");
  CHECK(pages.get("/runs/1").body.contains("The comment was not posted: the issue is locked."));
}

TEST_CASE("the style sheet is public and may be kept for an hour") {
  Pages pages;
  const auto answer = pages.ask("GET", "/static/style.css", {});
  CHECK(answer.status == 200);
  CHECK(header_of(answer, "Content-Type") == "text/css; charset=utf-8");
  CHECK(header_of(answer, "Cache-Control") == "public, max-age=3600");
  CHECK(answer.body.contains(":root {"));
  CHECK(answer.body.contains("header a {"));
  CHECK_FALSE(answer.body.contains("url("));
}

TEST_CASE("the script is public; only a page with a report may run it") {
  Pages pages;
  const auto script = pages.ask("GET", "/static/report.js", {});
  CHECK(script.status == 200);
  CHECK(header_of(script, "Content-Type") == "text/javascript; charset=utf-8");
  CHECK(header_of(script, "Cache-Control") == "public, max-age=3600");
  CHECK(header_of(script, "X-Content-Type-Options") == "nosniff");
  CHECK(script.body == analysis::report_script());

  tests::job_in(pages.writer, db::JobState::done, 1);
  tests::job_in(pages.writer, db::JobState::queued, 2);
  const auto policy = [&](const std::string& target) {
    return std::string(header_of(pages.get(target), "Content-Security-Policy"));
  };
  CHECK(policy("/runs/1").ends_with("; script-src 'self'"));
  for (const char* target : {"/runs/2", "/runs", "/runs/999"}) {
    CHECK(policy(target).starts_with("default-src 'none'; "));
    CHECK_FALSE(policy(target).contains("script-src"));
  }
}
