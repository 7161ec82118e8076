#include "runtime/log.h"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <memory>

namespace stepscope::runtime {

namespace {

// What `work` writes to stderr.
template <class Work>
std::string stderr_of(Work work) {
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::tmpfile(), &std::fclose);
  const int saved = ::fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 0);
  ::dup2(::fileno(file.get()), STDERR_FILENO);
  work();
  ::dup2(saved, STDERR_FILENO);
  ::close(saved);
  std::fseek(file.get(), 0, SEEK_SET);
  std::array<char, 4096> text{};
  return {text.data(), std::fread(text.data(), 1, text.size(), file.get())};
}

struct Example {
  std::string text;
  std::string expected;
};

}  // namespace

TEST_CASE("GitHub tokens go, up to white space or a quote") {
  const std::string tail = "16C7e42F292c6912E7710c838347Ae178B4a.with-any_marks";
  for (const char* prefix : {"ghs_", "ghp_", "gho_", "ghu_", "ghr_", "github_pat_"}) {
    CHECK(redact("use " + (prefix + tail) + " now") == "use [redacted] now");
    CHECK(redact(prefix + tail) == "[redacted]");
    CHECK(redact("\"" + (prefix + tail) + "\"") == "\"[redacted]\"");
    CHECK(redact("'" + (prefix + tail) + "'\n") == "'[redacted]'\n");
    CHECK(redact("`" + (prefix + std::string(5000, 'x')) + "`") == "`[redacted]`");
  }
  CHECK(redact("the prefix ghs_ alone") == "the prefix ghs_ alone");
}

TEST_CASE("JWTs go, cut ones too; other words stay") {
  const std::string jwt = "eyJhbGciOiJSUzI1NiJ9.eyJpc3MiOiIxIn0.c2ln-_";
  for (const auto& [text, expected] :
       std::initializer_list<Example>{{jwt, "[redacted]"},
                                      {"a " + jwt + ", b", "a [redacted], b"},
                                      {"x" + jwt, "x[redacted]"},
                                      {"eyJhbGciOiJSUzI1NiJ9.eyJpc3MiOi", "[redacted]"},
                                      {"eyJhbGciOiJSUzI1NiJ9", "eyJhbGciOiJSUzI1NiJ9"},
                                      {"eyJ.txt", "eyJ.txt"}}) {
    CHECK(redact(text) == expected);
  }
}

TEST_CASE("PEM blocks go, cut ones to the end") {
  const std::string pem =
      "-----BEGIN RSA PRIVATE KEY-----\nMIIE\nabc=\n-----END RSA PRIVATE KEY-----";
  CHECK(redact("key: " + pem + "\nnext") == "key: [redacted]\nnext");
  CHECK(redact(pem + pem) == "[redacted][redacted]");
  CHECK(redact("key: " + pem.substr(0, 40)) == "key: [redacted]");
  CHECK(redact("a -----BEGIN X-----\\nMII\\n-----END X----- b") == "a [redacted] b");
}

TEST_CASE("what follows a name of secrets goes") {
  for (const auto& [text, expected] : std::initializer_list<Example>{
           {"Authorization: token abc def\r\nHost: x", "Authorization: [redacted]\r\nHost: x"},
           {"authorization:abc", "authorization:[redacted]"},
           {"-H 'Authorization: Basic eDp5' url", "-H 'Authorization: [redacted]' url"},
           {R"({"Authorization": "Bearer a b", "n": 1})",
            R"({"Authorization": "[redacted]", "n": 1})"},
           {"Proxy-Authorization: x", "Proxy-Authorization: [redacted]"},
           {"got BEARER a.b-c~d and", "got BEARER [redacted] and"},
           {"Bearer", "Bearer"},
           {"/x?token=abc&n=1", "/x?token=[redacted]&n=1"},
           {"/x?access_token=abc HTTP/1.1", "/x?access_token=[redacted] HTTP/1.1"},
           {"client_secret=abc\"", "client_secret=[redacted]\""},
           {"SECRET=\"a b\" c", "SECRET=\"[redacted]\" c"},
           {"password = hunter2 next", "password = [redacted] next"},
           {R"({"token":"abc","expires":1})", R"({"token":"[redacted]","expires":1})"},
           {R"({\"token\":\"abc\"})", R"({\"token\":\"[redacted]"})"},
           {"token=&n=1", "token=&n=1"},
           {"tokens=512", "tokens=512"},
           {"unexpected token: brace", "unexpected token: brace"}}) {
    CHECK(redact(text) == expected);
  }
}

TEST_CASE("redacting again changes nothing, and plain text stays as it is") {
  const std::string plain = "GET /api/v1/runs/7 took 3 ms; keys=5, \xc3\xa9 -----BEGIN\n";
  CHECK(redact(plain) == plain);
  CHECK(redact("") == "");
  const std::string once = redact("Authorization: x\ntoken=abc Bearer q ghs_1 \"secret\":\"y\"");
  CHECK(redact(once) == once);
}

TEST_CASE("a megabyte of starts of JWTs is linear work") {
  std::string text;
  for (int i = 0; i < 350'000; ++i) {
    text += "eyJ";
  }
  CHECK(redact(text) == text);
}

TEST_CASE("a line holds message and fields, quoted where needed") {
  CHECK(log_line("job done", {{"id", "7"}, {"path", "/a b"}, {"none", ""}, {"eq", "a=b"}}) ==
        R"(job done id=7 path="/a b" none="" eq="a=b")");
  CHECK(log_line("q", {{"v", R"(say "hi" \)"}}) == R"(q v="say \"hi\" \\")");
  CHECK(log_line("u", {{"v", "\xc3\xa9"}}) == "u v=\"\xc3\xa9\"");
}

TEST_CASE("nothing can forge a line or move a terminal") {
  CHECK(log_line("a\nerror forged", {}) == "a\\nerror forged");
  CHECK(log_line("m", {{"v", "x\r\nerror forged=1\t\x1b[2J\x7f"}}) ==
        R"(m v="x\r\nerror forged=1\t\x1b[2J\x7f")");
  CHECK(log_line("m", {{"v",
                        "\xc2\x9b"
                        "2J"}}) == R"(m v="\xc2\x9b2J")");  // CSI as one character
  CHECK(log_line("m", {{"v", std::string("\0", 1)}}) == R"(m v="\x00")");
}

TEST_CASE("fields are redacted, by value and by name, and cut") {
  CHECK(log_line("m ghs_abc", {{"v", "token=abc"}}) == "m [redacted] v=\"token=[redacted]\"");
  CHECK(log_line("m", {{"api_token", "abc def"}, {"Secret", "x"}}) ==
        "m api_token=[redacted] Secret=[redacted]");
  CHECK(log_line("m", {{"tokens", "512"}}) == "m tokens=512");
  CHECK(log_line("m", {{"v", std::string(10'000, 'x')}}) ==
        "m v=" + std::string(4096, 'x') + "...");
}

TEST_CASE("lines go to stderr with their level, from the level set on") {
  const std::string text = stderr_of([] {
    log(LogLevel::debug, "not shown");
    log(LogLevel::info, "started", {{"port", "80"}});
    log(LogLevel::warning, "odd {} %s", {{"token", "abc"}});
    set_log_level(LogLevel::error);
    log(LogLevel::warning, "not shown");
    log(LogLevel::error, "bad");
    set_log_level(LogLevel::info);
  });
  CHECK(text == "info started port=80\nwarning odd {} %s token=[redacted]\nerror bad\n");
}

}  // namespace stepscope::runtime
