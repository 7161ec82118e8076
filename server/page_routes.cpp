#include "server/page_routes.h"

#include <fmt/format.h>

#include <ctime>
#include <optional>
#include <utility>

#include "analysis/reports/html/html_assets.h"
#include "analysis/reports/text.h"
#include "db/jobs.h"
#include "db/outbox.h"
#include "server/answers.h"
#include "server/style.h"

namespace stepscope::server {
namespace {

using analysis::html_text;
using boost::asio::awaitable;
using runtime::HttpRequest;
using runtime::HttpResponse;

constexpr int kRunsShown = 100;
constexpr int kRefreshSeconds = 2;

std::string utc(std::int64_t ms) {
  const std::time_t seconds = ms / 1000;
  std::tm parts{};
  gmtime_r(&seconds, &parts);
  return fmt::format("{:04}-{:02}-{:02} {:02}:{:02}:{:02} UTC", parts.tm_year + 1900,
                     parts.tm_mon + 1, parts.tm_mday, parts.tm_hour, parts.tm_min, parts.tm_sec);
}

std::string title_of(const db::RunConfig& config) {
  return fmt::format("{} {} on {}, conc {}", config.model, config.precision, config.hardware,
                     config.conc);
}

std::string events_table(const std::vector<db::JobEvent>& events) {
  std::string rows;
  for (const db::JobEvent& event : events) {
    rows += fmt::format("<tr><td>{}</td><td>{}</td><td>{}</td></tr>\n", utc(event.at_ms),
                        html_text(event.to), html_text(event.detail));
  }
  return fmt::format(
      "<details>\n<summary>What happened when</summary>\n<table>\n<thead><tr><th>time</th>"
      "<th>state</th><th>detail</th></tr></thead>\n<tbody>\n{}</tbody>\n</table>\n</details>\n",
      rows);
}

std::string links(const RunPage& page) {
  const db::Job& job = page.run.job;
  std::vector<std::string> parts;
  if (page.breakdown) {
    parts.push_back(
        fmt::format("<a href=\"/api/v1/runs/{}/breakdown{}\">JSON</a>", job.id, page.link_suffix));
  }
  if (!job.trace_file.empty()) {
    parts.push_back(
        fmt::format("<a href=\"/runs/{}/trace{}\">trace</a>", job.id, page.link_suffix));
  }
  if (page.run.comment_url.starts_with("https://")) {
    parts.push_back(fmt::format("<a rel=\"noreferrer\" href=\"{}\">the request</a>",
                                html_text(page.run.comment_url)));
  }
  return parts.empty() ? "" : fmt::format("<p>{}</p>\n", fmt::join(parts, " · "));
}

awaitable<HttpResponse> show_runs(App& app, HttpRequest request) {
  if (!app.access.may_read(request)) co_return unauthorized();
  db::RunFilter filter;
  filter.limit = kRunsShown;
  auto list = [&app, filter] { return db::History(app.reader).list(filter); };
  const auto runs = co_await app.db_read.run(std::move(list));
  co_return page_answer(200, "Runs - stepscope", runs_page(runs));
}

std::optional<RunPage> read_page(db::Database& reader, db::JobId id) {
  auto run = db::History(reader).find(id);
  if (!run) return std::nullopt;
  RunPage page;
  page.run = std::move(*run);
  page.events = db::Jobs(reader).events(id);
  page.breakdown = db::History(reader).breakdown(id);
  page.comment_refusal = db::Outbox(reader).refusal(page.run.job.request_id).value_or("");
  return page;
}

// A page with a report runs the daemon's own script file, nothing that stands in the page.
void allow_own_script(HttpResponse& answer) {
  const auto policy = answer.headers.find("Content-Security-Policy");
  if (policy != answer.headers.end()) policy->second += "; script-src 'self'";
}

awaitable<HttpResponse> show_run_page(App& app, HttpRequest request) {
  const auto id = run_id_of(request);
  if (!app.access.may_read_run(request, id.value_or(0))) co_return unauthorized();
  if (!id) co_return page_answer(404, "No such run", "<h1>No such run</h1>");
  auto read = [&app, id] { return read_page(app.reader, *id); };
  auto page = co_await app.db_read.run(std::move(read));
  if (!page) co_return page_answer(404, "No such run", "<h1>No such run</h1>");
  if (request.query.contains("sig")) page->link_suffix = app.access.link_suffix(*id);
  const bool final = db::is_final(page->run.job.state);
  const std::string title = fmt::format("Run {} - stepscope", *id);
  HttpResponse answer = page_answer(200, title, run_page(*page), final ? 0 : kRefreshSeconds);
  if (page->breakdown) allow_own_script(answer);
  co_return answer;
}

HttpResponse public_file(std::string_view content_type, std::string body) {
  HttpResponse response;
  response.headers.emplace("Content-Type", content_type);
  response.headers.emplace("X-Content-Type-Options", "nosniff");
  response.headers.emplace("Cache-Control", "public, max-age=3600");
  response.body = std::move(body);
  return response;
}

// A report's look holds for all pages.
awaitable<HttpResponse> show_style(HttpRequest) {
  std::string style(analysis::report_style());
  style += kStyleSheet;
  co_return public_file("text/css; charset=utf-8", std::move(style));
}

awaitable<HttpResponse> show_script(HttpRequest) {
  co_return public_file("text/javascript; charset=utf-8", std::string(analysis::report_script()));
}

}  // namespace

std::string runs_page(const std::vector<db::RunSummary>& runs) {
  std::string rows;
  for (const db::RunSummary& run : runs) {
    const db::RunConfig& config = run.job.config;
    rows += fmt::format(
        "<tr><td><a href=\"/runs/{0}\">{0}</a></td><td>{1}</td><td>{2}</td><td>{3}</td>"
        "<td class=\"number\">{4}</td><td>{5}</td></tr>\n",
        run.job.id, html_text(title_of(config)), html_text(config.framework),
        db::to_string(run.job.state), run.wall_ns ? analysis::format_ms(*run.wall_ns) : "–",
        utc(run.job.queued_ms));
  }
  if (runs.empty()) return "<h1>Runs</h1>\n<p>No run yet.</p>";
  return fmt::format(
      "<h1>Runs</h1>\n<table>\n<thead><tr><th>run</th><th>what</th><th>framework</th><th>state</th>"
      "<th class=\"number\">step "
      "ms</th><th>queued</th></tr></thead>\n<tbody>\n{}</tbody>\n</table>",
      rows);
}

std::string run_page(const RunPage& page) {
  const db::Job& job = page.run.job;
  std::string html = fmt::format("<h1>Run {}: {}</h1>\n<p>State: <strong>{}</strong>", job.id,
                                 html_text(title_of(job.config)), db::to_string(job.state));
  if (!job.runner.empty()) html += fmt::format(", on {}", html_text(job.runner));
  html += fmt::format(". Queued {}.", utc(job.queued_ms));
  if (job.config.recipe == "replay")
    html += " <strong>Replayed</strong>: a trace recorded earlier.";
  html += "</p>\n";
  if (job.failure) {
    html += fmt::format("<p>Failed in the layer <strong>{}</strong>:</p>\n<pre>{}</pre>\n",
                        html_text(job.failure->layer), html_text(job.failure->message));
  }
  if (!page.comment_refusal.empty()) {
    html +=
        fmt::format("<p>The comment was not posted: {}.</p>\n", html_text(page.comment_refusal));
  }
  html += links(page);
  if (page.breakdown) html += page.breakdown->html;
  html += events_table(page.events);
  if (page.breakdown) html += "<script src=\"/static/report.js\" defer></script>\n";
  return html;
}

void add_page_routes(runtime::Router& router, App& app) {
  const auto with_app = [&app](auto handler) {
    return [&app, handler](HttpRequest request) { return handler(app, std::move(request)); };
  };
  router.add("GET", "/", with_app(show_runs));
  router.add("GET", "/runs", with_app(show_runs));
  router.add("GET", "/runs/{id}", with_app(show_run_page));
  router.add("GET", "/static/style.css", show_style);
  router.add("GET", "/static/report.js", show_script);
}

}  // namespace stepscope::server
