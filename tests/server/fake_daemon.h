#pragma once
// A daemon of prepared answers on a thread of its own, for the commands that are its clients.
// Remembers what it was asked; what has no answer is 418.

#include <boost/asio/awaitable.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "runtime/http_server.h"
#include "server/client_commands.h"

namespace stepscope::tests {

struct Reply {
  int status = 200;
  std::string body;
};

class FakeDaemon {
 public:
  FakeDaemon()
      : server_(context_, router_, {}, [](int status, std::string) {
          runtime::HttpResponse response;
          response.status = status;
          return response;
        }) {
    const auto handler = [this](runtime::HttpRequest request) {
      return answer(std::move(request));
    };
    for (const char* path : {"/readyz", "/api/v1/runs", "/api/v1/runs/{id}",
                             "/api/v1/runs/{id}/breakdown", "/api/v1/runs/{id}/trace"}) {
      router_.add("GET", path, handler);
    }
    router_.add("POST", "/api/v1/runs", handler);
    server_.listen("127.0.0.1", 0);
    options.server = "http://127.0.0.1:" + std::to_string(server_.port());
    thread_ = std::jthread([this] { context_.run(); });
  }
  ~FakeDaemon() {
    context_.stop();
    thread_.join();
  }
  FakeDaemon(const FakeDaemon&) = delete;
  FakeDaemon& operator=(const FakeDaemon&) = delete;

  void reply(const std::string& request, Reply reply) {
    const std::lock_guard lock(mutex_);
    replies_[request] = std::move(reply);
  }
  std::vector<runtime::HttpRequest> requests() {
    const std::lock_guard lock(mutex_);
    return requests_;
  }

  server::ClientOptions options;

 private:
  boost::asio::awaitable<runtime::HttpResponse> answer(runtime::HttpRequest request) {
    runtime::HttpResponse response;
    const std::lock_guard lock(mutex_);
    const auto found = replies_.find(request.method + " " + request.target);
    response.status = found == replies_.end() ? 418 : found->second.status;
    if (found != replies_.end()) response.body = found->second.body;
    requests_.push_back(std::move(request));
    co_return response;
  }

  std::mutex mutex_;
  std::map<std::string, Reply> replies_;
  std::vector<runtime::HttpRequest> requests_;
  boost::asio::io_context context_;
  boost::asio::executor_work_guard<boost::asio::io_context::executor_type> work_ =
      boost::asio::make_work_guard(context_);
  runtime::Router router_;
  runtime::HttpServer server_;
  std::jthread thread_;
};

}  // namespace stepscope::tests
