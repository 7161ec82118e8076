#include "webhooks/github_http.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <nlohmann/json.hpp>
#include <utility>

#include "analysis/reports/text.h"
#include "runtime/log.h"
#include "webhooks/github_time.h"

namespace stepscope::webhooks {
namespace {

using Kind = GitHubError::Kind;

constexpr int kRedirectsMax = 3;
constexpr std::int64_t kGuessedWaitMs = 60'000;
constexpr std::int64_t kLongestWaitMs = 24LL * 3600 * 1000;
constexpr std::size_t kSaidBytesMax = 300;

struct FinalAnswer {
  std::string_view words;  // in GitHub's sentence, lower case
  std::string_view reason;
};
constexpr std::array<FinalAnswer, 5> kFinalAnswers{{
    {"is locked", kReasonLocked},
    {"archived", "the repository is archived"},
    {"suspended", "the app's installation is suspended"},
    {"blocked", "the owner has blocked this account"},
    {"interaction", "the repository limits who may write"},
}};

std::string lower(std::string_view text) {
  std::string result(text);
  std::ranges::transform(result, result.begin(), [](unsigned char letter) {
    return static_cast<char>(std::tolower(letter));
  });
  return result;
}

// GitHub's own words: "message" and the first of "errors", without anything secret.
std::string said(const runtime::HttpResponse& response) {
  const nlohmann::json body = nlohmann::json::parse(response.body, nullptr, false);
  if (!body.is_object()) return "(no message)";
  std::string text;
  if (const auto message = body.find("message"); message != body.end() && message->is_string()) {
    text = message->get<std::string>();
  }
  const auto errors = body.find("errors");
  if (errors != body.end() && errors->is_array() && !errors->empty()) {
    const nlohmann::json& first = errors->front();
    if (first.is_object() && first.contains("message") && first["message"].is_string()) {
      text += ": " + first["message"].get<std::string>();
    }
  }
  if (text.size() > kSaidBytesMax) text.resize(kSaidBytesMax);
  return analysis::harmless_text(runtime::redact(text));
}

std::optional<std::int64_t> number_in(const runtime::Headers& headers, std::string_view name) {
  const std::optional<std::string_view> value = runtime::header(headers, name);
  std::int64_t number = 0;
  if (!value) return std::nullopt;
  const auto [end, fault] = std::from_chars(value->data(), value->data() + value->size(), number);
  if (fault != std::errc{} || end != value->data() + value->size()) return std::nullopt;
  return number;
}

// Sets kind and wait when the answer is a rate limit.
bool read_rate_limit(const runtime::HttpResponse& response, std::string_view words,
                     std::int64_t now_ms, GitHubError& error) {
  const bool may_be = response.status == 403 || response.status == 429 || response.status == 503;
  if (!may_be) return false;
  const std::optional<std::int64_t> seconds = number_in(response.headers, "Retry-After");
  const std::optional<std::int64_t> reset = number_in(response.headers, "X-RateLimit-Reset");
  const bool spent = number_in(response.headers, "X-RateLimit-Remaining") == 0;
  std::int64_t wait_ms = 0;
  if (seconds) {
    wait_ms = std::clamp<std::int64_t>(*seconds, 0, kLongestWaitMs / 1000) * 1000;
  } else if (spent && reset && response.status != 503) {
    // Measured against GitHub's clock, of which the reset is a reading; one second for rounding.
    const std::int64_t reset_s = std::clamp<std::int64_t>(*reset, 0, 1LL << 40);
    wait_ms = reset_s * 1000 - error.server_time_ms.value_or(now_ms) + 1000;
  } else if (response.status == 429 || words.contains("rate limit") || words.contains("abuse")) {
    wait_ms = kGuessedWaitMs;
    error.wait_is_a_guess = true;
  } else {
    return false;
  }
  error.kind = Kind::retry_after;
  error.wait_ms = std::clamp<std::int64_t>(wait_ms, 1000, kLongestWaitMs);
  return true;
}

void read_kind(const runtime::HttpResponse& response, std::string_view words, GitHubError& error) {
  const int status = response.status;
  if (status == 401) {
    error.kind = Kind::unauthorized;
  } else if (status == 404) {
    error.kind = Kind::not_found;
  } else if (status == 410) {
    error.kind = Kind::gone_for_good;
    error.reason = "the issue was deleted, or issues are switched off";
  } else if (status == 451) {
    error.kind = Kind::gone_for_good;
    error.reason = "the repository is not available for legal reasons";
  } else if (status == 403 || status == 422) {
    const auto final_answer = std::ranges::find_if(
        kFinalAnswers, [&](const FinalAnswer& answer) { return words.contains(answer.words); });
    if (final_answer != kFinalAnswers.end()) {
      error.kind = Kind::gone_for_good;
      error.reason = final_answer->reason;
    }
  } else {
    error.transient = status >= 500 || status == 408;
  }
}

bool is_redirect(int status) {
  return status == 301 || status == 302 || status == 307 || status == 308;
}

}  // namespace

GitHubError read_refusal(const GitHubCall& call, const runtime::HttpResponse& response,
                         std::int64_t now_ms) {
  GitHubError error;
  const std::string text = said(response);
  error.message = fmt::format("GitHub answered {} to {} {}: {}", response.status, call.method,
                              call.path.substr(0, call.path.find('?')), text);
  const std::optional<std::string_view> date = runtime::header(response.headers, "Date");
  if (date) error.server_time_ms = parse_http_date(*date);
  const std::string words = lower(text);
  if (!read_rate_limit(response, words, now_ms, error)) read_kind(response, words, error);
  const std::optional<std::string_view> needed =
      runtime::header(response.headers, "X-Accepted-GitHub-Permissions");
  if (response.status == 403 && error.kind == Kind::failed && needed) {
    error.message += fmt::format(" (needs {})", analysis::harmless_text(needed->substr(0, 200)));
  }
  return error;
}

GitHubHttp::GitHubHttp(runtime::HttpClient& http, const runtime::Clock& clock,
                       GitHubSettings settings)
    : http_(http), clock_(clock), settings_(std::move(settings)) {
  while (settings_.api_url.ends_with('/')) settings_.api_url.pop_back();
}

runtime::OutgoingRequest GitHubHttp::prepare(const GitHubCall& call) const {
  runtime::OutgoingRequest request;
  request.method = call.method;
  request.url = settings_.api_url + call.path;
  request.headers.emplace("Accept", "application/vnd.github+json");
  request.headers.emplace("X-GitHub-Api-Version", settings_.api_version);
  request.headers.emplace("User-Agent", "stepscope/" STEPSCOPE_VERSION);
  request.headers.emplace("Authorization", call.authorization);
  if (!call.body.empty()) request.headers.emplace("Content-Type", "application/json");
  request.body = call.body;
  return request;
}

std::optional<std::string> GitHubHttp::path_below_api(std::string_view url) const {
  const std::string_view api = settings_.api_url;
  if (!url.starts_with(api) || url.size() == api.size() || url[api.size()] != '/') {
    return std::nullopt;
  }
  const std::string_view path = url.substr(api.size());
  if (path.contains("/..") || path.contains('\\')) return std::nullopt;
  return std::string(path);
}

boost::asio::awaitable<GitHubResult<runtime::HttpResponse>> GitHubHttp::send(GitHubCall call) {
  for (int hop = 0; hop <= kRedirectsMax; ++hop) {
    runtime::OutgoingRequest request = prepare(call);
    runtime::Result<runtime::HttpResponse> answer = co_await http_.send(std::move(request));
    if (!answer) {
      GitHubError error;
      error.message = fmt::format("{} {}: {}", call.method,
                                  call.path.substr(0, call.path.find('?')), answer.error().message);
      error.transient = true;
      co_return std::unexpected(std::move(error));
    }
    if (answer->status >= 200 && answer->status < 300) co_return std::move(*answer);
    std::optional<std::string> moved;
    if (is_redirect(answer->status)) {
      const std::optional<std::string_view> to = runtime::header(answer->headers, "Location");
      if (to) moved = path_below_api(*to);
    }
    if (!moved) co_return std::unexpected(read_refusal(call, *answer, clock_.now_ms()));
    call.path = *moved;
  }
  GitHubError error;
  error.message = fmt::format("{} {}: more than {} redirects", call.method,
                              call.path.substr(0, call.path.find('?')), kRedirectsMax);
  co_return std::unexpected(std::move(error));
}

}  // namespace stepscope::webhooks
