#include "server/trace_download.h"

#include <doctest/doctest.h>

#include <fstream>

#include "tests/server/world.h"

using namespace stepscope;
using namespace stepscope::server;
using runtime::Headers;
using tests::header_of;

namespace {

// A stored trace of ten bytes, and what is answered about it.
struct Stored {
  Stored() {
    job.id = 57;
    job.trace_file = "57/trace.json.gz";
    job.trace_name = "rank0.json.gz";
    job.trace_sha256 = "abcd";
    write("0123456789");
  }
  void write(std::string_view bytes) const { std::ofstream(file, std::ios::binary) << bytes; }
  runtime::HttpResponse ask(Headers headers, std::string_view method = "GET") const {
    return trace_answer(job, file, tests::request_for(method, "/", std::move(headers)));
  }

  tests::TempFolder folder;
  std::filesystem::path file = folder.path() / "trace";
  db::Job job;
};

}  // namespace

TEST_CASE("a byte range is read as RFC 9110 says; what is none counts as no range") {
  using enum RangeKind;
  const struct {
    std::string_view header;
    std::uint64_t size;
    RangeKind kind;
    std::uint64_t first;
    std::uint64_t length;
  } cases[] = {
      // first and last
      {"bytes=0-9", 10, part, 0, 10},
      {"bytes=0-0", 10, part, 0, 1},
      {"bytes=3-5", 10, part, 3, 3},
      {"bytes=9-9", 10, part, 9, 1},
      {"bytes=007-8", 10, part, 7, 2},
      // the end lies beyond the last byte
      {"bytes=9-10", 10, part, 9, 1},
      {"bytes=5-18446744073709551615", 10, part, 5, 5},
      // open end
      {"bytes=0-", 10, part, 0, 10},
      {"bytes=9-", 10, part, 9, 1},
      // the last so many
      {"bytes=-1", 10, part, 9, 1},
      {"bytes=-10", 10, part, 0, 10},
      {"bytes=-11", 10, part, 0, 10},
      // nothing of it is there
      {"bytes=10-", 10, unsatisfiable, 0, 10},
      {"bytes=10-20", 10, unsatisfiable, 0, 10},
      {"bytes=18446744073709551615-", 10, unsatisfiable, 0, 10},
      {"bytes=-0", 10, unsatisfiable, 0, 10},
      {"bytes=0-", 0, unsatisfiable, 0, 0},
      {"bytes=0-0", 0, unsatisfiable, 0, 0},
      {"bytes=-1", 0, unsatisfiable, 0, 0},
      // several ranges, other units, garbage: the whole
      {"bytes=0-1,3-4", 10, whole, 0, 10},
      {"bytes=0-1,", 10, whole, 0, 10},
      {"bytes=5-4", 10, whole, 0, 10},
      {"bytes=", 10, whole, 0, 10},
      {"bytes=-", 10, whole, 0, 10},
      {"bytes=5", 10, whole, 0, 10},
      {"bytes=--5", 10, whole, 0, 10},
      {"bytes=-5-", 10, whole, 0, 10},
      {"bytes=1-2-3", 10, whole, 0, 10},
      {"bytes=a-b", 10, whole, 0, 10},
      {"bytes=0x1-2", 10, whole, 0, 10},
      {"bytes=+1-2", 10, whole, 0, 10},
      {"bytes= 1-2", 10, whole, 0, 10},
      {"bytes=18446744073709551616-", 10, whole, 0, 10},
      {"bytes=0-18446744073709551616", 10, whole, 0, 10},
      {"lines=0-1", 10, whole, 0, 10},
      {"bytes 0-1", 10, whole, 0, 10},
      {"", 10, whole, 0, 10},
  };
  for (const auto& one : cases) {
    INFO(one.header << " of " << one.size);
    ByteRange range{77, 77};
    CHECK(parse_range(one.header, one.size, range) == one.kind);
    CHECK(range.first == one.first);
    CHECK(range.length == one.length);
  }
}

TEST_CASE("a whole trace is offered as a file under the run's number") {
  const Stored stored;
  const auto answer = stored.ask({});
  CHECK(answer.status == 200);
  REQUIRE(answer.file.has_value());
  CHECK(answer.file->path == stored.file);
  CHECK(answer.file->offset == 0);
  CHECK(answer.file->length == 10);
  CHECK(header_of(answer, "Content-Type") == "application/gzip");
  CHECK(header_of(answer, "Content-Disposition") ==
        "attachment; filename=\"run-57-rank0.json.gz\"");
  CHECK(header_of(answer, "ETag") == "\"abcd\"");
  CHECK(header_of(answer, "Accept-Ranges") == "bytes");
  CHECK(header_of(answer, "X-Content-Type-Options") == "nosniff");
  CHECK(header_of(answer, "Content-Range").empty());
}

