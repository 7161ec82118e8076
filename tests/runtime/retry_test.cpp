#include "runtime/retry.h"

#include <doctest/doctest.h>

#include <limits>

namespace stepscope::runtime {

TEST_CASE("the delay doubles, is capped, and ends") {
  const RetryPolicy policy{.first_ms = 1000, .longest_ms = 5000, .attempts_max = 6};
  CHECK(retry_delay_ms(policy, 1) == 1000);
  CHECK(retry_delay_ms(policy, 2) == 2000);
  CHECK(retry_delay_ms(policy, 3) == 4000);
  CHECK(retry_delay_ms(policy, 4) == 5000);  // 8000 capped
  CHECK(retry_delay_ms(policy, 5) == 5000);
  CHECK(retry_delay_ms(policy, 6) == std::nullopt);
  CHECK(retry_delay_ms(policy, 7) == std::nullopt);
}

TEST_CASE("no attempt yet counts as the first") {
  CHECK(retry_delay_ms(RetryPolicy{}, 0) == 1000);
  CHECK(retry_delay_ms(RetryPolicy{}, -3) == 1000);
}

TEST_CASE("large figures do not overflow") {
  const RetryPolicy policy{
      .first_ms = 1, .longest_ms = std::numeric_limits<std::int64_t>::max(), .attempts_max = 1000};
  CHECK(retry_delay_ms(policy, 63) == std::int64_t{1} << 62);  // 2^(63-1)
  CHECK(retry_delay_ms(policy, 64) == std::numeric_limits<std::int64_t>::max());
  CHECK(retry_delay_ms(policy, 999) == std::numeric_limits<std::int64_t>::max());
}

TEST_CASE("a first delay beyond the longest is the longest, a negative one none") {
  CHECK(retry_delay_ms({.first_ms = 900, .longest_ms = 100, .attempts_max = 3}, 1) == 100);
  CHECK(retry_delay_ms({.first_ms = -5, .longest_ms = 100, .attempts_max = 3}, 2) == 0);
  CHECK(retry_delay_ms({.first_ms = 5, .longest_ms = -1, .attempts_max = 3}, 1) == 0);
}

TEST_CASE("no attempts allowed means never") {
  CHECK(retry_delay_ms({.first_ms = 1, .longest_ms = 1, .attempts_max = 0}, 0) == std::nullopt);
}

}  // namespace stepscope::runtime
