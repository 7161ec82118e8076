#pragma once
// What the routes of a daemon stand on, for tests: a real database in a folder of its own, pools, a
// clock that stands still, and a router that is asked without a socket.

#include <boost/asio/io_context.hpp>
#include <string>
#include <string_view>
#include <utility>

#include "db/catalog.h"
#include "db/database.h"
#include "db/schema.h"
#include "runtime/blocking_pool.h"
#include "runtime/router.h"
#include "server/access.h"
#include "server/app.h"
#include "server/config.h"
#include "tests/support/fake_github.h"
#include "tests/support/run_coroutine.h"
#include "tests/support/temp_folder.h"
#include "workers/artifacts.h"

namespace stepscope::tests {

inline constexpr std::string_view kToken = "a-secret-token";

inline runtime::Headers bearer(std::string_view token = kToken) {
  return {{"Authorization", "Bearer " + std::string(token)}};
}

inline std::string header_of(const runtime::HttpResponse& response, std::string_view name) {
  return std::string(runtime::header(response.headers, name).value_or(""));
}

inline runtime::HttpRequest request_for(std::string_view method, std::string_view target,
                                        runtime::Headers headers = {}, std::string body = {}) {
  runtime::HttpRequest request;
  request.method = method;
  runtime::parse_target(target, request);
  request.headers = std::move(headers);
  request.body = std::move(body);
  return request;
}

struct World {
  explicit World(server::Access own_access = {std::string(kToken), false, "a-share-key"})
      : access(std::move(own_access)) {}

  // As the HTTP server does it; a response of the router itself has no body.
  runtime::HttpResponse ask(std::string_view method, std::string_view target,
                            runtime::Headers headers = bearer(), std::string body = {}) {
    auto request = request_for(method, target, std::move(headers), std::move(body));
    auto match = router.match(method, request.path);
    if (match.handler == nullptr) {
      runtime::HttpResponse response;
      response.status = match.status;
      return response;
    }
    request.path_values = std::move(match.path_values);
    return run_coroutine(context, (*match.handler)(std::move(request)));
  }
  runtime::HttpResponse get(std::string_view target) { return ask("GET", target); }

  TempFolder folder;
  server::Config config;
  FakeClock clock{1'796'040'224'000};  // 2026-11-30T12:03:44Z
  db::Catalog catalog;
  db::Database writer{folder.path() / "stepscope.db", db::Database::Mode::read_write};
  int schema = (db::migrate(writer), db::schema_version());
  db::Database reader{folder.path() / "stepscope.db", db::Database::Mode::read_only};
  workers::Artifacts artifacts{folder.path() / "traces"};
  server::Access access;
  boost::asio::io_context context;
  runtime::BlockingPool db_write{"db_write", 1};
  runtime::BlockingPool db_read{"db_read", 1};
  int jobs_queued = 0;
  int replies_due = 0;
  server::App app{.config = config,
                  .clock = clock,
                  .db_write = db_write,
                  .writer = writer,
                  .db_read = db_read,
                  .reader = reader,
                  .catalog = catalog,
                  .artifacts = artifacts,
                  .access = access,
                  .job_queued = [this] { ++jobs_queued; },
                  .reply_due = [this] { ++replies_due; }};
  runtime::Router router;
};

}  // namespace stepscope::tests
