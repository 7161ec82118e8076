#include "server/answers.h"

#include <fmt/format.h>

#include <charconv>
#include <cstddef>
#include <nlohmann/json.hpp>
#include <utility>

#include "analysis/reports/text.h"

namespace stepscope::server {

using runtime::HttpResponse;

// A path of 15 kB is no use to anybody when it is said back.
constexpr std::size_t kMessageCharsMax = 2000;

HttpResponse json_answer(int status, std::string body) {
  HttpResponse response;
  response.status = status;
  response.headers.emplace("Content-Type", "application/json; charset=utf-8");
  response.headers.emplace("X-Content-Type-Options", "nosniff");
  response.headers.emplace("Cache-Control", "no-store");
  response.body = std::move(body);
  return response;
}

HttpResponse error_answer(int status, std::string_view code, std::string_view message) {
  const nlohmann::ordered_json body = {
      {"error", {{"code", code}, {"message", analysis::shortened(message, kMessageCharsMax)}}}};
  return json_answer(status, body.dump() + "\n");
}

HttpResponse error_answer(int status, std::string_view message) {
  std::string_view code = status < 500 ? "bad_request" : "internal";
  if (status == 404) code = "not_found";
  if (status == 405) code = "method_not_allowed";
  if (status == 408) code = "timeout";
  if (status == 413 || status == 431) code = "too_large";
  return error_answer(status, code, message);
}

HttpResponse unauthorized() {
  HttpResponse response =
      error_answer(401, "unauthorized", "give the API token as \"Authorization: Bearer TOKEN\"");
  response.headers.emplace("WWW-Authenticate", "Bearer");
  return response;
}

HttpResponse page_answer(int status, std::string_view title, std::string_view body, int refresh_s) {
  HttpResponse response;
  response.status = status;
  response.headers.emplace("Content-Type", "text/html; charset=utf-8");
  response.headers.emplace("X-Content-Type-Options", "nosniff");
  response.headers.emplace("Referrer-Policy", "no-referrer");
  response.headers.emplace("Cache-Control", "no-store");
  response.headers.emplace("Content-Security-Policy",
                           "default-src 'none'; style-src 'self'; img-src data:; "
                           "base-uri 'none'; form-action 'none'; frame-ancestors 'none'");
  const std::string refresh =
      refresh_s > 0 ? fmt::format("<meta http-equiv=\"refresh\" content=\"{}\">\n", refresh_s) : "";
  response.body = fmt::format(
      "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n{}"
      "<title>{}</title>\n<link rel=\"icon\" href=\"data:,\">\n"
      "<link rel=\"stylesheet\" href=\"/static/style.css\">\n</head>\n<body>\n"
      "<header><a href=\"/\">stepscope</a></header>\n<main>\n{}\n</main>\n</body>\n</html>\n",
      refresh, analysis::html_text(title), body);
  return response;
}

std::optional<db::JobId> run_id_of(const runtime::HttpRequest& request) {
  const auto value = request.path_values.find("id");
  if (value == request.path_values.end()) return std::nullopt;
  const std::string& text = value->second;
  db::JobId id = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), id);
  if (error != std::errc() || end != text.data() + text.size() || id <= 0) return std::nullopt;
  return id;
}

}  // namespace stepscope::server
