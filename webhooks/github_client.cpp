#include "webhooks/github_client.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <utility>

#include "webhooks/github_time.h"

namespace stepscope::webhooks {
namespace {

constexpr int kPageSize = 100;
constexpr int kPagesMax = 50;

std::unexpected<GitHubError> failure(std::string message, bool transient = false) {
  GitHubError error;
  error.message = std::move(message);
  error.transient = transient;
  return std::unexpected(std::move(error));
}

// "/repos/owner/name", or nothing when the name is not of that form.
std::optional<std::string> repository_path(std::string_view full_name) {
  const std::size_t slash = full_name.find('/');
  if (slash == std::string_view::npos) return std::nullopt;
  const std::string_view owner = full_name.substr(0, slash);
  const std::string_view name = full_name.substr(slash + 1);
  for (const std::string_view part : {owner, name}) {
    if (part.empty() || part == "." || part == ".." || part.contains('/')) return std::nullopt;
  }
  return fmt::format("/repos/{}/{}", runtime::percent_encode(owner), runtime::percent_encode(name));
}

// A text that is not UTF-8 is repaired and not refused.
std::string json_field(const char* key, std::string value) {
  const nlohmann::json body = {{key, std::move(value)}};
  return body.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

std::int64_t id_of(const nlohmann::json& object) {
  const auto id = object.find("id");
  return id != object.end() && id->is_number_integer() ? id->get<std::int64_t>() : 0;
}

std::optional<IssueComment> read_comment(const nlohmann::json& item) {
  if (!item.is_object()) return std::nullopt;
  IssueComment comment;
  comment.id = id_of(item);
  const auto user = item.find("user");  // null for an account that is gone
  if (user != item.end() && user->is_object() && user->contains("login") &&
      (*user)["login"].is_string()) {
    comment.login = (*user)["login"].get<std::string>();
  }
  const auto body = item.find("body");
  if (body != item.end() && body->is_string()) {
    comment.body_start = body->get_ref<const std::string&>().substr(0, kBodyStartBytes);
  }
  if (comment.id == 0) return std::nullopt;
  return comment;
}

}  // namespace

std::optional<std::string> next_page(std::string_view link_header) {
  std::size_t at = 0;
  while ((at = link_header.find('<', at)) != std::string_view::npos) {
    const std::size_t end = link_header.find('>', at);
    if (end == std::string_view::npos) return std::nullopt;
    const std::size_t next = link_header.find('<', end);
    const std::string_view parameters = link_header.substr(end, next - end);
    if (parameters.contains("rel=\"next\"")) {
      return std::string(link_header.substr(at + 1, end - at - 1));
    }
    at = end;
  }
  return std::nullopt;
}

boost::asio::awaitable<GitHubResult<runtime::HttpResponse>> GitHubClient::send(
    RepositoryRef repository, std::string method, std::string rest, std::string body) {
  const std::optional<std::string> path = repository_path(repository.full_name);
  if (!path) co_return failure("the repository's name is not owner/name");
  GitHubCall call;
  call.method = std::move(method);
  call.path = *path + rest;
  call.body = std::move(body);
  co_return co_await auth_.send(repository.installation_id, call);
}

boost::asio::awaitable<GitHubResult<std::int64_t>> GitHubClient::create_comment(IssueRef issue,
                                                                                std::string body) {
  const std::string rest = fmt::format("/issues/{}/comments", issue.number);
  std::string json = json_field("body", std::move(body));
  GitHubResult<runtime::HttpResponse> answer =
      co_await send(issue.repository, "POST", rest, std::move(json));
  if (!answer) co_return std::unexpected(std::move(answer.error()));
  const nlohmann::json created = nlohmann::json::parse(answer->body, nullptr, false);
  const std::int64_t id = created.is_object() ? id_of(created) : 0;
  if (id == 0) co_return failure("GitHub's answer to a new comment holds no id", true);
  co_return id;
}

boost::asio::awaitable<GitHubResult<void>> GitHubClient::update_comment(RepositoryRef repository,
                                                                        std::int64_t comment_id,
                                                                        std::string body) {
  const std::string rest = fmt::format("/issues/comments/{}", comment_id);
  std::string json = json_field("body", std::move(body));
  GitHubResult<runtime::HttpResponse> answer =
      co_await send(std::move(repository), "PATCH", rest, std::move(json));
  if (!answer) co_return std::unexpected(std::move(answer.error()));
  co_return GitHubResult<void>();
}

boost::asio::awaitable<GitHubResult<std::vector<IssueComment>>> GitHubClient::list_comments(
    IssueRef issue, std::int64_t since_ms) {
  const std::optional<std::string> repository = repository_path(issue.repository.full_name);
  if (!repository) co_return failure("the repository's name is not owner/name");
  GitHubCall call;
  call.path = fmt::format("{}/issues/{}/comments?per_page={}&since={}", *repository, issue.number,
                          kPageSize, format_iso8601(since_ms));
  std::vector<IssueComment> comments;
  for (int page = 0; page < kPagesMax; ++page) {
    GitHubResult<runtime::HttpResponse> answer =
        co_await auth_.send(issue.repository.installation_id, call);
    if (!answer) co_return std::unexpected(std::move(answer.error()));
    const nlohmann::json items = nlohmann::json::parse(answer->body, nullptr, false);
    if (!items.is_array()) co_return failure("GitHub's list of comments cannot be read", true);
    for (const nlohmann::json& item : items) {
      std::optional<IssueComment> comment = read_comment(item);
      if (comment) comments.push_back(std::move(*comment));
    }
    const std::optional<std::string_view> links = runtime::header(answer->headers, "Link");
    const std::optional<std::string> next = next_page(links.value_or(""));
    if (!next) co_return comments;
    const std::optional<std::string> path = http_.path_below_api(*next);
    if (!path) co_return failure("GitHub's list of comments goes on at another host");
    call.path = *path;
  }
  co_return failure(fmt::format("the issue has more than {} new comments", kPagesMax * kPageSize));
}

boost::asio::awaitable<GitHubResult<std::string>> GitHubClient::permission(RepositoryRef repository,
                                                                           std::string login) {
  const std::string rest =
      fmt::format("/collaborators/{}/permission", runtime::percent_encode(login));
  GitHubResult<runtime::HttpResponse> answer =
      co_await send(std::move(repository), "GET", rest, "");
  if (!answer) co_return std::unexpected(std::move(answer.error()));
  const nlohmann::json body = nlohmann::json::parse(answer->body, nullptr, false);
  if (!body.is_object() || !body.contains("permission") || !body["permission"].is_string()) {
    co_return failure("GitHub's answer on a permission cannot be read", true);
  }
  co_return body["permission"].get<std::string>();
}

boost::asio::awaitable<GitHubResult<void>> GitHubClient::add_reaction(RepositoryRef repository,
                                                                      std::int64_t comment_id,
                                                                      std::string content) {
  const std::string rest = fmt::format("/issues/comments/{}/reactions", comment_id);
  std::string json = json_field("content", std::move(content));
  GitHubResult<runtime::HttpResponse> answer =
      co_await send(std::move(repository), "POST", rest, std::move(json));
  if (!answer) co_return std::unexpected(std::move(answer.error()));
  co_return GitHubResult<void>();
}

}  // namespace stepscope::webhooks
