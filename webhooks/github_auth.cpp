#include "webhooks/github_auth.h"

#include <fmt/format.h>

#include <cstdlib>
#include <nlohmann/json.hpp>
#include <utility>

#include "runtime/crypto.h"
#include "runtime/log.h"
#include "webhooks/github_time.h"

namespace stepscope::webhooks {
namespace {

// A token is not used in its last five minutes: a call may take a while to arrive.
constexpr std::int64_t kTokenReserveMs = 300'000;
// A clock that differs by less can not be why GitHub refuses a token.
constexpr std::int64_t kDriftMinMs = 30'000;
constexpr std::int64_t kIssuedBeforeS = 60;
constexpr std::int64_t kExpiresAfterS = 540;

GitHubError unreadable(const GitHubCall& call) {
  GitHubError error;
  error.message =
      fmt::format("{} {}: the answer is not what GitHub describes", call.method, call.path);
  error.transient = true;
  return error;
}

std::string text_at(const nlohmann::json& object, const char* key) {
  const auto value = object.find(key);
  return value != object.end() && value->is_string() ? value->get<std::string>() : std::string();
}

}  // namespace

GitHubAuth::GitHubAuth(GitHubHttp& http, const runtime::Clock& clock, GitHubCredentials credentials)
    : http_(http), clock_(clock), credentials_(std::move(credentials)) {}

GitHubResult<std::string> GitHubAuth::app_token() const {
  const std::int64_t now_s = (clock_.now_ms() + drift_ms_) / 1000;
  const nlohmann::json claims = {{"iat", now_s - kIssuedBeforeS},
                                 {"exp", now_s + kExpiresAfterS},
                                 {"iss", credentials_.issuer}};
  const std::string head = runtime::base64url(R"({"alg":"RS256","typ":"JWT"})");
  const std::string body = head + "." + runtime::base64url(claims.dump());
  const runtime::Result<std::string> signature =
      runtime::rs256_sign(credentials_.private_key, body);
  if (!signature) {
    GitHubError error;
    error.message = "cannot sign in as a GitHub App: " + signature.error().message;
    return std::unexpected(std::move(error));
  }
  return body + "." + runtime::base64url(*signature);
}

bool GitHubAuth::correct_clock(const GitHubError& error) {
  if (error.kind != GitHubError::Kind::unauthorized || !error.server_time_ms) return false;
  const std::int64_t drift_ms = *error.server_time_ms - clock_.now_ms();
  if (std::abs(drift_ms - drift_ms_) < kDriftMinMs) return false;
  drift_ms_ = drift_ms;
  runtime::log(runtime::LogLevel::warning, "this machine's clock differs from GitHub's",
               {{"drift_ms", fmt::to_string(drift_ms)}});
  return true;
}

boost::asio::awaitable<GitHubResult<runtime::HttpResponse>> GitHubAuth::send_as_app(
    GitHubCall call) {
  for (bool again = true;; again = false) {
    const GitHubResult<std::string> token = app_token();
    if (!token) co_return std::unexpected(token.error());
    call.authorization = "Bearer " + *token;
    GitHubResult<runtime::HttpResponse> answer = co_await http_.send(call);
    if (answer || !again || !correct_clock(answer.error())) co_return answer;
  }
}

boost::asio::awaitable<GitHubResult<std::string>> GitHubAuth::new_token(
    std::int64_t installation_id) {
  GitHubCall call;
  call.method = "POST";
  call.path = fmt::format("/app/installations/{}/access_tokens", installation_id);
  call.body = "{}";
  GitHubResult<runtime::HttpResponse> answer = co_await send_as_app(call);
  if (!answer) {
    GitHubError error = std::move(answer.error());
    if (error.kind == GitHubError::Kind::not_found) {
      error.kind = GitHubError::Kind::gone_for_good;
      error.reason = "the app is not installed there any more";
    }
    co_return std::unexpected(std::move(error));
  }
  const nlohmann::json body = nlohmann::json::parse(answer->body, nullptr, false);
  Token token;
  if (body.is_object()) token.text = text_at(body, "token");
  if (token.text.empty()) co_return std::unexpected(unreadable(call));
  // expires_at is a reading of GitHub's clock.
  const std::int64_t now_ms = clock_.now_ms() + drift_ms_;
  const std::int64_t expires_ms = parse_iso8601(text_at(body, "expires_at")).value_or(now_ms);
  token.use_until_ms = expires_ms - drift_ms_ - kTokenReserveMs;
  std::erase_if(tokens_,
                [&](const auto& entry) { return entry.second.use_until_ms <= clock_.now_ms(); });
  const std::string text = token.text;
  tokens_.insert_or_assign(installation_id, std::move(token));
  co_return text;
}

boost::asio::awaitable<GitHubResult<std::string>> GitHubAuth::token(std::int64_t installation_id) {
  if (!is_app()) co_return credentials_.personal_token;
  const auto known = tokens_.find(installation_id);
  if (known != tokens_.end() && clock_.now_ms() < known->second.use_until_ms) {
    co_return known->second.text;
  }
  co_return co_await new_token(installation_id);
}

boost::asio::awaitable<GitHubResult<runtime::HttpResponse>> GitHubAuth::send(
    std::int64_t installation_id, GitHubCall call) {
  for (bool again = is_app();; again = false) {
    const GitHubResult<std::string> text = co_await token(installation_id);
    if (!text) co_return std::unexpected(text.error());
    call.authorization = "Bearer " + *text;
    GitHubResult<runtime::HttpResponse> answer = co_await http_.send(call);
    const bool refused = !answer && answer.error().kind == GitHubError::Kind::unauthorized;
    if (!refused || !again) co_return answer;
    tokens_.erase(installation_id);
  }
}

boost::asio::awaitable<GitHubResult<GitHubAccount>> GitHubAuth::account() {
  if (account_) co_return *account_;
  GitHubCall call;
  call.path = is_app() ? "/app" : "/user";
  GitHubResult<runtime::HttpResponse> answer;
  if (is_app()) {
    answer = co_await send_as_app(call);
  } else {
    answer = co_await send(0, call);
  }
  if (!answer) co_return std::unexpected(std::move(answer.error()));
  const nlohmann::json body = nlohmann::json::parse(answer->body, nullptr, false);
  GitHubAccount account;
  if (body.is_object() && is_app()) {
    const std::string slug = text_at(body, "slug");
    if (!slug.empty()) account.login = slug + "[bot]";
    const auto id = body.find("id");
    if (id != body.end() && id->is_number_integer()) account.app_id = id->get<std::int64_t>();
  } else if (body.is_object()) {
    account.login = text_at(body, "login");
  }
  if (account.login.empty()) co_return std::unexpected(unreadable(call));
  account_ = account;
  co_return account;
}

}  // namespace stepscope::webhooks
