#pragma once
// Signs calls to GitHub: as an App (RS256 token, exchanged for installation tokens that are kept in
// memory until five minutes before they expire) or with one personal token. Holds the secrets;
// nothing it returns or logs contains them. One io_context thread.

#include <boost/asio/awaitable.hpp>
#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "webhooks/github_http.h"

namespace stepscope::webhooks {

// Either an App (issuer and key) or a personal token.
struct GitHubCredentials {
  std::string issuer;       // the App's client id, or its app id
  std::string private_key;  // PEM, PKCS#1 or PKCS#8
  std::string personal_token;
};

// Who we are to GitHub: the author of our own comments.
struct GitHubAccount {
  std::string login;        // "stepscope[bot]" for an App
  std::int64_t app_id = 0;  // 0 with a personal token
};

class GitHubAuth {
 public:
  // `http` and `clock` must outlive this.
  GitHubAuth(GitHubHttp& http, const runtime::Clock& clock, GitHubCredentials credentials);

  bool is_app() const { return credentials_.personal_token.empty(); }
  // With the installation's token, or the personal one. A token that is refused (401) is dropped
  // and the call made once more with a new one. An installation that is gone or suspended:
  // gone_for_good.
  boost::asio::awaitable<GitHubResult<runtime::HttpResponse>> send(std::int64_t installation_id,
                                                                   GitHubCall call);
  // With the App's own token (endpoints below /app). When GitHub finds its times wrong, the token
  // is made once more by GitHub's clock, and the difference remembered.
  boost::asio::awaitable<GitHubResult<runtime::HttpResponse>> send_as_app(GitHubCall call);
  // Asked once, then remembered.
  boost::asio::awaitable<GitHubResult<GitHubAccount>> account();
  // GitHub's clock minus ours, as far as it had to be corrected.
  std::int64_t clock_drift_ms() const { return drift_ms_; }

 private:
  struct Token {
    std::string text;
    std::int64_t use_until_ms = 0;
  };

  GitHubResult<std::string> app_token() const;
  bool correct_clock(const GitHubError& error);
  boost::asio::awaitable<GitHubResult<std::string>> token(std::int64_t installation_id);
  boost::asio::awaitable<GitHubResult<std::string>> new_token(std::int64_t installation_id);

  GitHubHttp& http_;
  const runtime::Clock& clock_;
  GitHubCredentials credentials_;
  std::int64_t drift_ms_ = 0;
  std::map<std::int64_t, Token> tokens_;
  std::optional<GitHubAccount> account_;
};

}  // namespace stepscope::webhooks
