#include "runtime/clock.h"

#include <doctest/doctest.h>

#include "tests/support/manual_clock.h"

namespace stepscope::runtime {

TEST_CASE("the system clock counts milliseconds since 1970") {
  const SystemClock clock;
  const std::int64_t first_ms = clock.now_ms();
  CHECK(first_ms > 1'700'000'000'000);  // November 2023
  CHECK(first_ms < 7'000'000'000'000);  // year 2191: seconds or microseconds would not fit
}

TEST_CASE("the manual clock of the tests moves only when told") {
  tests::ManualClock clock(1000);
  CHECK(clock.now_ms() == 1000);
  clock.advance(250);
  CHECK(clock.now_ms() == 1250);
  clock.set(5);
  CHECK(clock.now_ms() == 5);
}

}  // namespace stepscope::runtime
