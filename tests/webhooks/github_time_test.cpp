#include "webhooks/github_time.h"

#include <doctest/doctest.h>

using namespace stepscope::webhooks;

// `date -u -d 2026-11-30T12:03:44Z +%s` is 1796040224.
TEST_CASE("moments are written and read in GitHub's two spellings") {
  CHECK(format_iso8601(1'796'040'224'999) == "2026-11-30T12:03:44Z");
  CHECK(format_iso8601(0) == "1970-01-01T00:00:00Z");
  CHECK(parse_iso8601("2026-11-30T12:03:44Z") == 1'796'040'224'000);
  CHECK(parse_iso8601("2026-11-30T12:03:44.123Z") == 1'796'040'224'000);
  CHECK(parse_iso8601("2026-11-30T14:03:44+02:00") == 1'796'040'224'000);
  CHECK(parse_iso8601("2026-11-30T11:33:44-00:30") == 1'796'040'224'000);
  CHECK(parse_http_date("Mon, 30 Nov 2026 12:03:44 GMT") == 1'796'040'224'000);
}

TEST_CASE("what is no moment is nothing") {
  for (const char* text :
       {"", "2026-11-30", "2026-11-30T12:03:44", "2026-13-30T12:03:44Z", "2026-02-30T12:03:44Z",
        "2026-11-30T24:03:44Z", "2026-11-30T12:03:44.Q", "2026-11-30T12:03:44.1",
        "xxxx-11-30T12:03:44Z", "2026-11-30T12:03:44+2:00"}) {
    CAPTURE(text);
    CHECK_FALSE(parse_iso8601(text));
  }
  for (const char* text : {"", "Mon, 30 Now 2026 12:03:44 GMT", "Mon, 30 Nov 2026 12:03:44 CET",
                           "Mon, 30 ovD 2026 12:03:44 GMT", "Mon, 3x Nov 2026 12:03:44 GMT"}) {
    CAPTURE(text);
    CHECK_FALSE(parse_http_date(text));
  }
}
