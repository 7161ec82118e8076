#include "runtime/router.h"

#include <doctest/doctest.h>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <stdexcept>

namespace stepscope::runtime {

namespace {

boost::asio::awaitable<HttpResponse> answer(std::string name) {
  HttpResponse response;
  response.body = std::move(name);
  co_return response;
}

Handler named(const std::string& name) {
  return [name](const HttpRequest&) { return answer(name); };
}

// The name of the handler that was matched, "" without one.
std::string called(const Router& router, std::string_view method, std::string_view path) {
  const Router::Match match = router.match(method, path);
  if (match.handler == nullptr) {
    return "";
  }
  std::string body;
  boost::asio::io_context context;
  boost::asio::co_spawn(
      context, (*match.handler)(HttpRequest()),
      [&](const std::exception_ptr&, HttpResponse response) { body = std::move(response.body); });
  context.run();
  return body;
}

}  // namespace

TEST_CASE("method and path choose the handler") {
  Router router;
  router.add("GET", "/", named("root"));
  router.add("GET", "/api/v1/runs", named("runs"));
  router.add("POST", "/api/v1/runs", named("new run"));
  CHECK(called(router, "GET", "/") == "root");
  CHECK(called(router, "GET", "/api/v1/runs") == "runs");
  CHECK(called(router, "POST", "/api/v1/runs") == "new run");
  CHECK(called(router, "HEAD", "/api/v1/runs") == "runs");
  for (const char* path : {"", "/api/v1/runs/", "//", "/api/v1", "/API/v1/runs", "api/v1/runs"}) {
    CHECK_MESSAGE(router.match("GET", path).handler == nullptr, path);
    CHECK_MESSAGE(router.match("GET", path).status == 404, path);
  }
}

TEST_CASE("segments in braces are handed on decoded") {
  Router router;
  router.add("GET", "/runs/{id}/trace/{file}", named("trace"));
  const auto match = router.match("GET", "/runs/a%2Fb%20c/trace/x+y");
  REQUIRE(match.handler != nullptr);
  CHECK(match.path_values.at("id") == "a/b c");
  CHECK(match.path_values.at("file") == "x+y");
  CHECK(router.match("GET", "/r%75ns/1/trace/2").handler != nullptr);  // %75 is u
  CHECK(router.match("GET", "/runs//trace/2").status == 404);          // empty
  CHECK(router.match("GET", "/runs/%zz/trace/2").status == 404);       // malformed
  CHECK(router.match("GET", "/runs/a%00/trace/2").status == 404);      // hides a NUL
}

TEST_CASE("another method of a known path is 405 with what is allowed") {
  Router router;
  router.add("POST", "/x", named("post"));
  router.add("GET", "/x", named("get"));
  router.add("DELETE", "/{any}", named("delete"));
  const auto match = router.match("PUT", "/x");
  CHECK(match.handler == nullptr);
  CHECK(match.status == 405);
  CHECK(match.allow == "DELETE, GET, HEAD, POST");
  CHECK(router.match("HEAD", "/y").allow == "DELETE");
  CHECK(router.match("get", "/x").status == 405);  // methods have a case
}

TEST_CASE("a literal segment goes before a placeholder in any order of adding") {
  Router router;
  router.add("GET", "/runs/{id}", named("one"));
  router.add("GET", "/runs/latest", named("latest"));
  router.add("GET", "/runs/{id}/steps", named("steps"));
  router.add("GET", "/{kind}/latest/steps", named("kind"));
  CHECK(called(router, "GET", "/runs/latest") == "latest");
  CHECK(called(router, "GET", "/runs/7") == "one");
  CHECK(called(router, "GET", "/runs/latest/steps") == "steps");  // the first difference decides
}

TEST_CASE("limits belong to the route") {
  Router router;
  router.add("POST", "/hook", named("hook"), {.body_bytes_max = 25 << 20});
  router.add("POST", "/small", named("small"));
  CHECK(router.match("POST", "/hook").limits.body_bytes_max == 26'214'400);
  CHECK(router.match("POST", "/small").limits.body_bytes_max == 1'048'576);
}

TEST_CASE("the same route twice is a mistake of the program") {
  Router router;
  router.add("GET", "/a/{x}", named("first"));
  CHECK_THROWS_AS(router.add("GET", "/a/{y}", named("second")), std::logic_error);
  CHECK_NOTHROW(router.add("PUT", "/a/{y}", named("third")));
}

}  // namespace stepscope::runtime
