#include "runtime/http_server.h"

#include <doctest/doctest.h>

#include <stdexcept>

#include "tests/runtime/test_server.h"

namespace stepscope::runtime {

namespace {

using tests::HttpProbe;
using tests::ProbeResponse;

// The status of the only answer to `bytes`, after which the server closes.
int refused(std::uint16_t port, std::string_view bytes) {
  HttpProbe probe(port);
  const ProbeResponse response = probe.exchange(bytes);
  CHECK(response.header("connection") == "close");
  probe.shutdown_send();
  CHECK(probe.read_until_eof() == "");
  return response.status;
}

}  // namespace

TEST_CASE("requests follow each other on one connection") {
  const Server server;
  HttpProbe probe(server.port);
  const ProbeResponse first = probe.exchange(get("/echo?say=one"));
  CHECK(first.status == 200);
  CHECK(first.body == "one");
  CHECK(first.header("connection") == "");
  CHECK(first.header("x-method") == "GET");
  CHECK(first.header("x-peer") == "127.0.0.1");
  CHECK(probe.exchange(post("/echo", "two")).body == "two");
  CHECK(probe.exchange("\r\n\r\n" + get("/echo?say=three")).body == "three");
  const ProbeResponse last = probe.exchange(get("/echo?say=four", "Connection: close\r\n"));
  CHECK(last.body == "four");
  CHECK(last.header("connection") == "close");
  CHECK(probe.read_until_eof() == "");
}

TEST_CASE("pipelined requests are answered in order, each with its own body") {
  const Server server;
  HttpProbe probe(server.port);
  probe.send(post("/echo", "one") + get("/echo?say=two") + get("/none") +
             chunked("/echo", "3\r\nthr\r\n2\r\nee\r\n0\r\n\r\n") + post("/echo", "four"));
  CHECK(probe.read_response().body == "one");
  CHECK(probe.read_response().body == "two");
  CHECK(probe.read_response().status == 404);
  CHECK(probe.read_response().body == "three");
  CHECK(probe.read_response().body == "four");
}

TEST_CASE("a request may come byte by byte") {
  const Server server;
  HttpProbe probe(server.port);
  for (const char c :
       post("/echo", "drip") + chunked("/echo", "2;x=y\r\nab\r\n0\r\nT: 1\r\n\r\n")) {
    REQUIRE(probe.send({&c, 1}));
  }
  CHECK(probe.read_response().body == "drip");
  CHECK(probe.read_response().body == "ab");
}

TEST_CASE("HTTP/1.0 closes unless asked to keep alive, and needs no Host") {
  const Server server;
  HttpProbe probe(server.port);
  const ProbeResponse kept =
      probe.exchange("GET /echo?say=a HTTP/1.0\r\nConnection: keep-alive\r\n\r\n");
  CHECK(kept.body == "a");
  CHECK(kept.header("connection") == "keep-alive");
  const ProbeResponse closed = probe.exchange("GET /echo?say=b HTTP/1.0\r\n\r\n");
  CHECK(closed.body == "b");
  CHECK(closed.header("connection") == "close");
  CHECK(probe.read_until_eof() == "");
}

TEST_CASE("HEAD is GET without the body, errors too") {
  const Server server;
  HttpProbe probe(server.port);
  const ProbeResponse head =
      probe.exchange("HEAD /echo?say=hello HTTP/1.1\r\nHost: h\r\n\r\n", false);
  CHECK(head.status == 200);
  CHECK(head.header("content-length") == "5");
  CHECK(head.header("x-method") == "HEAD");
  const ProbeResponse missing = probe.exchange("HEAD /none HTTP/1.1\r\nHost: h\r\n\r\n", false);
  CHECK(missing.status == 404);
  CHECK(probe.exchange(get("/echo?say=still+there")).body == "still there");
}

TEST_CASE("no route: 404; another method: 405 with Allow; the connection lives on") {
  const Server server;
  HttpProbe probe(server.port);
  const ProbeResponse none = probe.exchange(get("/none"));
  CHECK(none.status == 404);
  CHECK(none.body == "there is nothing at /none");
  const ProbeResponse method = probe.exchange("DELETE /echo HTTP/1.1\r\nHost: h\r\n\r\n");
  CHECK(method.status == 405);
  CHECK(method.header("allow") == "GET, HEAD, POST");
  CHECK(probe.exchange(get("/echo?say=x")).body == "x");
}

TEST_CASE("body bytes arrive untouched, up to 25 MiB") {
  const Server server;
  std::string body;
  for (int i = 0; i < 70'000; ++i) {
    body += static_cast<char>(i % 256);
  }
  HttpProbe probe(server.port);
  CHECK(probe.exchange(post("/hook", body)).body == body);
  const std::string large(25 << 20, '\x1b');
  const ProbeResponse response = probe.exchange(post("/hook", large));
  CHECK(response.status == 200);
  const bool same = response.body == large;
  CHECK(same);
}

TEST_CASE("a body that is too large is refused, announced or not") {
  const Server server;
  HttpProbe probe(server.port);
  CHECK(probe.exchange(post("/echo", std::string(1000, 'x'))).status == 200);
  CHECK(refused(server.port, post("/echo", std::string(1001, 'x'))) == 413);
  CHECK(refused(server.port, post("/hook", std::string((25 << 20) + 1, 'x'))) == 413);
  // The limit holds for the sum of the chunks, and without the end of the last one.
  CHECK(probe
            .exchange(chunked("/echo", "1f4\r\n" + std::string(500, 'x') + "\r\n1f4\r\n" +
                                           std::string(500, 'x') + "\r\n0\r\n\r\n"))
            .status == 200);
  CHECK(refused(server.port, chunked("/echo", "1f4\r\n" + std::string(500, 'x') + "\r\n1f5\r\n" +
                                                  std::string(501, 'x'))) == 413);
  CHECK(refused(server.port,
                chunked("/echo", "ffffffffffffffff\r\n" + std::string(100'000, 'x'))) == 413);
}

TEST_CASE("Expect: 100-continue is invited, or refused before the body is sent") {
  const Server server;
  const std::string head =
      "POST /echo HTTP/1.1\r\nHost: h\r\nExpect: 100-continue\r\nContent-Length: ";
  HttpProbe probe(server.port);
  CHECK(probe.exchange(head + "4\r\n\r\n").status == 100);
  CHECK(probe.exchange("body").body == "body");
  CHECK(probe.exchange(head + "0\r\n\r\n").status == 200);  // nothing to wait for
  CHECK(refused(server.port, head + "1001\r\n\r\n") == 413);
}

TEST_CASE("malformed requests are 400 and end the connection") {
  const Server server;
  for (const char* bad :
       {"nonsense\r\n\r\n", "GET /echo\r\n\r\n", "GET /echo HTTP/2.0\r\n\r\n",
        "GET /echo HTTP/1.1\r\n\r\n", "GET /echo HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n",
        "GET /echo HTTP/1.1\r\nHost: h\r\nno colon\r\n\r\n", "GET echo HTTP/1.1\r\nHost: h\r\n\r\n",
        "GET /echo?a=%g HTTP/1.1\r\nHost: h\r\n\r\n",
        "POST /echo HTTP/1.1\r\nHost: h\r\nContent-Length: -1\r\n\r\n",
        "POST /echo HTTP/1.1\r\nHost: h\r\nContent-Length: 99999999999999999999\r\n\r\n",
        "POST /echo HTTP/1.1\r\nHost: h\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab",
        "POST /echo HTTP/1.1\r\nHost: h\r\nContent-Length: 3\r\n"
        "Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        "POST /echo HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: gzip\r\n\r\nabc",
        "POST /echo HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
        "POST /echo HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: "
        "chunked\r\n\r\n1\r\nabc\r\n0\r\n\r\n"}) {
    CHECK_MESSAGE(refused(server.port, bad) == 400, bad);
  }
}

TEST_CASE("a request that is cut is 400, a connection without one is closed") {
  const Server server;
  for (const char* cut :
       {"GET /ec", "POST /echo HTTP/1.1\r\nHost: h\r\nContent-Length: 5\r\n\r\nab"}) {
    HttpProbe probe(server.port);
    probe.send(cut);
    probe.shutdown_send();
    CHECK(probe.read_response().status == 400);
  }
  HttpProbe probe(server.port);
  probe.shutdown_send();
  CHECK(probe.read_until_eof() == "");
}

TEST_CASE("a header beyond the limit is 431, however it is made up") {
  const Server server({.header_bytes_max = 1000});
  HttpProbe probe(server.port);
  CHECK(probe.exchange(get("/echo?say=x", "A: " + std::string(900, 'a') + "\r\n")).status == 200);
  CHECK(refused(server.port, get("/echo", "A: " + std::string(1000, 'a') + "\r\n")) == 431);
  CHECK(refused(server.port, get("/" + std::string(1000, 'a'))) == 431);
  CHECK(refused(server.port, "GET /echo HTTP/1.1\r\nA: " + std::string(100'000, 'a')) == 431);
  std::string many;
  for (int i = 0; i < 200; ++i) {
    many += "A: b\r\n";
  }
  CHECK(refused(server.port, get("/echo", many)) == 431);
  // What precedes a chunk is bounded, too.
  CHECK(refused(server.port, chunked("/echo", "1;" + std::string(200'000, 'a'))) == 400);
}

TEST_CASE("a handler's exception is 500 without its text, and the connection lives on") {
  const Server server;
  HttpProbe probe(server.port);
  const ProbeResponse response = probe.exchange(get("/fail"));
  CHECK(response.status == 500);
  CHECK(response.body == "internal error");
  CHECK(probe.exchange(get("/echo?say=x")).status == 200);
}

TEST_CASE("files are streamed, whole or in part") {
  Server server;
  std::string bytes;
  for (int i = 0; bytes.size() < 3'000'000; ++i) {
    bytes += std::to_string(i) + ",";
  }
  server.write_file(bytes);
  HttpProbe probe(server.port);
  const ProbeResponse whole =
      probe.exchange(get("/file?from=0&bytes=" + std::to_string(bytes.size())));
  const bool same = whole.body == bytes;
  CHECK(same);
  const ProbeResponse part = probe.exchange(get("/file?from=1000&bytes=300000"));
  CHECK(part.body == bytes.substr(1000, 300'000));
  CHECK(probe.exchange(get("/file?from=0&bytes=99999999")).status == 500);
  CHECK(probe.exchange("HEAD /file?from=5&bytes=7 HTTP/1.1\r\nHost: h\r\n\r\n", false)
            .header("content-length") == "7");
}

}  // namespace stepscope::runtime
