#pragma once
// The few endpoints of GitHub that the product writes to and reads: comments of an issue (a pull
// request is one), reactions, a collaborator's permission. Says what came of a call (GitHubError)
// and decides nothing; retries belong to the caller.

#include <boost/asio/awaitable.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "webhooks/github_auth.h"

namespace stepscope::webhooks {

struct RepositoryRef {
  std::string full_name;             // "owner/name"
  std::int64_t installation_id = 0;  // unused with a personal token
};

struct IssueRef {
  RepositoryRef repository;
  std::int64_t number = 0;
};

struct IssueComment {
  std::int64_t id = 0;
  std::string login;       // of its author
  std::string body_start;  // the first kBodyStartBytes of the text
};

inline constexpr std::size_t kBodyStartBytes = 200;

// The URL with rel="next" in a Link header; nothing on the last page.
std::optional<std::string> next_page(std::string_view link_header);

class GitHubClient {
 public:
  // `http` and `auth` must outlive this.
  GitHubClient(GitHubHttp& http, GitHubAuth& auth) : http_(http), auth_(auth) {}

  // The account that our own comments carry as their author.
  boost::asio::awaitable<GitHubResult<GitHubAccount>> account() { return auth_.account(); }
  // The new comment's id. Not idempotent: a failure that is transient may have written it.
  boost::asio::awaitable<GitHubResult<std::int64_t>> create_comment(IssueRef issue,
                                                                    std::string body);
  boost::asio::awaitable<GitHubResult<void>> update_comment(RepositoryRef repository,
                                                            std::int64_t comment_id,
                                                            std::string body);
  // All that were written or changed since, oldest first. Fails beyond 5,000.
  boost::asio::awaitable<GitHubResult<std::vector<IssueComment>>> list_comments(
      IssueRef issue, std::int64_t since_ms);
  // "admin", "write", "read" or "none". not_found: no such user, or no right to ask.
  boost::asio::awaitable<GitHubResult<std::string>> permission(RepositoryRef repository,
                                                               std::string login);
  // `content`: +1, -1, laugh, confused, heart, hooray, rocket or eyes. Twice is once.
  boost::asio::awaitable<GitHubResult<void>> add_reaction(RepositoryRef repository,
                                                          std::int64_t comment_id,
                                                          std::string content);

 private:
  boost::asio::awaitable<GitHubResult<runtime::HttpResponse>> send(RepositoryRef repository,
                                                                   std::string method,
                                                                   std::string rest,
                                                                   std::string body);

  GitHubHttp& http_;
  GitHubAuth& auth_;
};

}  // namespace stepscope::webhooks
