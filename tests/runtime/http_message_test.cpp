#include "runtime/http_message.h"

#include <doctest/doctest.h>

namespace stepscope::runtime {

TEST_CASE("header names are compared without case, the first value wins") {
  Headers headers;
  headers.emplace("X-GitHub-Event", "ping");
  headers.emplace("x-github-event", "push");
  headers.emplace("Y", "");
  CHECK(headers.count("X-GITHUB-EVENT") == 2);
  CHECK(header(headers, "x-gitHub-event") == "ping");
  CHECK(header(headers, "y") == "");
  CHECK(header(headers, "x-github") == std::nullopt);
  CHECK(header(headers, "z") == std::nullopt);
  CHECK(header({}, "") == std::nullopt);
}

TEST_CASE("percent-encoding keeps the unreserved characters and nothing else") {
  CHECK(percent_encode("AZaz09-._~") == "AZaz09-._~");
  CHECK(percent_encode("a b/c?d=e&f+g%") == "a%20b%2Fc%3Fd%3De%26f%2Bg%25");
  CHECK(percent_encode("\xc3\xa9") == "%C3%A9");
  CHECK(percent_encode(std::string(1, '\0')) == "%00");
}

TEST_CASE("percent-decoding returns every byte and refuses what is malformed") {
  std::string all;
  for (int byte = 0; byte < 256; ++byte) {
    all += static_cast<char>(byte);
  }
  CHECK(percent_decode(percent_encode(all)) == all);
  CHECK(percent_decode("a+b%2fc%2F") == "a+b/c/");
  CHECK(percent_decode("") == "");
  for (const char* bad : {"%", "%4", "a%g0", "%0g", "%%41", "%-1"}) {
    CHECK_MESSAGE(percent_decode(bad) == std::nullopt, bad);
  }
}

TEST_CASE("a target is split into path and decoded query") {
  HttpRequest request;
  CHECK(parse_target("/a%2Fb/c?x=1&y=a+b%26c&x=2&flag&=v&&z=p=q", request));
  CHECK(request.target == "/a%2Fb/c?x=1&y=a+b%26c&x=2&flag&=v&&z=p=q");
  CHECK(request.path == "/a%2Fb/c");
  const std::map<std::string, std::string, std::less<>> expected{
      {"x", "2"}, {"y", "a b&c"}, {"flag", ""}, {"", "v"}, {"z", "p=q"}};
  CHECK(request.query == expected);
}

TEST_CASE("absolute targets and fragments") {
  HttpRequest request;
  CHECK(parse_target("http://host:80/p?q=1", request));
  CHECK(request.path == "/p");
  CHECK(request.query.at("q") == "1");
  CHECK(parse_target("https://host", request));
  CHECK(request.path == "/");
  CHECK(parse_target("http://host?q=2", request));
  CHECK(request.path == "/");
  CHECK(request.query.at("q") == "2");
  CHECK(parse_target("/a#b?c=d", request));
  CHECK(request.path == "/a");
  CHECK(request.query.empty());
  CHECK(parse_target("/go?to=http://host/x", request));
  CHECK(request.path == "/go");
  CHECK(request.query.at("to") == "http://host/x");
  CHECK(parse_target("*", request));
}

TEST_CASE("what is no target is refused") {
  HttpRequest request;
  for (const char* bad : {"host:443", "a/b", "/a?x=%", "/a?%zz=1"}) {
    CHECK_MESSAGE(!parse_target(bad, request), bad);
  }
}

}  // namespace stepscope::runtime
