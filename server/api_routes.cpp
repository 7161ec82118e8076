#include "server/api_routes.h"

#include <fmt/format.h>

#include <charconv>
#include <exception>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>
#include <vector>

#include "db/jobs.h"
#include "server/answers.h"
#include "server/run_json.h"
#include "server/submission.h"
#include "server/trace_download.h"

namespace stepscope::server {
namespace {

using boost::asio::awaitable;
using runtime::HttpRequest;
using runtime::HttpResponse;

// Failures and notes of runners may hold bytes that are no UTF-8; they are repaired, not refused.
HttpResponse document_answer(const nlohmann::ordered_json& body) {
  constexpr auto kRepair = nlohmann::ordered_json::error_handler_t::replace;
  return json_answer(200, body.dump(2, ' ', false, kRepair) + "\n");
}

HttpResponse no_such_run() { return error_answer(404, "not_found", "there is no run of this id"); }

// What is asked of one run, after the gate: the summary, or the answer that ends the request.
awaitable<std::expected<db::RunSummary, HttpResponse>> open_run(App& app,
                                                                const HttpRequest& request) {
  const auto id = run_id_of(request);
  // Without the right to read, a run that exists and one that does not look alike.
  if (!app.access.may_read_run(request, id.value_or(0))) co_return std::unexpected(unauthorized());
  if (!id) co_return std::unexpected(no_such_run());
  auto find = [&app, id] { return db::History(app.reader).find(*id); };
  auto run = co_await app.db_read.run(std::move(find));
  if (!run) co_return std::unexpected(no_such_run());
  co_return std::move(*run);
}

awaitable<HttpResponse> list_runs(App& app, HttpRequest request) {
  if (!app.access.may_read(request)) co_return unauthorized();
  auto filter = run_filter_of(request);
  if (!filter) co_return error_answer(400, "bad_request", filter.error());
  const int limit = filter->limit;
  auto list = [&app, filter = std::move(*filter)] { return db::History(app.reader).list(filter); };
  const auto runs = co_await app.db_read.run(std::move(list));
  nlohmann::ordered_json body = {{"runs", nlohmann::ordered_json::array()}};
  for (const db::RunSummary& run : runs) body["runs"].push_back(run_json(run));
  const bool full = std::ssize(runs) == limit;
  body["next_cursor"] = full ? nlohmann::ordered_json(std::to_string(runs.back().job.id)) : nullptr;
  co_return document_answer(body);
}

awaitable<HttpResponse> show_run(App& app, HttpRequest request) {
  auto run = co_await open_run(app, request);
  if (!run) co_return std::move(run.error());
  const db::JobId id = run->job.id;
  auto read = [&app, id] {
    db::Jobs jobs(app.reader);
    return std::pair(jobs.events(id), jobs.queue_position(id));
  };
  const auto more = co_await app.db_read.run(std::move(read));
  const auto body = run_detail_json(*run, more.first, more.second);
  co_return document_answer(body);
}

HttpResponse breakdown_answer(const db::StoredBreakdown& breakdown, std::string_view format) {
  if (format == "json") return json_answer(200, breakdown.json);
  if (format != "markdown" && format != "html") {
    return error_answer(400, "bad_request", "format: must be json, markdown or html");
  }
  HttpResponse response;
  response.headers.emplace("Content-Type", fmt::format("text/{}; charset=utf-8", format));
  response.headers.emplace("X-Content-Type-Options", "nosniff");
  response.headers.emplace("Content-Security-Policy", "default-src 'none'; sandbox");
  response.body = format == "markdown" ? breakdown.markdown : breakdown.html;
  return response;
}

awaitable<HttpResponse> show_breakdown(App& app, HttpRequest request) {
  auto run = co_await open_run(app, request);
  if (!run) co_return std::move(run.error());
  const db::JobId id = run->job.id;
  auto read = [&app, id] { return db::History(app.reader).breakdown(id); };
  const auto breakdown = co_await app.db_read.run(std::move(read));
  if (!breakdown) {
    const auto state = db::to_string(run->job.state);
    co_return error_answer(db::is_final(run->job.state) ? 404 : 409, "no_breakdown",
                           fmt::format("run {} has no breakdown: it is {}", id, state));
  }
  const auto format = request.query.find("format");
  co_return breakdown_answer(*breakdown, format == request.query.end() ? "json" : format->second);
}

awaitable<HttpResponse> download_trace(App& app, HttpRequest request) {
  auto run = co_await open_run(app, request);
  if (!run) co_return std::move(run.error());
  const auto file = app.artifacts.path_of(run->job.trace_file);
  co_return trace_answer(run->job, file, request);
}

awaitable<HttpResponse> submit_run(App& app, HttpRequest request) {
  if (!app.access.can_submit()) {
    co_return error_answer(403, "submission_off",
                           "no api_token_file is configured, so nothing can be submitted here");
  }
  if (!app.access.may_submit(request)) co_return unauthorized();
  auto answer = co_await submit(app, std::move(request.body));
  co_return answer;
}

awaitable<HttpResponse> health(HttpRequest) {
  HttpResponse response;
  response.headers.emplace("Content-Type", "text/plain; charset=utf-8");
  response.body = "ok\n";
  co_return response;
}

// Ready: both database connections read a table. SQLite answers "SELECT 1" without the file.
awaitable<HttpResponse> readiness(App& app, HttpRequest) {
  std::string error;
  try {
    auto ask_reader = [&app] { app.reader.execute("SELECT id FROM job LIMIT 1"); };
    auto ask_writer = [&app] { app.writer.execute("SELECT id FROM job LIMIT 1"); };
    co_await app.db_read.run(std::move(ask_reader));
    co_await app.db_write.run(std::move(ask_writer));
  } catch (const std::exception& exception) {
    error = exception.what();
  }
  if (!error.empty()) co_return error_answer(503, "not_ready", error);
  HttpResponse response;
  response.headers.emplace("Content-Type", "text/plain; charset=utf-8");
  response.body = "ready\n";
  co_return response;
}

std::expected<void, std::string> read_number(const HttpRequest& request, std::string_view key,
                                             int least, int most, std::optional<int>& target) {
  const auto found = request.query.find(key);
  if (found == request.query.end()) return {};
  int value = 0;
  const std::string& text = found->second;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value < least || value > most) {
    return std::unexpected(
        fmt::format("{}: must be a whole number from {} to {}", key, least, most));
  }
  target = value;
  return {};
}

}  // namespace