TEST_CASE("a name from a runner can not leave its place in the header") {
  Stored stored;
  stored.job.trace_name = "a\"; x=\r\nSet-Cookie: b/../c\xC3\xA4.json";
  const auto answer = stored.ask({});
  CHECK(header_of(answer, "Content-Disposition") ==
        "attachment; filename=\"run-57-a___x___Set-Cookie__b_.._c__.json\"");
  CHECK(header_of(answer, "Content-Type") == "application/json");
}

TEST_CASE("a part is answered with its place in the whole") {
  const Stored stored;
  const auto answer = stored.ask({{"Range", "bytes=-3"}});
  CHECK(answer.status == 206);
  CHECK(header_of(answer, "Content-Range") == "bytes 7-9/10");
  REQUIRE(answer.file.has_value());
  CHECK(answer.file->offset == 7);
  CHECK(answer.file->length == 3);
}

TEST_CASE("a range beyond the end is refused with the true length") {
  const Stored stored;
  const auto answer = stored.ask({{"Range", "bytes=10-"}});
  CHECK(answer.status == 416);
  CHECK(header_of(answer, "Content-Range") == "bytes */10");
  CHECK_FALSE(answer.file.has_value());
  CHECK(answer.body ==
        "{\"error\":{\"code\":\"bad_range\",\"message\":\"the trace has 10 bytes\"}}\n");
}

TEST_CASE("an empty trace is sent whole and has no ranges") {
  const Stored stored;
  stored.write("");
  CHECK(stored.ask({}).status == 200);
  CHECK(stored.ask({}).file->length == 0);
  const auto part = stored.ask({{"Range", "bytes=0-"}});
  CHECK(part.status == 416);
  CHECK(header_of(part, "Content-Range") == "bytes */0");
}

TEST_CASE("ranges are for GET; HEAD describes the whole") {
  const Stored stored;
  const auto answer = stored.ask({{"Range", "bytes=0-1"}}, "HEAD");
  CHECK(answer.status == 200);
  CHECK(answer.file->length == 10);
}

TEST_CASE("If-Range keeps a client from gluing two versions together") {
  const Stored stored;
  const auto status = [&stored](const std::string& condition) {
    return stored.ask({{"Range", "bytes=2-3"}, {"If-Range", condition}}).status;
  };
  CHECK(status("\"abcd\"") == 206);
  for (const char* other : {"\"abce\"", "W/\"abcd\"", "abcd", "", "*", "\"abcd\", \"x\"",
                            "Wed, 21 Oct 2026 07:28:00 GMT"}) {
    INFO(other);
    CHECK(status(other) == 200);
  }
  // A range that can not be met does not matter when the whole is sent anyway.
  CHECK(stored.ask({{"Range", "bytes=99-"}, {"If-Range", "\"old\""}}).status == 200);
}

TEST_CASE("who has the trace already gets nothing more") {
  const Stored stored;
  for (const char* known : {"\"abcd\"", "W/\"abcd\"", "*", "\"x\", \"abcd\"", "\"x\",W/\"abcd\" ",
                            " \"abcd\"", ",,\"abcd\""}) {
    INFO(known);
    const auto answer = stored.ask({{"If-None-Match", known}, {"Range", "bytes=0-1"}});
    CHECK(answer.status == 304);
    CHECK_FALSE(answer.file.has_value());
    CHECK(answer.body.empty());
    CHECK(header_of(answer, "ETag") == "\"abcd\"");
  }
  for (const char* other : {"\"abc\"", "abcd", "", ",", "\"ABCD\"", "W/", "\"x\", \"y\""}) {
    INFO(other);
    CHECK(stored.ask({{"If-None-Match", other}}).status == 200);
  }
}

TEST_CASE("a run that never had a trace and one whose trace is gone are told apart") {
  Stored stored;
  std::filesystem::remove(stored.file);
  auto answer = stored.ask({});
  CHECK(answer.status == 410);
  CHECK(answer.body.contains("\"code\":\"trace_gone\""));
  // Retention empties the name; the digest stays.
  stored.job.trace_file.clear();
  answer = trace_answer(stored.job, stored.folder.path(), tests::request_for("GET", "/"));
  CHECK(answer.status == 410);
  stored.job.trace_sha256.clear();
  answer = stored.ask({{"If-None-Match", "*"}});
  CHECK(answer.status == 404);
  CHECK(answer.body == "{\"error\":{\"code\":\"no_trace\",\"message\":\"run 57 has no trace\"}}\n");
}

TEST_CASE("a folder in the place of a trace is no trace") {
  Stored stored;
  const auto answer =
      trace_answer(stored.job, stored.folder.path(), tests::request_for("GET", "/"));
  CHECK(answer.status == 410);
}
