#include "webhooks/permission.h"

#include <algorithm>
#include <cctype>

namespace stepscope::webhooks {
namespace {

constexpr std::int64_t kRememberedMs = 300'000;
constexpr std::size_t kAnswersMax = 10'000;

std::string lower(std::string_view text) {
  std::string result(text);
  std::ranges::transform(result, result.begin(), [](unsigned char letter) {
    return static_cast<char>(std::tolower(letter));
  });
  return result;
}

}  // namespace

bool at_least_write(std::string_view permission) {
  return permission == "admin" || permission == "maintain" || permission == "write";
}

boost::asio::awaitable<GitHubResult<bool>> Permission::may_write(RepositoryRef repository,
                                                                 std::string login) {
  const std::int64_t now_ms = clock_.now_ms();
  const std::pair<std::string, std::string> key{lower(repository.full_name), lower(login)};
  const auto known = answers_.find(key);
  if (known != answers_.end() && now_ms < known->second.until_ms) {
    co_return known->second.may_write;
  }
  const GitHubResult<std::string> permission =
      co_await client_.permission(std::move(repository), std::move(login));
  if (!permission && permission.error().kind != GitHubError::Kind::not_found) {
    co_return std::unexpected(permission.error());
  }
  const Answer answer{.may_write = permission && at_least_write(*permission),
                      .until_ms = now_ms + kRememberedMs};
  if (answers_.size() >= kAnswersMax) {
    std::erase_if(answers_, [&](const auto& entry) { return entry.second.until_ms <= now_ms; });
    if (answers_.size() >= kAnswersMax) answers_.clear();
  }
  answers_.insert_or_assign(key, answer);
  co_return answer.may_write;
}

}  // namespace stepscope::webhooks
