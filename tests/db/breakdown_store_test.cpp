#include "db/breakdown_store.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "tests/db/fixtures.h"

using namespace stepscope::db;
using stepscope::tests::enqueue_job;
using stepscope::tests::some_breakdown;
using stepscope::tests::TestDatabase;

namespace {

KernelTotal kernel(const std::string& stream, const std::string& name, std::int64_t sum_ns) {
  return {.stream = stream,
          .name = name,
          .category = "gemm-dense",
          .calls = 2,
          .sum_ns = sum_ns,
          .charged_ns = sum_ns - 1};
}

}  // namespace

TEST_CASE("names are stored once for all runs") {
  TestDatabase database;
  const JobId first = enqueue_job(*database, 1);
  const JobId second = enqueue_job(*database, 2);
  const std::vector<KernelTotal> kernels = {kernel("7", "a", 10), kernel("7", "b", 20),
                                            kernel("9", "a", 30)};
  store_breakdown(*database, first, some_breakdown(), kernels);
  store_breakdown(*database, second, some_breakdown(), kernels);
  CHECK(database.integer("SELECT count(*) FROM kern") == 6);
  CHECK(database.integer("SELECT count(*) FROM kname") == 3);  // a, b, gemm-dense
  CHECK(database.integer("SELECT sum(k.sum_ns) FROM kern k JOIN kname n ON n.id = k.name "
                         "WHERE n.name = 'a' AND k.run = 1") == 40);  // 10 + 30
  CHECK(database.integer("SELECT count(*) FROM kern k JOIN kname c ON c.id = k.category "
                         "WHERE c.name = 'gemm-dense'") == 6);
}

TEST_CASE("rows of one stream and name are added up") {
  TestDatabase database;
  const JobId id = enqueue_job(*database, 1);
  const std::vector<KernelTotal> kernels = {kernel("7", "a", 10), kernel("7", "a", 5)};
  store_breakdown(*database, id, some_breakdown(), kernels);
  CHECK(database.integer("SELECT count(*) FROM kern") == 1);
  CHECK(database.integer("SELECT calls FROM kern") == 4);
  CHECK(database.integer("SELECT sum_ns FROM kern") == 15);
  CHECK(database.integer("SELECT charged_ns FROM kern") == 13);  // 9 + 4
}

TEST_CASE("a job has one breakdown") {
  TestDatabase database;
  const JobId id = enqueue_job(*database, 1);
  store_breakdown(*database, id, some_breakdown(), {});
  CHECK_THROWS_WITH_AS(store_breakdown(*database, id, some_breakdown(), {}),
                       "history.db: INSERT: UNIQUE constraint failed: breakdown.job_id",
                       DatabaseError);
}
