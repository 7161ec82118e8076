#include "runtime/answer.h"

#include <doctest/doctest.h>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <optional>
#include <stdexcept>

#include "tests/support/http_probe.h"

namespace stepscope::runtime {

namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using tests::HttpProbe;
using tests::ProbeResponse;

HttpResponse plain_error(int status, std::string message) {
  HttpResponse response;
  response.status = status;
  response.body = std::move(message);
  return response;
}

struct Fixture {
  asio::io_context context;
  tcp::acceptor acceptor{context, tcp::endpoint(asio::ip::address_v4::loopback(), 0)};
  HttpProbe probe{acceptor.local_endpoint().port()};
  TimedSocket socket{acceptor.accept()};
  ErrorAnswer on_error = plain_error;

  std::optional<bool> send(HttpResponse response, AnswerShape shape) {
    std::optional<bool> sent;
    auto on_end = [&](const std::exception_ptr&, bool done) { sent = done; };
    asio::co_spawn(context,
                   send_answer(socket, std::move(response), shape, std::chrono::hours(1), on_error),
                   on_end);
    while (!sent) {
      context.run_one();
    }
    return sent;
  }
};

asio::awaitable<HttpResponse> give_path(HttpRequest request) {
  HttpResponse response;
  response.body = request.path;
  co_return response;
}

asio::awaitable<HttpResponse> give_up(HttpRequest) {
  throw std::runtime_error("no disk");
  co_return HttpResponse();
}

HttpResponse called(const Handler& handler) {
  asio::io_context context;
  HttpRequest request;
  request.path = "/p";
  HttpResponse response;
  const ErrorAnswer on_error = plain_error;
  auto on_end = [&](const std::exception_ptr&, HttpResponse given) { response = std::move(given); };
  asio::co_spawn(context, call_handler(handler, request, on_error), on_end);
  context.run();
  return response;
}

}  // namespace

TEST_CASE_FIXTURE(Fixture, "an answer with its length, another one after it") {
  HttpResponse response;
  response.body = "hello";
  CHECK(send(response, {.keep_alive = true}) == true);
  CHECK(send(response, {.head_only = true, .keep_alive = true}) == true);
  response.status = 204;
  CHECK(send(response, {.keep_alive = true}) == true);
  response.status = 201;
  CHECK(send(response, {}) == true);
  const ProbeResponse first = probe.read_response();
  CHECK(first.status == 200);
  CHECK(first.body == "hello");
  const ProbeResponse head = probe.read_response(false);
  CHECK(head.header("content-length") == "5");
  const ProbeResponse empty = probe.read_response();
  CHECK(empty.status == 204);
  CHECK(empty.header("content-length") == "");
  const ProbeResponse last = probe.read_response();
  CHECK(last.status == 201);
  CHECK(last.header("connection") == "close");
  CHECK(last.body == "hello");
}

TEST_CASE_FIXTURE(Fixture, "an answer that can not be sent becomes 500") {
  HttpResponse bad_header;
  bad_header.headers.emplace("X", "a\r\nSet-Cookie: b");
  CHECK(send(bad_header, {.keep_alive = true}) == true);
  HttpResponse no_file;
  no_file.file = FileBody{"/nonexistent/file", 0, 1};
  CHECK(send(no_file, {.keep_alive = true}) == true);
  for (int i = 0; i < 2; ++i) {
    const ProbeResponse response = probe.read_response();
    CHECK(response.status == 500);
    CHECK(response.body == "internal error");
    CHECK(response.header("set-cookie") == "");
  }
}

TEST_CASE_FIXTURE(Fixture, "when not even the error can be sent, the connection ends") {
  on_error = [](int, const std::string&) {
    HttpResponse response;
    response.status = 0;
    return response;
  };
  HttpResponse bad;
  bad.status = 1000;
  CHECK(send(bad, {}) == false);
}

TEST_CASE_FIXTURE(Fixture, "the invitation to send a body") {
  std::optional<bool> sent;
  auto on_end = [&](const std::exception_ptr&, bool done) { sent = done; };
  asio::co_spawn(context, invite_body(socket, std::chrono::hours(1)), on_end);
  while (!sent) {
    context.run_one();
  }
  CHECK(*sent);
  CHECK(probe.read_response().status == 100);
}

TEST_CASE_FIXTURE(Fixture, "linger throws away what still comes until the end") {
  bool ended = false;
  auto on_end = [&](const std::exception_ptr&) { ended = true; };
  asio::co_spawn(context, linger(socket), on_end);
  context.poll();
  CHECK(probe.read_until_eof() == "");  // sending has ended
  CHECK(probe.send(std::string(100'000, 'x')));
  context.poll();
  CHECK(!ended);
  probe.shutdown_send();
  while (!ended) {
    context.run_one();
  }
  CHECK(ended);
}

TEST_CASE("turning away answers and closes without waiting") {
  asio::io_context context;
  tcp::acceptor acceptor(context, tcp::endpoint(asio::ip::address_v4::loopback(), 0));
  HttpProbe probe(acceptor.local_endpoint().port());
  turn_away(acceptor.accept(), plain_error(503, "full"));
  const ProbeResponse response = probe.read_response();
  CHECK(response.status == 503);
  CHECK(response.body == "full");
  CHECK(probe.read_until_eof() == "");
}

TEST_CASE("a handler's exception becomes 500 without its text") {
  CHECK(called(give_path).body == "/p");
  const HttpResponse response = called(give_up);
  CHECK(response.status == 500);
  CHECK(response.body == "internal error");
}

}  // namespace stepscope::runtime
