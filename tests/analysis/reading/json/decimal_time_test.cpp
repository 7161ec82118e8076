#include "analysis/reading/json/decimal_time.h"

#include <doctest/doctest.h>

#include <array>
#include <cstdint>
#include <limits>
#include <optional>
#include <string_view>

using namespace stepscope::analysis;

namespace {

struct Case {
  std::string_view text;
  std::optional<std::int64_t> ns;
};

}  // namespace

TEST_CASE("microseconds in decimal text become whole nanoseconds") {
  const std::array<Case, 30> cases = {{
      {"0", 0},
      {"-0.0", 0},
      {"20.000", 20'000},
      {"2.5", 2'500},
      {"7", 7'000},
      {"-1.000", -1'000},
      {" 4.001 ", 4'001},
      {"+3.125", 3'125},
      {".5", 500},
      {"5.", 5'000},
      {"1.5e1", 15'000},
      {"2.5E-1", 250},
      {"6.19304128344e12", 6'193'041'283'440'000},
      {"1.76e+15", 1'760'000'000'000'000'000},
      {"1.1920928955078125e-07", 0},  // 0.00012 ns
      {"1e-400000000000", 0},
      {"0e999999999999", 0},
      // Half to even at 1 ns: 0.0005 us is half of a nanosecond.
      {"0.0005", 0},
      {"0.0015", 2},
      {"0.0025", 2},
      {"0.00250000000000000000000000001", 3},
      {"0.0024999999999999999999999999", 2},
      {"-0.0015", -2},
      {"0.9995", 1'000},
      // Through a double these are wrong by up to 253 ns.
      {"1760000000000000.125", 1'760'000'000'000'000'125},
      {"4909914216204.635", 4'909'914'216'204'635},
      {"1759300668123456.789", 1'759'300'668'123'456'789},
      {"9223372036854775.807", std::numeric_limits<std::int64_t>::max()},
      {"9223372036854775.808", std::nullopt},
      {"1e17", std::nullopt},
  }};
  for (const Case& c : cases) {
    CAPTURE(c.text);
    CHECK(parse_scaled(c.text, kMicroseconds) == c.ns);
  }
}

TEST_CASE("text that is no finite number has no value") {
  for (std::string_view text : {"", " ", "NaN", "Infinity", "-Infinity", "null", "true", "1.2.3",
                                "1e", "1e+", "--1", "1_000", "0x10", "-", ".", "12 34", "abc"}) {
    CAPTURE(text);
    CHECK(parse_scaled(text, kMicroseconds) == std::nullopt);
  }
}

TEST_CASE("the scale is the unit: nanoseconds are taken as they stand") {
  CHECK(parse_scaled("8306017670485", kNanoseconds) == 8'306'017'670'485);
  CHECK(parse_scaled("1.5", kNanoseconds) == 2);
  CHECK(parse_scaled("2.5", kNanoseconds) == 2);
  // As many digits as an int64 has, and more than it can hold; both signs have the same limit.
  CHECK(parse_scaled("9223372036854775807", kNanoseconds) ==
        std::numeric_limits<std::int64_t>::max());
  CHECK(parse_scaled("9223372036854775808", kNanoseconds) == std::nullopt);
  CHECK(parse_scaled("-9223372036854775808", kNanoseconds) == std::nullopt);
  CHECK(parse_scaled("99999999999999999999", kNanoseconds) == std::nullopt);
}
