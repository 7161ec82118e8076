#include <doctest/doctest.h>

#include <stdexcept>

#include "runtime/http_server.h"
#include "tests/runtime/test_server.h"

namespace stepscope::runtime {

namespace {

using tests::HttpProbe;
using tests::ProbeResponse;
using namespace std::chrono_literals;

}  // namespace

TEST_CASE("who sends nothing, or too slowly, is closed") {
  // The header may be long enough for no drip below to reach its limit in time.
  const Server server({.header_bytes_max = 1 << 30, .read_timeout = 20ms});
  HttpProbe silent(server.port);
  CHECK(silent.read_until_eof() == "");
  HttpProbe in_header(server.port);
  in_header.send("GET /echo HTT");
  CHECK(in_header.read_until_eof() == "");
  HttpProbe in_body(server.port);
  in_body.send("POST /echo HTTP/1.1\r\nHost: h\r\nContent-Length: 9\r\n\r\nabc");
  CHECK(in_body.read_until_eof() == "");
  // A drip that never pauses for long: each byte comes in time, the header as a whole does not.
  HttpProbe drip(server.port);
  drip.send("GET /echo HTTP/1.1\r\nA: ");
  while (drip.send("a")) {
  }
  CHECK(drip.read_until_eof() == "");
}

TEST_CASE("a connection without a further request is closed") {
  const Server server({.idle_timeout = 20ms});
  HttpProbe probe(server.port);
  CHECK(probe.exchange(get("/echo?say=x")).status == 200);
  CHECK(probe.read_until_eof() == "");
}

TEST_CASE("who does not read an answer is closed") {
  Server server({.write_timeout = 20ms});
  const std::string bytes(64 << 20, 'x');  // more than the socket buffers of both ends hold
  server.write_file(bytes);
  HttpProbe probe(server.port);
  probe.send(get("/file?from=0&bytes=67108864"));
  server.stop();
  server.wait_for_end();  // the connection has ended though nothing was read
  CHECK(probe.read_until_eof().size() < bytes.size());
}

TEST_CASE("a connection too many is told so, and there is room again after one has gone") {
  const Server server({.connections_max = 1});
  {
    HttpProbe first(server.port);
    CHECK(first.exchange(get("/echo?say=x")).status == 200);
    HttpProbe second(server.port);
    CHECK(second.read_response().status == 503);
    CHECK(second.read_until_eof() == "");
    CHECK(first.exchange(get("/echo?say=x", "Connection: close\r\n")).status == 200);
    CHECK(first.read_until_eof() == "");
  }
  HttpProbe third(server.port);
  CHECK(third.exchange(get("/echo?say=x")).status == 200);
}

TEST_CASE("bodies of all connections together have a limit, which is given back") {
  Server server({.bodies_bytes_max = 1500});
  HttpProbe first(server.port);
  first.send(post("/wait", std::string(1000, 'x')));
  server.begun.wait();  // the first body is there, and stays until the handler has answered
  HttpProbe second(server.port);
  CHECK(second.exchange(post("/echo", std::string(501, 'x'))).status == 503);
  HttpProbe third(server.port);
  CHECK(third.exchange(post("/echo", std::string(500, 'x'))).status == 200);
  server.poke();
  CHECK(first.read_response().body == "late");
  CHECK(third.exchange(post("/echo", std::string(1000, 'x'))).status == 200);
}

TEST_CASE("stop finishes the answer under way, closes idle connections, takes no new ones") {
  Server server;
  HttpProbe idle(server.port);
  CHECK(idle.exchange(get("/echo?say=x")).status == 200);
  HttpProbe halfway(server.port);
  halfway.send("GET /echo HT");
  HttpProbe busy(server.port);
  busy.send(get("/wait") + get("/echo?say=never"));
  server.begun.wait();
  server.stop();
  CHECK(idle.read_until_eof() == "");
  CHECK(halfway.read_until_eof() == "");
  CHECK_THROWS_AS(HttpProbe(server.port), std::runtime_error);
  server.poke();
  const ProbeResponse late = busy.read_response();
  CHECK(late.body == "late");
  CHECK(late.header("connection") == "close");
  CHECK(busy.read_until_eof() == "");
  server.wait_for_end();
}

TEST_CASE("a server that is destroyed closes all; a handler under way comes back to nothing") {
  Server server;
  HttpProbe idle(server.port);
  HttpProbe busy(server.port);
  busy.send(get("/wait"));
  server.begun.wait();
  server.destroy();
  CHECK(idle.read_until_eof() == "");
  CHECK(busy.read_until_eof() == "");
  server.poke();
  server.wait_for_end();
}

TEST_CASE("an address that can not be used is named") {
  boost::asio::io_context context;
  const Router router;
  HttpServer taken(context, router, {}, plain_error);
  taken.listen("127.0.0.1", 0);
  const std::string port = std::to_string(taken.port());
  HttpServer server(context, router, {}, plain_error);
  CHECK_THROWS_WITH_AS(
      server.listen("127.0.0.1", taken.port()),
      ("can not listen on 127.0.0.1 port " + port + ": Address already in use").c_str(),
      std::runtime_error);
  HttpServer other(context, router, {}, plain_error);
  CHECK_THROWS_WITH_AS(other.listen("example.org", 80),
                       "can not listen on example.org port 80: this is no IP address",
                       std::runtime_error);
}

}  // namespace stepscope::runtime
