#include "runtime/http_wire.h"

#include <doctest/doctest.h>

namespace stepscope::runtime {

using namespace std::chrono_literals;

TEST_CASE("the head of an answer, byte for byte") {
  HttpResponse response;
  response.status = 202;
  response.headers.emplace("Content-Type", "text/plain");
  // RFC 9110's example date: Sun, 06 Nov 1994 08:49:37 GMT is 784111777 s.
  CHECK(answer_head(response, 7, {.keep_alive = true}, 784'111'777) ==
        "HTTP/1.1 202 Accepted\r\n"
        "Date: Sun, 06 Nov 1994 08:49:37 GMT\r\n"
        "Content-Type: text/plain\r\n"
        "Content-Length: 7\r\n"
        "\r\n");
}

TEST_CASE("what the server decides is not taken from the handler") {
  HttpResponse response;
  response.headers.emplace("CONNECTION", "keep-alive");
  response.headers.emplace("Content-length", "1");
  response.headers.emplace("Transfer-Encoding", "chunked");
  response.headers.emplace("date", "yesterday");
  CHECK(answer_head(response, 2, {}, 0) ==
        "HTTP/1.1 200 OK\r\nDate: Thu, 01 Jan 1970 00:00:00 GMT\r\nContent-Length: 2\r\n"
        "Connection: close\r\n\r\n");
  CHECK(answer_head(response, 2, {.keep_alive = true, .http_1_0 = true}, 0)
            .ends_with("Content-Length: 2\r\nConnection: keep-alive\r\n\r\n"));
}

TEST_CASE("204 and 304 have no length; an unknown status has no reason") {
  CHECK(is_bodyless(204));
  CHECK(is_bodyless(304));
  CHECK(!is_bodyless(200));
  HttpResponse response;
  response.status = 204;
  CHECK(answer_head(response, 0, {.keep_alive = true}, 0) ==
        "HTTP/1.1 204 No Content\r\nDate: Thu, 01 Jan 1970 00:00:00 GMT\r\n\r\n");
  response.status = 599;
  CHECK(answer_head(response, 0, {}, 0).starts_with("HTTP/1.1 599 \r\n"));
}

TEST_CASE("a header can not break out of its line") {
  HttpResponse response;
  CHECK(is_sendable(response));
  response.headers.emplace("X-Name",
                           "va\tl\xc3\xbc"
                           "e");
  CHECK(is_sendable(response));
  for (const auto& [name, value] : {std::pair<std::string, std::string>{"X", "a\r\nSet-Cookie: b"},
                                    {"X", "a\nb"},
                                    {"X", std::string("a\0b", 3)},
                                    {"X", "\x7f"},
                                    {"X:", "a"},
                                    {"X Y", "a"},
                                    {"", "a"}}) {
    HttpResponse bad;
    bad.headers.emplace(name, value);
    CHECK_MESSAGE(!is_sendable(bad), name);
  }
  for (const int status : {0, 100, 199, 600, -200}) {
    response.status = status;
    CHECK_MESSAGE(!is_sendable(response), status);
  }
}

TEST_CASE("a transfer has to go on, and to keep up 64 KiB a second") {
  const std::chrono::steady_clock::time_point begin(1000s);
  CHECK(transfer_deadline(begin, begin, 30s, 0) == begin + 30s);
  // 20 s later with a few bytes: 10 s are left. With 1 MiB = 16 x 64 KiB: 16 s more.
  CHECK(transfer_deadline(begin, begin + 20s, 30s, 100) == begin + 30s);
  CHECK(transfer_deadline(begin, begin + 20s, 30s, 1 << 20) == begin + 46s);
  // Much moved: still no pause longer than 30 s.
  CHECK(transfer_deadline(begin, begin + 20s, 30s, 1 << 30) == begin + 50s);
}

}  // namespace stepscope::runtime
