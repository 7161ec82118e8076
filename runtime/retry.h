#pragma once
// When to try again: exponential back-off with full knowledge of the attempt count. Pure.

#include <cstdint>
#include <optional>

namespace stepscope::runtime {

struct RetryPolicy {
  std::int64_t first_ms = 1'000;
  std::int64_t longest_ms = 300'000;
  int attempts_max = 12;
};

// Delay before attempt number `attempts_made` + 1 (attempts_made >= 1): first * 2^(n-1), capped.
// Nothing when the attempts are used up.
std::optional<std::int64_t> retry_delay_ms(const RetryPolicy& policy, int attempts_made);

}  // namespace stepscope::runtime
