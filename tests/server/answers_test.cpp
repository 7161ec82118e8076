#include "server/answers.h"

#include <doctest/doctest.h>

#include "tests/server/world.h"

using namespace stepscope;
using namespace stepscope::server;
using tests::header_of;

namespace {

std::optional<db::JobId> id_of(const std::string& text) {
  runtime::HttpRequest request;
  request.path_values["id"] = text;
  return run_id_of(request);
}

}  // namespace

TEST_CASE("JSON answers are neither kept nor guessed at by a browser") {
  const auto answer = json_answer(201, "{}\n");
  CHECK(answer.status == 201);
  CHECK(answer.body == "{}\n");
  CHECK(header_of(answer, "Content-Type") == "application/json; charset=utf-8");
  CHECK(header_of(answer, "X-Content-Type-Options") == "nosniff");
  CHECK(header_of(answer, "Cache-Control") == "no-store");
}

TEST_CASE("the error envelope holds a code and one harmless line") {
  const auto answer = error_answer(400, "bad_request", "state: is no state of a run");
  CHECK(answer.status == 400);
  CHECK(answer.body ==
        "{\"error\":{\"code\":\"bad_request\",\"message\":\"state: is no state of a run\"}}\n");
  // Quotes are escaped, line breaks become blanks, U+202E goes, a byte that is no UTF-8 is
  // replaced.
  const auto hostile = error_answer(400, "bad_request",
                                    "a\"b\nc\xE2\x80\xAE"
                                    "d\xFF</script>");
  CHECK(hostile.body ==
        "{\"error\":{\"code\":\"bad_request\",\"message\":\"a\\\"b cd\xEF\xBF\xBD</script>\"}}\n");
}

TEST_CASE("what is said back of a long path has an end") {
  const auto answer = error_answer(404, "no such path: /" + std::string(15'000, 'a'));
  CHECK(answer.body.size() < 2'100);
  CHECK(answer.body.starts_with("{\"error\":{\"code\":\"not_found\",\"message\":\"no such path"));
}

TEST_CASE("the code of an error that no route chose follows from its status") {
  const std::pair<int, std::string> expected[] = {
      {400, "bad_request"}, {404, "not_found"}, {405, "method_not_allowed"},
      {408, "timeout"},     {413, "too_large"}, {417, "bad_request"},
      {431, "too_large"},   {500, "internal"},  {503, "internal"}};
  for (const auto& [status, code] : expected) {
    const auto answer = error_answer(status, "why");
    CHECK(answer.status == status);
    CHECK(answer.body == "{\"error\":{\"code\":\"" + code + "\",\"message\":\"why\"}}\n");
  }
}

TEST_CASE("who is not let in is told how to come in") {
  const auto answer = unauthorized();
  CHECK(answer.status == 401);
  CHECK(header_of(answer, "WWW-Authenticate") == "Bearer");
  CHECK(answer.body.contains("\"code\":\"unauthorized\""));
}

TEST_CASE("a page allows no script, no frame, no form and no foreign source") {
  const auto page = page_answer(404, "No such run", "<h1>x</h1>");
  CHECK(page.status == 404);
  CHECK(header_of(page, "Content-Type") == "text/html; charset=utf-8");
  CHECK(header_of(page, "Content-Security-Policy") ==
        "default-src 'none'; style-src 'self'; img-src data:; base-uri 'none'; "
        "form-action 'none'; frame-ancestors 'none'");
  CHECK(header_of(page, "Referrer-Policy") == "no-referrer");
  CHECK(header_of(page, "X-Content-Type-Options") == "nosniff");
  CHECK(header_of(page, "Cache-Control") == "no-store");
  CHECK(page.body.starts_with("<!doctype html>\n"));
  CHECK(page.body.contains("<main>\n<h1>x</h1>\n</main>"));
  CHECK_FALSE(page.body.contains("http-equiv"));
}

TEST_CASE("a page's title is text, and it reloads only when asked to") {
  const auto page = page_answer(200, "</title><script>alert(1)</script>", "", 2);
  CHECK(page.body.contains("<title>&lt;/title&gt;&lt;script&gt;alert(1)&lt;/script&gt;</title>"));
  CHECK(page.body.contains("<meta http-equiv=\"refresh\" content=\"2\">"));
  CHECK_FALSE(page.body.contains("<script"));
}

TEST_CASE("a run's id is a positive whole number and nothing else") {
  CHECK(id_of("57") == 57);
  CHECK(id_of("9223372036854775807") == INT64_MAX);
  for (const char* bad : {"", "0", "-1", "+1", "1.0", "0x10", " 1", "1 ", "1a", "latest",
                          "9223372036854775808", "99999999999999999999999", "1/2", "\xC2\xB2"}) {
    INFO(bad);
    CHECK_FALSE(id_of(bad).has_value());
  }
  CHECK_FALSE(run_id_of(runtime::HttpRequest()).has_value());
}
