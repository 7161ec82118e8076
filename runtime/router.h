#pragma once
// Method and path template to handler: "/api/v1/runs/{id}/trace". Pure matching; knows no socket.

#include <boost/asio/awaitable.hpp>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/http_message.h"

namespace stepscope::runtime {

using Handler = std::function<boost::asio::awaitable<HttpResponse>(HttpRequest)>;

struct RouteLimits {
  std::uint64_t body_bytes_max = 1 << 20;
};

class Router {
 public:
  // A segment in braces matches one non-empty segment and is handed on decoded in path_values.
  void add(std::string method, const std::string& path_template, Handler handler,
           RouteLimits limits = {});

  struct Match {
    const Handler* handler = nullptr;  // null: no route
    RouteLimits limits;
    int status = 404;  // 404, or 405 with `allow`
    std::string allow;
    std::map<std::string, std::string, std::less<>> path_values;
  };
  // HEAD matches GET routes.
  Match match(std::string_view method, std::string_view path) const;

 private:
  struct Route {
    std::string method;
    std::vector<std::string> segments;
    Handler handler;
    RouteLimits limits;
  };
  std::vector<Route> routes_;
};

}  // namespace stepscope::runtime
