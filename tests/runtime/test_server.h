#pragma once
// The HTTP server that the tests of http_server.cpp talk to: on a thread of its own, with a route
// for each thing that a handler can do. Owns its io_context and all that is in it.

#include <unistd.h>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <future>
#include <latch>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>

#include "runtime/http_server.h"
#include "runtime/wakeup.h"
#include "tests/support/http_probe.h"

namespace stepscope::runtime {

inline boost::asio::awaitable<HttpResponse> echo(HttpRequest request) {
  HttpResponse response;
  response.headers.emplace("X-Method", request.method);
  response.headers.emplace("X-Peer", request.peer);
  const auto asked = request.query.find("say");
  response.body = asked == request.query.end() ? std::move(request.body) : asked->second;
  co_return response;
}

// The header as it arrived, sorted by name.
inline boost::asio::awaitable<HttpResponse> echo_head(HttpRequest request) {
  HttpResponse response;
  for (const auto& [name, value] : request.headers) {
    response.body += name;
    response.body += ": ";
    response.body += value;
    response.body += '\n';
  }
  co_return response;
}

inline boost::asio::awaitable<HttpResponse> fail_with_secret(HttpRequest) {
  throw std::runtime_error("a detail for the log only");
  co_return HttpResponse();
}

inline boost::asio::awaitable<HttpResponse> wait_for_poke(Wakeup& poked, std::latch& begun) {
  begun.count_down();
  co_await poked.sleep(std::chrono::hours(1));
  HttpResponse response;
  response.body = "late";
  co_return response;
}

inline boost::asio::awaitable<HttpResponse> send_file(FileBody file) {
  HttpResponse response;
  response.file = std::move(file);
  co_return response;
}

inline HttpResponse plain_error(int status, std::string message) {
  HttpResponse response;
  response.status = status;
  response.headers.emplace("Content-Type", "text/plain");
  response.body = std::move(message);
  return response;
}

// A server on a thread of its own; the test is its client.
class Server {
 public:
  explicit Server(HttpServerLimits limits = {})
      : file_path_(std::filesystem::temp_directory_path() /
                   ("http_server_test_" + std::to_string(::getpid()))),
        server_(std::make_unique<HttpServer>(context_, router_, limits, plain_error)) {
    router_.add("GET", "/echo", echo);
    router_.add("POST", "/echo", echo, {.body_bytes_max = 1000});
    router_.add("POST", "/hook", echo, {.body_bytes_max = 25 << 20});
    router_.add("POST", "/head", echo_head);
    router_.add("GET", "/fail", fail_with_secret);
    const auto wait = [this](const HttpRequest&) { return wait_for_poke(poked, begun); };
    router_.add("GET", "/wait", wait);
    router_.add("POST", "/wait", wait);
    router_.add("GET", "/file", [this](const HttpRequest& request) {
      return send_file({file_path_, std::stoull(request.query.at("from")),
                        std::stoull(request.query.at("bytes"))});
    });
    server_->listen("127.0.0.1", 0);
    port = server_->port();
    thread_ = std::jthread([this] { context_.run(); });
  }
  ~Server() {
    destroy();
    context_.stop();  // a handler may still wait to be poked
    thread_.join();
    std::filesystem::remove(file_path_);
  }
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  template <class Action>
  void on_its_thread(Action action) {
    std::promise<void> done;
    boost::asio::post(context_, [&] {
      action();
      done.set_value();
    });
    done.get_future().wait();
  }
  void stop() {
    on_its_thread([this] { server_->stop(); });
  }
  void destroy() {
    on_its_thread([this] { server_.reset(); });
  }
  void poke() {
    on_its_thread([this] { poked.poke(); });
  }
  // True when run() has returned by itself after stop(): no connection is left.
  void wait_for_end() {
    work_.reset();
    thread_.join();
    context_.restart();
    work_.emplace(boost::asio::make_work_guard(context_));
    thread_ = std::jthread([this] { context_.run(); });
  }
  void write_file(std::string_view bytes) { std::ofstream(file_path_, std::ios::binary) << bytes; }

 private:
  boost::asio::io_context context_;
  std::optional<boost::asio::executor_work_guard<boost::asio::io_context::executor_type>> work_{
      boost::asio::make_work_guard(context_)};

 public:
  Wakeup poked{context_.get_executor()};
  std::latch begun{1};
  std::uint16_t port = 0;

 private:
  std::filesystem::path file_path_;
  Router router_;
  std::unique_ptr<HttpServer> server_;
  std::jthread thread_;
};

inline std::string post(std::string_view path, std::string_view body, std::string_view more = "") {
  return "POST " + std::string(path) +
         " HTTP/1.1\r\nHost: h\r\nContent-Length: " + std::to_string(body.size()) + "\r\n" +
         std::string(more) + "\r\n" + std::string(body);
}

inline std::string get(std::string_view target, std::string_view more = "") {
  return "GET " + std::string(target) + " HTTP/1.1\r\nHost: h\r\n" + std::string(more) + "\r\n";
}

inline std::string chunked(std::string_view path, std::string_view chunks) {
  return "POST " + std::string(path) +
         " HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n" + std::string(chunks);
}

}  // namespace stepscope::runtime
