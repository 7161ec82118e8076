#include "analysis/passes/accounting/row_index.h"

#include <doctest/doctest.h>

using namespace stepscope::analysis;

TEST_CASE("pairs are numbered in the order in which they appear") {
  RowIndex index;
  CHECK(index.of(0, 5) == 0);
  CHECK(index.of(5, 0) == 1);
  CHECK(index.of(0, 5) == 0);
  CHECK(index.of(0, 0) == 2);
  CHECK(index.count() == 3);
}

TEST_CASE("numbers stay the same while the table grows") {
  RowIndex index;
  for (std::uint32_t i = 0; i < 10'000; ++i) REQUIRE(index.of(i % 7, i) == i);
  for (std::uint32_t i = 0; i < 10'000; ++i) REQUIRE(index.of(i % 7, i) == i);
  CHECK(index.count() == 10'000);
}
