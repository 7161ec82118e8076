#include "analysis/reports/compare/compare_words.h"

#include <doctest/doctest.h>

#include "tests/support/compare_sides.h"

using namespace stepscope;
using namespace stepscope::analysis;

TEST_CASE("tenths of a percent, half to even, without a whole none") {
  CHECK(permille_of(1, 3) == 333);
  CHECK(permille_of(-2, 3) == -667);
  CHECK(permille_of(1, 2000) == 0);  // 0.5
  CHECK(permille_of(3, 2000) == 2);  // 1.5
  CHECK(permille_of(-3, 2000) == -2);
  CHECK_FALSE(permille_of(5, 0).has_value());
  CHECK_FALSE(permille_of(4'000'000'000'000'000'000, 1).has_value());
}

TEST_CASE("changes carry their sign; what was not charged before has no share") {
  CHECK(change_words(51, 1000) == "+5.1 %");
  CHECK(change_words(-4, 1000) == "-0.4 %");
  CHECK(change_words(-1000, 1000) == "-100.0 %");
  CHECK(change_words(0, 0) == "0.0 %");
  CHECK(change_words(7, 0) == "from 0");
  CHECK(signed_ms(1'234'000) == "+1.234");
  CHECK(signed_ms(-500'000) == "-0.500");
  CHECK(signed_ms(200) == "0.000");
  CHECK(signed_ms(-200) == "0.000");
}

TEST_CASE("the verdict says which way, how much, and what the noise says") {
  const auto verdict = [](Ns a, Ns a_max, Ns b, Ns b_min, int steps) {
    CompareSide one = tests::plain_side(a, 0);
    CompareSide other = tests::plain_side(b, 0);
    one.max_ns = a_max;
    other.min_ns = b_min;
    one.steps = other.steps = steps;
    return verdict_words(compare(one, other));
  };
  CHECK(verdict(10'000'000, 10'100'000, 10'500'000, 10'400'000, 3) ==
        "B is slower by 0.500 ms (+5.0 %), beyond the range of the steps");
  CHECK(verdict(10'000'000, 10'400'000, 10'500'000, 10'400'000, 3) ==
        "B is slower by 0.500 ms (+5.0 %), within noise: the ranges of the steps overlap");
  CHECK(verdict(10'000'000, 10'000'000, 9'000'000, 9'000'000, 1) ==
        "B is faster by 1.000 ms (-10.0 %); whether that is noise cannot be told");
  CHECK(verdict(10'000'000, 10'000'000, 10'000'000, 10'000'000, 1) == "no difference");
}
