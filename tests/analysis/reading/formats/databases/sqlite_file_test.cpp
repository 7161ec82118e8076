#include "analysis/reading/formats/databases/sqlite_file.h"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "tests/support/sqlite_trace_maker.h"
#include "tests/support/temp_folder.h"
#include "tests/support/trace_text.h"

using namespace stepscope::analysis;
using stepscope::tests::SqliteMaker;
using stepscope::tests::TempFolder;
using stepscope::tests::write_file;

namespace {

namespace fs = std::filesystem;

std::unique_ptr<SqliteFile> opened(const fs::path& path, SqliteFile::Limits limits = {}) {
  auto file = SqliteFile::open(path, "t.db", limits);
  if (!file) FAIL(file.error().message);
  return *std::move(file);
}

std::string bytes_of(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

std::size_t files_in(const fs::path& folder) {
  return static_cast<std::size_t>(
      std::distance(fs::directory_iterator(folder), fs::directory_iterator()));
}

std::int64_t count(SqliteFile& file, std::string_view table, std::string_view column) {
  SqliteRows rows = file.rows(table, {column});
  std::int64_t found = 0;
  while (rows.next()) ++found;
  return found;
}

// A table of `rows` numbers, about 100 rows a page.
void make_numbers(const fs::path& path, int rows) {
  SqliteMaker(path).run(fmt::format(
      "CREATE TABLE t (a INTEGER, filler TEXT); WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT "
      "i+1 FROM n WHERE i < {}) INSERT INTO t SELECT i, 'xxxxxxxxxxxxxxxxxxxxxxxxxxxxxx' FROM n;",
      rows));
}

}  // namespace

TEST_CASE("only ordinary tables are seen, and only what they store") {
  TempFolder folder;
  const fs::path path = folder.path() / "t.db";
  SqliteMaker(path).run(
      "CREATE TABLE plain (a INTEGER, made INTEGER GENERATED ALWAYS AS (a + 1) STORED, computed "
      "INTEGER AS (length(hex(zeroblob(a)))), \"odd \"\"name\" TEXT);"
      "INSERT INTO plain (a) VALUES (5);"
      "CREATE TABLE kept (id INTEGER PRIMARY KEY AUTOINCREMENT);"
      "CREATE VIEW seen AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i FROM n) SELECT * "
      "FROM n;"
      "CREATE VIRTUAL TABLE words USING fts5(body);");
  const auto file = opened(path);
  CHECK(file->has("plain"));
  CHECK(file->has("kept"));
  CHECK_FALSE(file->has("seen"));
  CHECK_FALSE(file->has("words"));
  CHECK_FALSE(file->has("sqlite_sequence"));
  CHECK(file->has("plain", "A"));
  CHECK_FALSE(file->has("plain", "made"));
  CHECK_FALSE(file->has("plain", "computed"));
  CHECK_FALSE(file->has("seen", "i"));

  SqliteRows rows = file->rows("plain", {"absent", "a", "made", "computed"});
  REQUIRE(rows.next());
  CHECK_FALSE(rows.integer(0).has_value());
  CHECK(rows.integer(1) == 5);
  CHECK_FALSE(rows.integer(2).has_value());
  CHECK_FALSE(rows.integer(3).has_value());
  CHECK_FALSE(rows.next());
  CHECK_FALSE(rows.next());
  CHECK_FALSE(file->rows("seen", {"i"}).next());
  CHECK_FALSE(file->rows("words", {"body"}).next());
  CHECK(file->faults().empty());
  CHECK_FALSE(file->stopped().has_value());
}

TEST_CASE("values of any type are numbers or texts, or nothing") {
  TempFolder folder;
  const fs::path path = folder.path() / "t.db";
  SqliteMaker(path).run(
      "CREATE TABLE t (v); INSERT INTO t VALUES (9223372036854775807), ('-42'), (3.0), (3.5), "
      "(1e300), ('12x'), (NULL), (x'00FF'), (CAST(x'61FF0A62' AS TEXT)), ('h\xC3\xA9'), ('');");
  const auto file = opened(path);
  SqliteRows rows = file->rows("t", {"v"});
  std::vector<std::string> seen;
  while (rows.next()) {
    const auto number = rows.integer(0);
    const auto text = rows.text(0);
    seen.push_back((number ? std::to_string(*number) : "-") + "|" +
                   (text ? std::string(*text) : "-"));
  }
  CHECK(seen == std::vector<std::string>{"9223372036854775807|-", "-42|-42", "3|-", "-|-", "-|-",
                                         "-|12x", "-|-", "-|-",
                                         "-|a\xEF\xBF\xBD\xEF\xBF\xBD"
                                         "b",
                                         "-|h\xC3\xA9", "-|"});
}

TEST_CASE("texts by number, from the cache and beyond it") {
  TempFolder folder;
  const fs::path path = folder.path() / "t.db";
  const std::string longest(50'000, 'k');
  SqliteMaker(path).run(
      "CREATE TABLE s (id INTEGER PRIMARY KEY, value);"
      "INSERT INTO s VALUES (1, 'one'), (2, x'01'), (3, '" +
      longest + "'), (4, CAST(zeroblob(2000000) AS TEXT))");
  const auto file = opened(path);
  SqliteTexts texts(*file, "s", "id", "value");
  for (int round = 0; round < 2; ++round) {
    CHECK(texts.find(1) == "one");
    CHECK_FALSE(texts.find(2).has_value());
    CHECK(texts.find(3) == longest);
    CHECK_FALSE(texts.find(4).has_value());  // longer than a name may be
    CHECK_FALSE(texts.find(5).has_value());
  }
  SqliteTexts none(*file, "absent", "id", "value");
  CHECK_FALSE(none.find(1).has_value());
  CHECK(file->faults().empty());
}

TEST_CASE("a name is encoded in the address of the file") {
  TempFolder folder;
  const fs::path path = folder.path() / "a?mode=rw#b%41 \xC3\xA9\xFF.db";
  SqliteMaker(path).run("CREATE TABLE t (a); INSERT INTO t VALUES (1)");
  const auto file = opened(path);
  CHECK(count(*file, "t", "a") == 1);
}

TEST_CASE("triggers, checks and odd indexes of a file do nothing") {
  TempFolder folder;
  const fs::path path = folder.path() / "t.db";
  SqliteMaker(path).run(
      "CREATE TABLE t (a INTEGER CHECK (abs(a) > 0 OR randomblob(10) IS NULL));"
      "CREATE TABLE log (b); CREATE INDEX i ON t (a) WHERE a > 3;"
      "CREATE TRIGGER grow AFTER INSERT ON t BEGIN INSERT INTO log VALUES (1); END;"
      "INSERT INTO t VALUES (1), (2), (4);");
  const std::string before = bytes_of(path);
  {
    const auto file = opened(path);
    CHECK(count(*file, "t", "a") == 3);
    CHECK(count(*file, "log", "b") == 3);
  }
  CHECK(bytes_of(path) == before);
}

TEST_CASE("a file in WAL mode is read in a folder that can not be written to") {
  TempFolder folder;
  const fs::path inner = folder.path() / "inner";
  fs::create_directory(inner);
  const fs::path path = inner / "t.db";
  SqliteMaker(path).run("PRAGMA journal_mode=WAL; CREATE TABLE t (a); INSERT INTO t VALUES (1);");
  REQUIRE(files_in(inner) == 1);
  REQUIRE(bytes_of(path)[18] == 2);  // it says WAL
  fs::permissions(path, fs::perms::owner_read);
  fs::permissions(inner, fs::perms::owner_read | fs::perms::owner_exec);
  {
    const auto file = opened(path);
    CHECK(count(*file, "t", "a") == 1);
    CHECK(files_in(inner) == 1);
  }
  CHECK(files_in(inner) == 1);
  fs::permissions(inner, fs::perms::owner_all);
}

TEST_CASE("the work has an end, and so has the caller's patience") {
  TempFolder folder;
  const fs::path path = folder.path() / "t.db";
  make_numbers(path, 100'000);  // three steps a row
  const auto patient = opened(path);
  CHECK(count(*patient, "t", "a") == 100'000);
  CHECK_FALSE(patient->stopped().has_value());

  const auto busy = opened(path, {.steps_max = 150'000});
  CHECK(count(*busy, "t", "a") < 100'000);
  REQUIRE(busy->stopped().has_value());
  CHECK(busy->stopped()->fault == AnalyzeFault::limit);
  CHECK(busy->stopped()->message ==
        "t.db: reading the database takes more than 150000 steps of SQLite: it is larger than any "
        "profile, or made to last; record fewer steps");
  CHECK(busy->faults().empty());

  std::atomic<bool> cancelled = false;
  const auto stopped = opened(path, {.cancelled = &cancelled});
  SqliteRows rows = stopped->rows("t", {"a"});
  REQUIRE(rows.next());
  cancelled = true;
  int more = 0;
  while (rows.next()) ++more;
  CHECK(more < SqliteFile::kStepsPerCheck);
  REQUIRE(stopped->stopped().has_value());
  CHECK(stopped->stopped()->fault == AnalyzeFault::cancelled);
}

TEST_CASE("a schema of very many tables is refused before it fills the memory") {
  TempFolder folder;
  const fs::path path = folder.path() / "t.db";
  {
    SqliteMaker maker(path);
    maker.run("CREATE TABLE t (a); PRAGMA writable_schema=ON;");
    maker.run(
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM n WHERE i < 60000) INSERT INTO "
        "sqlite_master SELECT 'table', 't' || i, 't' || i, 2, 'CREATE TABLE t' || i || '(a)' FROM "
        "n;");
  }
  const auto file = SqliteFile::open(path, "t.db", {});
  REQUIRE_FALSE(file.has_value());
  CHECK(file.error().fault == AnalyzeFault::limit);
}

TEST_CASE("a damaged page anywhere costs what lies there") {
  TempFolder folder;
  const fs::path path = folder.path() / "t.db";
  make_numbers(path, 3'000);
  const std::string whole = bytes_of(path);
  constexpr std::size_t kPage = 4096;
  REQUIRE(whole.size() > 20 * kPage);
  int refused = 0;
  int partial = 0;
  for (std::size_t page = 0; page < whole.size() / kPage; ++page) {
    for (const char filler : {'\0', '\xFF', '\x05'}) {
      std::string bytes = whole;
      std::fill_n(bytes.begin() + static_cast<std::ptrdiff_t>(page * kPage + (page == 0 ? 100 : 0)),
                  kPage - 100, filler);
      const fs::path damaged = write_file(folder.path(), "damaged.db", bytes);
      const auto file = SqliteFile::open(damaged, "t.db", {});
      if (!file) {
        ++refused;
        CHECK(file.error().message.find('\n') == std::string::npos);
        continue;
      }
      const std::int64_t rows = count(**file, "t", "a");
      CHECK(rows <= 3'000);
      if ((*file)->faults().empty()) continue;
      ++partial;
      CHECK((*file)->faults().front().table == "t");
      CHECK((*file)->faults().front().rows == static_cast<std::uint64_t>(rows));
      CHECK((*file)->faults().front().message == "database disk image is malformed");
    }
  }
  CHECK(refused > 0);
  CHECK(partial > 20);
}

TEST_CASE("what is no database is refused in one line") {
  TempFolder folder;
  const auto message = [&](const std::string& bytes) {
    const auto file = SqliteFile::open(write_file(folder.path(), "t.db", bytes), "t.db", {});
    REQUIRE_FALSE(file.has_value());
    CHECK(file.error().message.find('\n') == std::string::npos);
    return file.error().message;
  };
  CHECK(message(std::string("SQLite format 3\0", 16) + std::string(5000, '\x01'))
            .find("file is not a database") != std::string::npos);
  CHECK(message("text") ==
        "t.db: the database's list of tables can not be read (file is not a database); copy or "
        "export it again");
  const auto absent = SqliteFile::open(folder.path() / "absent.db", "absent.db", {});
  REQUIRE_FALSE(absent.has_value());
  CHECK(absent.error().fault == AnalyzeFault::unreadable);

  const fs::path odd = folder.path() / "odd.db";
  SqliteMaker(odd).run(
      "CREATE TABLE t (a); PRAGMA writable_schema=ON; INSERT INTO sqlite_master VALUES ('table', "
      "'x' || char(10) || char(27), 'x', 5, 'CREATE TABLE y(');");
  const auto file = SqliteFile::open(odd, "odd.db", {});
  REQUIRE_FALSE(file.has_value());
  CAPTURE(file.error().message);
  CHECK(file.error().message.find_first_of("\n\x1B") == std::string::npos);
}

TEST_CASE("text for a message is short and printable") {
  CHECK(printable("name", 10) == "name");
  CHECK(printable("a\nb\x1B[31m\xC3\xA9", 10) == "a?b?[31m??");
  CHECK(printable("abcdef", 3) == "abc...");
}
