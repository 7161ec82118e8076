#pragma once
// HTTP/1.0 and 1.1 on one address: reads a request within its route's limits, calls the handler on
// the io_context, streams the answer. The only file that knows Beast is http_server.cpp. Errors
// that the handlers did not see (bad request, too large, no route, exception) are answered by
// `on_error`. All calls happen on the io_context's one thread, or while it does not run.

#include <boost/asio/awaitable.hpp>
#include <boost/asio/io_context.hpp>
#include <chrono>
#include <cstdint>
#include <memory>
#include <string>

#include "runtime/answer.h"
#include "runtime/router.h"

namespace stepscope::runtime {

struct HttpServerLimits {
  std::uint32_t header_bytes_max = 16 << 10;
  // For the first byte of a connection, for a whole header, for each pause within a body; a body
  // must also keep up 64 KiB/s on the whole.
  std::chrono::milliseconds read_timeout{30'000};
  std::chrono::milliseconds idle_timeout{60'000};   // between requests
  std::chrono::milliseconds write_timeout{60'000};  // for each pause; 64 KiB/s on the whole
  std::size_t connections_max = 1024;               // more are answered 503 and closed
  std::uint64_t bodies_bytes_max = 512 << 20;       // of all requests under way; more: 503
};

class HttpServer {
 public:
  using ErrorAnswer = runtime::ErrorAnswer;

  // `context` and `router` must outlive the server.
  HttpServer(boost::asio::io_context& context, const Router& router, HttpServerLimits limits,
             ErrorAnswer on_error);
  ~HttpServer();

  // Binds and starts to accept; port 0 picks a free one. Throws std::runtime_error naming the
  // address.
  void listen(const std::string& address, std::uint16_t port);
  std::uint16_t port() const;
  // Stops to accept and closes idle connections; answers under way are finished.
  void stop();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace stepscope::runtime
