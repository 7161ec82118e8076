#include "db/database.h"

#include <doctest/doctest.h>
#include <fmt/format.h>
#include <unistd.h>

#include <fstream>
#include <limits>
#include <string>

#include "tests/support/temp_folder.h"

using namespace stepscope::db;
using stepscope::tests::TempFolder;
using Mode = Database::Mode;

namespace {

template <typename Action>
std::string message_of(Action action) {
  try {
    action();
  } catch (const DatabaseError& error) {
    return error.what();
  }
  return "no error";
}

}  // namespace

TEST_CASE("values come back as they were bound") {
  const TempFolder folder;
  Database database(folder.path() / "a.db", Mode::read_write);
  database.execute("CREATE TABLE t (i INTEGER, s TEXT, n INTEGER)");
  const std::string bytes("a\0b\xc3\xa9'\"", 7);
  database.prepare("INSERT INTO t VALUES (?1, ?2, ?3)")
      .bind(1, std::numeric_limits<std::int64_t>::min())
      .bind(2, bytes)
      .bind_null(3)
      .run();
  CHECK(database.last_insert_id() == 1);
  CHECK(database.changes() == 1);
  Statement row = database.prepare("SELECT i, s, n FROM t");
  REQUIRE(row.step());
  CHECK(row.integer(0) == std::numeric_limits<std::int64_t>::min());
  CHECK(row.text(1) == bytes);
  CHECK(row.is_null(2));
  CHECK(row.text(2).empty());
  CHECK_FALSE(row.optional_integer(2).has_value());
  CHECK(row.optional_integer(0) == std::numeric_limits<std::int64_t>::min());
  CHECK_FALSE(row.step());
}

TEST_CASE("an empty text is not NULL, an absent number is") {
  const TempFolder folder;
  Database database(folder.path() / "a.db", Mode::read_write);
  Statement row = database.prepare("SELECT ?1, ?2, ?3");
  row.bind(1, std::string_view{}).bind(2, std::optional<std::int64_t>{});
  row.bind(3, std::optional<std::int64_t>{5});
  REQUIRE(row.step());
  CHECK_FALSE(row.is_null(0));
  CHECK(row.is_null(1));
  CHECK(row.integer(2) == 5);
}

TEST_CASE("a statement may be run again with other values") {
  const TempFolder folder;
  Database database(folder.path() / "a.db", Mode::read_write);
  database.execute("CREATE TABLE t (i INTEGER); CREATE TABLE u (i INTEGER);");
  Statement insert = database.prepare("INSERT INTO t VALUES (?1)");
  for (int value = 1; value <= 3; ++value) insert.bind(1, value).run();
  Statement sum = database.prepare("SELECT sum(i) FROM t");
  REQUIRE(sum.step());
  CHECK(sum.integer(0) == 6);  // 1 + 2 + 3
}

TEST_CASE("errors name file and verb, and no value") {
  const TempFolder folder;
  Database database(folder.path() / "a.db", Mode::read_write);
  database.execute("CREATE TABLE t (s TEXT UNIQUE)");
  const auto insert = [&] {
    database.prepare("insert into t values (?1)").bind(1, "secret").run();
  };
  insert();
  CHECK(message_of(insert) == "a.db: INSERT: UNIQUE constraint failed: t.s");
  CHECK(message_of([&] { database.prepare("  SELECT x FROM t"); }) ==
        "a.db: SELECT: no such column: x");
  CHECK(message_of([&] { database.prepare("SELECT 1").bind(2, 5); }) ==
        "a.db: SELECT: column index out of range");
  CHECK(message_of([&] { database.prepare(" "); }) == "a.db: empty statement");
}

TEST_CASE("a second writer is refused and told who holds the database") {
  const TempFolder folder;
  const auto file = folder.path() / "a.db";
  {
    const Database first(file, Mode::read_write);
    CHECK(message_of([&] { const Database second(file, Mode::read_write); }) ==
          fmt::format("a.db is written by process {} (lock file {}.lock): stop it first",
                      ::getpid(), file.string()));
  }
  // A lock file that was left behind locks nobody out.
  CHECK(std::filesystem::exists(file.string() + ".lock"));
  CHECK(message_of([&] { const Database third(file, Mode::read_write); }) == "no error");
}

TEST_CASE("a writer keeps WAL, synchronous FULL and foreign keys") {
  const TempFolder folder;
  Database database(folder.path() / "a.db", Mode::read_write);
  const auto pragma = [&](const char* sql) {
    Statement row = database.prepare(sql);
    row.step();
    return row.text(0);
  };
  CHECK(pragma("PRAGMA journal_mode") == "wal");
  CHECK(pragma("PRAGMA synchronous") == "2");
  CHECK(pragma("PRAGMA foreign_keys") == "1");
  database.execute("CREATE TABLE a (i INTEGER PRIMARY KEY); CREATE TABLE b (a REFERENCES a (i))");
  CHECK(message_of([&] { database.execute("INSERT INTO b VALUES (1)"); }) ==
        "a.db: INSERT: FOREIGN KEY constraint failed");
}

TEST_CASE("a reader sees what is committed and can not write") {
  const TempFolder folder;
  const auto file = folder.path() / "a.db";
  Database writer(file, Mode::read_write);
  writer.execute("CREATE TABLE t (i INTEGER)");
  Database reader(file, Mode::read_only);
  const auto count = [&] {
    Statement row = reader.prepare("SELECT count(*) FROM t");
    row.step();
    return row.integer(0);
  };
  {
    Transaction transaction(writer);
    writer.execute("INSERT INTO t VALUES (1)");
    CHECK(count() == 0);
    transaction.commit();
  }
  CHECK(count() == 1);
  CHECK(message_of([&] { reader.execute("DELETE FROM t"); }) ==
        "a.db: DELETE: attempt to write a readonly database");
}

TEST_CASE("a reader does not create a file, and no file means a clear error") {
  const TempFolder folder;
  const auto file = folder.path() / "none.db";
  CHECK(message_of([&] { const Database reader(file, Mode::read_only); }) ==
        "none.db: cannot open: unable to open database file");
  CHECK_FALSE(std::filesystem::exists(file));
  const auto lost = folder.path() / "no" / "such.db";
  CHECK(message_of([&] { const Database writer(lost, Mode::read_write); }) ==
        fmt::format("cannot open {}.lock: No such file or directory", lost.string()));
}

TEST_CASE("a file that is no database is refused, and the lock is given back") {
  const TempFolder folder;
  const auto file = folder.path() / "a.db";
  std::ofstream(file) << std::string(4096, 'x');
  CHECK(message_of([&] { const Database writer(file, Mode::read_write); }) ==
        "a.db: PRAGMA: file is not a database");
  std::filesystem::remove(file);
  CHECK(message_of([&] { const Database writer(file, Mode::read_write); }) == "no error");
}

TEST_CASE("a transaction that is not committed leaves nothing") {
  const TempFolder folder;
  Database database(folder.path() / "a.db", Mode::read_write);
  database.execute("CREATE TABLE t (i INTEGER)");
  {
    const Transaction transaction(database);
    database.execute("INSERT INTO t VALUES (1)");
  }
  Transaction next(database);  // the first one is over
  database.execute("INSERT INTO t VALUES (2)");
  next.commit();
  Statement row = database.prepare("SELECT sum(i) FROM t");
  REQUIRE(row.step());
  CHECK(row.integer(0) == 2);
  CHECK(message_of([&] {
          const Transaction outer(database);
          const Transaction inner(database);
        }) == "a.db: BEGIN: cannot start a transaction within a transaction");
}
