#include <doctest/doctest.h>

#include <cstdint>
#include <limits>
#include <numeric>
#include <random>

#include "analysis/figures.h"

namespace stepscope::analysis {
namespace {

TEST_CASE("milliseconds have three decimals, rounded half to even") {
  CHECK(format_ms(0) == "0.000");
  CHECK(format_ms(24'976'123) == "24.976");
  CHECK(format_ms(500) == "0.000");    // 0.5 us: to the even 0
  CHECK(format_ms(1'500) == "0.002");  // 1.5 us: to the even 2
  CHECK(format_ms(2'500) == "0.002");  // 2.5 us: to the even 2
  CHECK(format_ms(2'501) == "0.003");
  CHECK(format_ms(999'999'500) == "1000.000");  // 999999.5 us: to the even 1000000
  CHECK(format_ms(-10'001) == "-0.010");
  CHECK(format_ms(-400) == "0.000");  // no minus zero
  CHECK(format_ms(std::numeric_limits<Ns>::max()) == "9223372036854.776");
  CHECK(format_ms(std::numeric_limits<Ns>::min()) == "-9223372036854.776");
}

TEST_CASE("microseconds have one decimal, rounded half to even") {
  CHECK(format_us(132'949) == "132.9");
  CHECK(format_us(132'950) == "133.0");  // 1329.5 tenths: to the even 1330
  CHECK(format_us(132'850) == "132.8");  // 1328.5 tenths: to the even 1328
  CHECK(format_us(-50) == "0.0");
}

TEST_CASE("shares sum to 1000: the largest remainders get what is left") {
  // 333.3 each: floors 999, one left; remainders and values are equal, so the first row gets it.
  CHECK(shares_permille(std::vector<Ns>{1, 1, 1}, 3) == std::vector<int>{334, 333, 333});
  // 166.6, 666.6, 166.6: floors 998, two left, all remainders .6: the larger value, then the first.
  CHECK(shares_permille(std::vector<Ns>{1, 4, 1}, 6) == std::vector<int>{167, 667, 166});
  // 142.857, 285.714, 571.428: floors 998, two left: .857, then .714.
  CHECK(shares_permille(std::vector<Ns>{1, 2, 4}, 7) == std::vector<int>{143, 286, 571});
  CHECK(shares_permille(std::vector<Ns>{0, 5, 0}, 5) == std::vector<int>{0, 1000, 0});
  CHECK(shares_permille(std::vector<Ns>{}, 5).empty());
  CHECK(shares_permille(std::vector<Ns>{1, 2}, 0) == std::vector<int>{0, 0});
  CHECK(shares_permille(std::vector<Ns>{1, 2}, -3) == std::vector<int>{0, 0});
  // Parts of a larger whole: 1/8 and 1/8 of it are 125.0 each.
  CHECK(shares_permille(std::vector<Ns>{1, 1}, 8) == std::vector<int>{125, 125});
  // Three years in nanoseconds times 1000 pass 2^63.
  const Ns years = 94'608'000'000'000'000;
  CHECK(shares_permille(std::vector<Ns>{years, years}, 2 * years) == std::vector<int>{500, 500});
}

TEST_CASE("tenths of a percent are written with one decimal") {
  CHECK(format_permille(546) == "54.6");
  CHECK(format_permille(1000) == "100.0");
  CHECK(format_permille(0) == "0.0");
  CHECK(format_permille(7) == "0.7");
}

TEST_CASE("rounded parts sum to the rounded total") {
  // 1.4 + 1.4 + 1.4 = 4.2 -> 4: floors 3, one left, equal remainders and values: the first.
  CHECK(round_to_unit(std::vector<Ns>{1'400, 1'400, 1'400}, 4'200, 1000) ==
        std::vector<Ns>{2'000, 1'000, 1'000});
  // 0.5 + 1.0 = 1.5 -> 2 (even): the half is rounded up, the whole part never.
  CHECK(round_to_unit(std::vector<Ns>{500, 1'000}, 1'500, 1000) == std::vector<Ns>{1'000, 1'000});
  // 0.5 + 2.0 = 2.5 -> 2 (even): nothing left.
  CHECK(round_to_unit(std::vector<Ns>{500, 2'000}, 2'500, 1000) == std::vector<Ns>{0, 2'000});
  // Equal remainders .5, .5: the larger value gets it.
  CHECK(round_to_unit(std::vector<Ns>{500, 3'500}, 4'000, 1000) == std::vector<Ns>{0, 4'000});
  // Negative parts keep their sum too.
  CHECK(round_to_unit(std::vector<Ns>{-600, 1'600}, 1'000, 1000) == std::vector<Ns>{-1'000, 2'000});
  // Parts that do not belong to the total get at most one unit more each.
  CHECK(round_to_unit(std::vector<Ns>{100, 200}, 9'000, 1000) == std::vector<Ns>{1'000, 1'000});
}

TEST_CASE("any parts: columns close and no row is off by a unit or more") {
  std::mt19937_64 random(7);  // a fixed seed: the same cases every time
  for (int round = 0; round < 300; ++round) {
    std::vector<Ns> parts(1 + (random() % 40));
    for (Ns& part : parts) part = static_cast<Ns>(random() % 3'000'000);
    const Ns total = std::accumulate(parts.begin(), parts.end(), Ns{0});
    const std::vector<Ns> rounded = round_to_unit(parts, total, 1000);
    std::string sum = format_ms(std::accumulate(rounded.begin(), rounded.end(), Ns{0}));
    CHECK(sum == format_ms(total));
    const std::vector<int> shares = shares_permille(parts, total);
    CHECK(std::accumulate(shares.begin(), shares.end(), 0) == (total == 0 ? 0 : 1000));
    for (std::size_t i = 0; i < parts.size(); ++i) CHECK(std::abs(rounded[i] - parts[i]) < 1000);
  }
}

TEST_CASE("bars are eighths of a block, and a sliver is seen") {
  CHECK(bar(1, 1, 4) == "████");
  CHECK(bar(1, 2, 4) == "██");
  CHECK(bar(9, 16, 2) == "█▏");  // 9/16 of 16 eighths
  CHECK(bar(1, 1'000'000, 10) == "▏");
  CHECK(bar(5, 2, 3) == "███");  // never wider than the whole
  CHECK(bar(0, 5, 4).empty());
  CHECK(bar(-1, 5, 4).empty());
  CHECK(bar(1, 0, 4).empty());
  CHECK(bar(1, 5, 0).empty());
}

}  // namespace
}  // namespace stepscope::analysis
