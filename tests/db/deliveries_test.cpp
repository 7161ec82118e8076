#include "db/deliveries.h"

#include <doctest/doctest.h>

#include "tests/db/fixtures.h"

using namespace stepscope::db;
using stepscope::tests::TestDatabase;

TEST_CASE("a delivery is known once it is recorded, and recorded once") {
  TestDatabase database;
  Deliveries deliveries(*database);
  CHECK_FALSE(deliveries.known("g-1"));
  deliveries.record("g-1", "issue_comment", "created", "enqueued", 1000);
  deliveries.record("g-1", "issue_comment", "created", "ignored", 2000);
  CHECK(deliveries.known("g-1"));
  CHECK_FALSE(deliveries.known("g-2"));
  CHECK_FALSE(deliveries.known(""));
  CHECK(database.integer("SELECT count(*) FROM delivery") == 1);
  CHECK(database.integer("SELECT count(*) FROM delivery WHERE outcome = 'enqueued' "
                         "AND at_ms = 1000") == 1);
}

TEST_CASE("pruning drops what is older than the given time") {
  TestDatabase database;
  Deliveries deliveries(*database);
  deliveries.record("old", "ping", "", "ignored", 999);
  deliveries.record("edge", "ping", "", "ignored", 1000);
  deliveries.prune(1000);
  CHECK_FALSE(deliveries.known("old"));
  CHECK(deliveries.known("edge"));
}
