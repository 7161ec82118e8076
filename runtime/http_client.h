#pragma once
// The seam between code that talks to an HTTP service and libcurl. Tests replace it.

#include <boost/asio/awaitable.hpp>
#include <chrono>
#include <cstdint>
#include <string>

#include "runtime/error.h"
#include "runtime/http_message.h"

namespace stepscope::runtime {

struct OutgoingRequest {
  std::string method = "GET";
  std::string url;  // https, or http on loopback
  Headers headers;
  std::string body;
  std::chrono::milliseconds timeout{15'000};
  std::uint64_t response_bytes_max = 16 << 20;
};

class HttpClient {
 public:
  virtual ~HttpClient() = default;
  // Any status is a response; an error is a failure to get one (DNS, TLS, time-out, too large).
  // Redirects are not followed. The error's text carries no header and no query.
  virtual boost::asio::awaitable<Result<HttpResponse>> send(OutgoingRequest request) = 0;
};

}  // namespace stepscope::runtime