std::expected<db::RunFilter, std::string> run_filter_of(const HttpRequest& request) {
  db::RunFilter filter;
  const std::pair<std::string_view, std::optional<std::string>*> words[] = {
      {"model", &filter.model},
      {"hardware", &filter.hardware},
      {"precision", &filter.precision},
      {"framework", &filter.framework},
      {"state", &filter.state}};
  for (const auto& [key, target] : words) {
    const auto found = request.query.find(key);
    if (found != request.query.end()) *target = found->second;
  }
  if (filter.state && !db::job_state_from(*filter.state)) {
    return std::unexpected("state: is no state of a run");
  }
  std::optional<int> limit;
  if (auto read = read_number(request, "conc", 1, 1'000'000, filter.conc); !read) {
    return std::unexpected(read.error());
  }
  if (auto read = read_number(request, "limit", 1, 200, limit); !read) {
    return std::unexpected(read.error());
  }
  filter.limit = limit.value_or(filter.limit);
  const auto cursor = request.query.find("cursor");
  if (cursor != request.query.end()) {
    HttpRequest as_id;
    as_id.path_values["id"] = cursor->second;
    filter.before = run_id_of(as_id);
    if (!filter.before) return std::unexpected("cursor: take it from next_cursor of the last page");
  }
  return filter;
}

void add_api_routes(runtime::Router& router, App& app) {
  const auto with_app = [&app](auto handler) {
    return [&app, handler](HttpRequest request) { return handler(app, std::move(request)); };
  };
  router.add("GET", "/healthz", health);
  router.add("GET", "/readyz", with_app(readiness));
  router.add("GET", "/api/v1/runs", with_app(list_runs));
  router.add("POST", "/api/v1/runs", with_app(submit_run), {.body_bytes_max = 64 << 10});
  router.add("GET", "/api/v1/runs/{id}", with_app(show_run));
  router.add("GET", "/api/v1/runs/{id}/breakdown", with_app(show_breakdown));
  router.add("GET", "/api/v1/runs/{id}/trace", with_app(download_trace));
  router.add("GET", "/runs/{id}/trace", with_app(download_trace));
}

}  // namespace stepscope::server
