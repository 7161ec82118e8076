#pragma once
// Who may start runs in a repository: those with at least write access, asked of GitHub's
// collaborators endpoint and remembered for five minutes. author_association is never used: it does
// not say.

#include <boost/asio/awaitable.hpp>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "runtime/clock.h"
#include "webhooks/github_client.h"

namespace stepscope::webhooks {

// GitHub answers admin, write, read or none here; maintain counts as write, triage as read.
bool at_least_write(std::string_view permission);

class Permission {
 public:
  // `client` and `clock` must outlive this.
  Permission(GitHubClient& client, const runtime::Clock& clock) : client_(client), clock_(clock) {}

  // Whoever GitHub does not know there may not. Failures are not remembered.
  boost::asio::awaitable<GitHubResult<bool>> may_write(RepositoryRef repository, std::string login);

 private:
  struct Answer {
    bool may_write = false;
    std::int64_t until_ms = 0;
  };

  GitHubClient& client_;
  const runtime::Clock& clock_;
  std::map<std::pair<std::string, std::string>, Answer>
      answers_;  // (repository, login), lower case
};

}  // namespace stepscope::webhooks
