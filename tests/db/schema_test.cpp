#include "db/schema.h"

#include <doctest/doctest.h>

#include <string>

#include "tests/db/fixtures.h"

using namespace stepscope::db;
using stepscope::tests::TempFolder;
using stepscope::tests::TestDatabase;

namespace {

std::string refusal(Database& database) {
  try {
    migrate(database);
  } catch (const DatabaseError& error) {
    return error.what();
  }
  return "none";
}

}  // namespace

TEST_CASE("an empty file becomes the newest version, and stays it") {
  TestDatabase database;
  CHECK(schema_version() == 2);
  CHECK(database.integer("PRAGMA user_version") == 2);
  stepscope::tests::enqueue_job(*database, 1);
  migrate(*database);
  CHECK(database.integer("PRAGMA user_version") == 2);
  CHECK(database.integer("SELECT count(*) FROM job") == 1);
}

TEST_CASE("all tables are there") {
  TestDatabase database;
  // request, job, job_event, breakdown, kname, kern, outbox, delivery, runner_poll
  CHECK(database.integer("SELECT count(*) FROM sqlite_schema WHERE type = 'table'") == 9);
}

TEST_CASE("a newer file is refused and left as it is") {
  TestDatabase database;
  (*database).execute("PRAGMA user_version = 3");
  CHECK(refusal(*database) ==
        "the database has schema version 3, this program knows versions up to 2: run the program "
        "that wrote it, or a newer one");
  CHECK(database.integer("PRAGMA user_version") == 3);
}

TEST_CASE("a file of another program is refused") {
  const TempFolder folder;
  Database database(folder.path() / "other.db", Database::Mode::read_write);
  database.execute("CREATE TABLE cookies (id INTEGER)");
  CHECK(refusal(database) == "the database holds tables of another program: name another file");
}

TEST_CASE("kernel rows take about thirty bytes") {
  TestDatabase database;
  const JobId id = stepscope::tests::enqueue_job(*database, 1);
  (*database).execute("INSERT INTO kname (name) VALUES ('a kernel name')");
  const std::int64_t pages = database.integer("PRAGMA page_count");
  {
    Transaction transaction(*database);
    Statement insert = (*database).prepare("INSERT INTO kern VALUES (?1, ?2, 1, 1, 61, ?3, ?3)");
    for (int stream = 10'000; stream < 20'000; ++stream) {
      insert.bind(1, id).bind(2, std::to_string(stream)).bind(3, 123'456'789).run();
    }
    transaction.commit();
  }
  // A record: header 8, run and ids 0 (the value 1 lies in the header), stream 5, calls 1, two
  // times of 4; with the cell's 3 it is 25 bytes. Pages are filled to nine tenths or better.
  const std::int64_t bytes =
      (database.integer("PRAGMA page_count") - pages) * database.integer("PRAGMA page_size");
  CHECK(bytes >= 10'000 * 25);
  CHECK(bytes <= 10'000 * 30);
}
