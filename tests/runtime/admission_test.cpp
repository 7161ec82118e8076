#include "runtime/admission.h"

#include <doctest/doctest.h>

namespace stepscope::runtime {

namespace {

boost::asio::awaitable<HttpResponse> nothing(HttpRequest) { co_return HttpResponse(); }

Router make_router() {
  Router router;
  router.add("POST", "/jobs/{id}", nothing, {.body_bytes_max = 100});
  return router;
}

HttpRequest post(std::string target, Headers headers) {
  HttpRequest request;
  request.method = "POST";
  request.target = std::move(target);
  request.headers = std::move(headers);
  return request;
}

// The status of the refusal, 200 for none.
int verdict(const Framing& framing, HttpRequest request) {
  const Router router = make_router();
  const auto match = admit(router, framing, request);
  return match ? 200 : match.error().status;
}

}  // namespace

TEST_CASE("an admitted request has its path, query and path values") {
  const Router router = make_router();
  HttpRequest request = post("/jobs/a%20b?x=1", {{"Host", "h"}});
  const auto match = admit(router, {.content_length = 100}, request);
  REQUIRE(match.has_value());
  CHECK(match->handler != nullptr);
  CHECK(match->limits.body_bytes_max == 100);
  CHECK(request.target == "/jobs/a%20b?x=1");
  CHECK(request.path == "/jobs/a%20b");
  CHECK(request.query.at("x") == "1");
  CHECK(request.path_values.at("id") == "a b");
}

TEST_CASE("a body's announced length is judged before it is read") {
  CHECK(verdict({.content_length = 100}, post("/jobs/1", {{"Host", "h"}})) == 200);
  CHECK(verdict({.content_length = 101}, post("/jobs/1", {{"Host", "h"}})) == 413);
  CHECK(verdict({.chunked = true},
                post("/jobs/1", {{"Host", "h"}, {"Transfer-Encoding", "chunked"}})) == 200);
}

TEST_CASE("HTTP/1.1 needs one Host, HTTP/1.0 none") {
  CHECK(verdict({}, post("/jobs/1", {})) == 400);
  CHECK(verdict({}, post("/jobs/1", {{"Host", "a"}, {"host", "b"}})) == 400);
  CHECK(verdict({.http_1_0 = true}, post("/jobs/1", {})) == 200);
}

TEST_CASE("framing that would be a guess is refused") {
  CHECK(verdict({}, post("/jobs/1", {{"Host", "h"}, {"Transfer-Encoding", "gzip"}})) == 400);
  CHECK(verdict({.chunked = true}, post("/jobs/1", {{"Host", "h"},
                                                    {"Transfer-Encoding", "gzip"},
                                                    {"Transfer-Encoding", "chunked"}})) == 400);
}

TEST_CASE("expectations, targets, routes") {
  CHECK(verdict({}, post("/jobs/1", {{"Host", "h"}, {"Expect", "100-Continue"}})) == 200);
  CHECK(verdict({}, post("/jobs/1", {{"Host", "h"}, {"Expect", "wonders"}})) == 417);
  CHECK(verdict({.http_1_0 = true}, post("/jobs/1", {{"Expect", "wonders"}})) == 200);
  CHECK(verdict({}, post("host:443", {{"Host", "h"}})) == 400);
  CHECK(verdict({}, post("/jobs/1?a=%", {{"Host", "h"}})) == 400);
  CHECK(verdict({}, post("/nothing", {{"Host", "h"}})) == 404);
}

TEST_CASE("a wrong method is told what is allowed") {
  const Router router = make_router();
  HttpRequest request = post("/jobs/1", {{"Host", "h"}});
  request.method = "GET";
  const auto match = admit(router, {}, request);
  REQUIRE(!match);
  CHECK(match.error().status == 405);
  CHECK(match.error().allow == "POST");
  CHECK(match.error().message == "this path does not know the method GET");
}

}  // namespace stepscope::runtime
