#include "analysis/reading/formats/databases/sqlite_trace.h"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "tests/support/sqlite_trace_maker.h"
#include "tests/support/temp_folder.h"
#include "tests/support/trace_text.h"

using namespace stepscope::analysis;
using namespace std::string_view_literals;
using stepscope::tests::gzip;
using stepscope::tests::NsysMaker;
using stepscope::tests::RpdMaker;
using stepscope::tests::SqliteMaker;
using stepscope::tests::TempFolder;
using stepscope::tests::write_file;

namespace {

namespace fs = std::filesystem;

struct Reading {
  FileContent content;
  Trace trace;
};

std::expected<Reading, AnalyzeError> try_read(const fs::path& path,
                                              const AnalyzeOptions& options = {}) {
  auto input = TraceInput::open(path, options);
  REQUIRE(input.has_value());
  TraceBuilder builder(100'000);
  auto content = read_sqlite(**input, (*input)->compressed() ? fs::path() : path, builder, options);
  if (!content) return std::unexpected(content.error());
  builder.end_file(content->metadata, std::nullopt);
  return Reading{*content, builder.finish()};
}

Reading read(const fs::path& path) {
  auto reading = try_read(path);
  if (!reading) FAIL(reading.error().message);
  return *std::move(reading);
}

AnalyzeError refused(const fs::path& path, const AnalyzeOptions& options = {}) {
  auto reading = try_read(path, options);
  REQUIRE_FALSE(reading.has_value());
  CHECK(reading.error().message.find('\n') == std::string::npos);
  return reading.error();
}

std::string bytes_of(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

// Many kernels of one name in a row, so that the table has some pages.
fs::path make_kernels(const fs::path& folder, int kernels) {
  fs::path path = folder / "n.sqlite";
  NsysMaker maker(path);
  maker.kernel("gemm", {10, 20, 1});
  maker.run(fmt::format(
      "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM n WHERE i < {}) INSERT INTO "
      "CUPTI_ACTIVITY_KIND_KERNEL (start, end, deviceId, contextId, streamId, correlationId, "
      "globalPid, demangledName, shortName, gridX, gridY, gridZ, blockX, blockY, blockZ) SELECT i "
      "* "
      "100, i * 100 + 50, deviceId, 1, streamId, i, globalPid, demangledName, shortName, 1, 1, 1, "
      "1, 1, 1 FROM n, CUPTI_ACTIVITY_KIND_KERNEL k WHERE k.start = 10;",
      kernels - 1));
  return path;
}

// The temporary folder of the test itself, so that what is left in it is seen.
class TemporaryFolderIs {
 public:
  explicit TemporaryFolderIs(const fs::path& folder) {
    const char* before = std::getenv("TMPDIR");
    if (before != nullptr) before_ = before;
    ::setenv("TMPDIR", folder.c_str(), 1);
  }
  ~TemporaryFolderIs() {
    if (before_.empty()) {
      ::unsetenv("TMPDIR");
    } else {
      ::setenv("TMPDIR", before_.c_str(), 1);
    }
  }
  TemporaryFolderIs(const TemporaryFolderIs&) = delete;
  TemporaryFolderIs& operator=(const TemporaryFolderIs&) = delete;

 private:
  std::string before_;
};

}  // namespace

TEST_CASE("a database is known by its first bytes") {
  CHECK(is_sqlite("SQLite format 3\0...."sv));
  CHECK_FALSE(is_sqlite("SQLite format 3"));
  CHECK_FALSE(is_sqlite("{\"traceEvents\""));
}

TEST_CASE("plain and packed databases read the same, and nothing stays behind") {
  TempFolder folder;
  const fs::path plain = make_kernels(folder.path(), 3'000);
  const fs::path packed = write_file(folder.path(), "n.sqlite.gz", gzip(bytes_of(plain)));
  const fs::path scratch = folder.path() / "scratch";
  fs::create_directory(scratch);
  const TemporaryFolderIs temporary(scratch);

  const Reading first = read(plain);
  const Reading second = read(packed);
  REQUIRE(first.trace.device_events.size() == 3'000);
  REQUIRE(second.trace.device_events.size() == 3'000);
  CHECK(first.content.text_bytes == fs::file_size(plain));
  CHECK(second.content.text_bytes == fs::file_size(plain));
  CHECK(first.content.complete);
  CHECK(second.content.complete);
  CHECK(first.trace.names == second.trace.names);
  CHECK(std::ranges::equal(first.trace.device_events, second.trace.device_events,
                           [](const DeviceEvent& a, const DeviceEvent& b) {
                             return a.start_ns == b.start_ns && a.dur_ns == b.dur_ns &&
                                    a.correlation == b.correlation && a.name == b.name &&
                                    a.timeline == b.timeline;
                           }));
  CHECK(fs::is_empty(scratch));
  CHECK(std::distance(fs::directory_iterator(folder.path()), fs::directory_iterator()) == 3);
}

TEST_CASE("a packed database without room for it") {
  TempFolder folder;
  const fs::path packed =
      write_file(folder.path(), "n.sqlite.gz", gzip(bytes_of(make_kernels(folder.path(), 10))));
  const TemporaryFolderIs temporary(folder.path() / "absent");
  // Where the named folder can not be used, the system's own is.
  CHECK(read(packed).trace.device_events.size() == 10);
}

TEST_CASE("a cut database gives what its pages held, plain or packed") {
  TempFolder folder;
  const fs::path whole = make_kernels(folder.path(), 3'000);
  const std::string bytes = bytes_of(whole);
  const std::string half = bytes.substr(0, bytes.size() / 2 + 77);
  for (const fs::path& path : {write_file(folder.path(), "cut.sqlite", half),
                               write_file(folder.path(), "cut.sqlite.gz", gzip(half))}) {
    const Reading reading = read(path);
    CHECK_FALSE(reading.content.complete);
    CHECK(reading.content.text_bytes == half.size());
    CHECK(reading.trace.device_events.size() > 500);
    CHECK(reading.trace.device_events.size() < 3'000);
    REQUIRE(reading.content.notes.size() == 1);
    CHECK(reading.content.notes[0].starts_with(
        "table CUPTI_ACTIVITY_KIND_KERNEL: database disk image is malformed, behind "));
  }
  const auto cut_at = [&](std::size_t size) {
    return try_read(write_file(folder.path(), "cut.sqlite", bytes.substr(0, size)));
  };
  for (const std::size_t size : {16U, 99U, 100U, 512U, 4095U}) {
    const auto reading = cut_at(size);
    REQUIRE_FALSE(reading.has_value());
    CHECK(reading.error().fault == AnalyzeFault::no_trace);
    CHECK(reading.error().message.find('\n') == std::string::npos);
  }
  CHECK(cut_at(4095).error().message ==
        "cut.sqlite: cut at byte 4095, before the end of the database's list of tables; copy it "
        "again");
  for (const std::size_t size : {4096U, 8192U}) {
    const auto reading = cut_at(size);
    REQUIRE(reading.has_value());
    CHECK(reading->trace.device_events.empty());
    CHECK_FALSE(reading->content.complete);
  }
}

TEST_CASE("a damaged page in the middle: what was read before it counts") {
  TempFolder folder;
  const fs::path whole = make_kernels(folder.path(), 3'000);
  std::string bytes = bytes_of(whole);
  constexpr std::size_t kPage = 4096;
  const std::size_t at = bytes.size() / kPage / 2 * kPage;
  std::fill_n(bytes.begin() + static_cast<std::ptrdiff_t>(at), kPage, '\xAB');
  const Reading reading = read(write_file(folder.path(), "damaged.sqlite", bytes));
  CHECK(reading.content.complete);  // it is not cut
  CHECK(reading.content.damaged);
  const std::size_t rows = reading.trace.device_events.size();
  CHECK(rows > 500);
  CHECK(rows < 3'000);
  REQUIRE(reading.content.notes.size() == 1);
  CHECK(reading.content.notes[0] ==
        fmt::format("table CUPTI_ACTIVITY_KIND_KERNEL: database disk image is malformed, behind {} "
                    "rows; what was read before counts",
                    rows));
}

TEST_CASE("a write-ahead log that was not read is said") {
  TempFolder folder;
  const fs::path path = make_kernels(folder.path(), 2);
  write_file(folder.path(), "n.sqlite-wal", "");
  CHECK(read(path).content.notes.empty());
  write_file(folder.path(), "n.sqlite-wal", "frames");
  const Reading reading = read(path);
  REQUIRE(reading.content.notes.size() == 1);
  CHECK(reading.content.notes[0].starts_with("its write-ahead log (-wal) was not read"));
  CHECK(bytes_of(folder.path() / "n.sqlite-wal") == "frames");
}

TEST_CASE("cancelled before it begins, and while it reads") {
  TempFolder folder;
  const fs::path path = make_kernels(folder.path(), 30'000);
  std::atomic<bool> cancelled = true;
  AnalyzeOptions options;
  options.cancelled = &cancelled;
  CHECK(refused(path, options).fault == AnalyzeFault::cancelled);

  cancelled = false;
  int blocks = 0;
  AnalyzeOptions later = options;
  class Watching : public FileDigest {
   public:
    Watching(int& blocks, std::atomic<bool>& cancelled) : blocks_(blocks), cancelled_(cancelled) {}
    void update(std::span<const std::byte>) override { cancelled_ = ++blocks_ >= 3; }
    std::string finish() override { return ""; }

   private:
    int& blocks_;
    std::atomic<bool>& cancelled_;
  };
  later.make_digest = [&] { return std::make_unique<Watching>(blocks, cancelled); };
  CHECK(refused(path, later).fault == AnalyzeFault::cancelled);
  CHECK(blocks == 3);
}

TEST_CASE("the limit of the text holds for databases") {
  TempFolder folder;
  const fs::path path = make_kernels(folder.path(), 3'000);
  AnalyzeOptions options;
  options.text_bytes_max = 100'000;
  CHECK(refused(path, options).fault == AnalyzeFault::limit);
}

TEST_CASE("a limit of the tables ends the reading") {
  TempFolder folder;
  const fs::path path = make_kernels(folder.path(), 10);
  const AnalyzeOptions options;
  auto input = TraceInput::open(path, options);
  REQUIRE(input.has_value());
  TraceBuilder builder(0);
  const auto content = read_sqlite(**input, path, builder, options);
  REQUIRE_FALSE(content.has_value());
  CHECK(content.error().fault == AnalyzeFault::limit);
}

TEST_CASE("RPD is told from nsys") {
  TempFolder folder;
  const fs::path path = folder.path() / "r.rpd";
  RpdMaker(path).op("KernelExecution", "gemm", {10, 20});
  CHECK(read(path).trace.device_events.size() == 1);
}

TEST_CASE("other databases are named, with what to give instead") {
  TempFolder folder;
  const auto message = [&](const std::string& sql) {
    const fs::path path = folder.path() / "o.db";
    fs::remove(path);
    SqliteMaker(path).run(sql);
    const AnalyzeError error = refused(path);
    CHECK(error.fault == AnalyzeFault::unsupported_format);
    return error.message;
  };
  CHECK(message("CREATE TABLE b (x); CREATE TABLE a (x); CREATE VIEW v AS SELECT 1;") ==
        "o.db: an SQLite database that is no profile (tables: a, b); reading it is not supported: "
        "give what nsys export --type sqlite writes, or an RPD file");
  CHECK(message("CREATE TABLE t1 (x); CREATE TABLE t2 (x); CREATE TABLE t3 (x); CREATE TABLE t4 "
                "(x); CREATE TABLE t5 (x); CREATE TABLE t6 (x); CREATE TABLE t7 (x);")
            .find("(tables: t1, t2, t3, t4, t5 and 2 more)") != std::string::npos);
  CHECK(message("CREATE TABLE \"a\n\x1B[2J" + std::string(200, 'x') + "\" (x);")
            .find("(tables: a??[2Jxxx") != std::string::npos);
  CHECK(message("CREATE TABLE t (x); DROP TABLE t;") ==
        "o.db: an SQLite database without tables; reading it is not supported: give the database "
        "of a profiler");
  CHECK(message("CREATE TABLE rocpd_kernel_dispatch_0000b253 (id INTEGER PRIMARY KEY, start "
                "BIGINT); CREATE TABLE rocpd_string_0000b253 (id, string);") ==
        "o.db: a rocpd database of rocprofv3; reading it is not supported: record with rocprofv3 "
        "--output-format json, and give that file");
  CHECK(message("CREATE VIEW StringIds AS SELECT 1 AS id, 'x' AS value; CREATE TABLE "
                "CUPTI_ACTIVITY_KIND_KERNEL (start, \"end\", deviceId);")
            .find("(tables: CUPTI_ACTIVITY_KIND_KERNEL)") != std::string::npos);
}
