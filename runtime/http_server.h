#pragma once
// HTTP/1.0 and 1.1 on one address: reads a request within its route's limits, calls the handler on the
// io_context, streams the answer. The only file that knows Beast is http_server.cpp. Errors that the
// handlers did not see (bad request, too large, no route, exception) are answered by `on_error`.

#include <boost/asio/awaitable.hpp>
#include <boost/asio/io_context.hpp>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "runtime/http_message.h"
#include "runtime/router.h"

namespace stepscope::runtime {

struct HttpServerLimits {
  std::uint32_t header_bytes_max = 16 << 10;
  std::chrono::seconds read_timeout{30};
  std::chrono::seconds idle_timeout{60};
  std::chrono::seconds write_timeout{300};
  std::size_t connections_max = 1024;
};

class HttpServer {
 public:
  // Makes the answer to a request that reached no handler: status and one line of reason.
  using ErrorAnswer = std::function<HttpResponse(int status, std::string message)>;

  // `context` and `router` must outlive the server.
  HttpServer(boost::asio::io_context& context, const Router& router, HttpServerLimits limits,
             ErrorAnswer on_error);
  ~HttpServer();

  // Binds and starts to accept; port 0 picks a free one. Throws std::runtime_error naming the address.
  void listen(const std::string& address, std::uint16_t port);
  std::uint16_t port() const;
  // Stops to accept and closes idle connections; answers under way are finished.
  void stop();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace stepscope::runtime
