#include "analysis/lower_median.h"

#include <doctest/doctest.h>

#include "analysis/step_breakdown.h"

using namespace stepscope::analysis;

TEST_CASE("lower median") {
  CHECK(lower_median(std::vector<Ns>{7}) == 7);
  CHECK(lower_median(std::vector<Ns>{9, 4}) == 4);
  CHECK(lower_median(std::vector<Ns>{5, 1, 3}) == 3);
}
