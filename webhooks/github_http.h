#pragma once
// One call to GitHub's REST API: the headers that every call carries, redirects inside the same
// API, and what a refusal means. Knows no endpoint and holds no credentials; no error text carries
// any.

#include <boost/asio/awaitable.hpp>
#include <cstdint>
#include <expected>
#include <optional>
#include <string>
#include <string_view>

#include "runtime/clock.h"
#include "runtime/http_client.h"

namespace stepscope::webhooks {

struct GitHubSettings {
  std::string api_url = "https://api.github.com";  // Enterprise Server: https://HOST/api/v3
  std::string api_version = "2022-11-28";
};

struct GitHubError {
  enum class Kind {
    gone_for_good,  // never again: locked, deleted, archived, blocked, suspended; see `reason`
    not_found,      // also: no right to see it
    retry_after,    // a rate limit; not before `wait_ms` from now
    unauthorized,
    failed,
  };
  Kind kind = Kind::failed;
  std::string message;  // one line: what was asked, the status, what GitHub said
  std::string reason;   // gone_for_good only: a few words for people
  std::int64_t wait_ms = 0;
  bool wait_is_a_guess = false;  // GitHub named no time: double it each time
  bool transient =
      false;  // failed only: the same call may succeed later, and may have been carried out
  std::optional<std::int64_t> server_time_ms;  // GitHub's clock, where the answer told it
};

inline constexpr std::string_view kReasonLocked = "the issue is locked";

template <class T>
using GitHubResult = std::expected<T, GitHubError>;

struct GitHubCall {
  std::string method = "GET";
  std::string path;  // below the API's URL, with the query: "/repos/o/r/issues/1/comments?page=2"
  std::string authorization;  // value of the header
  std::string body;           // JSON, or empty
};

// What an answer other than 2xx means. Rate limits are read in GitHub's order: Retry-After, then
// X-RateLimit-Remaining 0 with X-RateLimit-Reset, else a minute.
GitHubError read_refusal(const GitHubCall& call, const runtime::HttpResponse& response,
                         std::int64_t now_ms);

class GitHubHttp {
 public:
  // `http` and `clock` must outlive this.
  GitHubHttp(runtime::HttpClient& http, const runtime::Clock& clock, GitHubSettings settings);

  // The answer when it is 2xx. 301, 302, 307 and 308 are followed with the same method and body, at
  // most three in a row and never out of the API's URL: credentials go nowhere else.
  boost::asio::awaitable<GitHubResult<runtime::HttpResponse>> send(GitHubCall call);

  // The path below the API's URL, of a link that GitHub sent; nothing when it leads elsewhere.
  std::optional<std::string> path_below_api(std::string_view url) const;

 private:
  runtime::OutgoingRequest prepare(const GitHubCall& call) const;

  runtime::HttpClient& http_;
  const runtime::Clock& clock_;
  GitHubSettings settings_;
};

}  // namespace stepscope::webhooks
