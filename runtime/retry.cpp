#include "runtime/retry.h"

#include <algorithm>

namespace stepscope::runtime {

std::optional<std::int64_t> retry_delay_ms(const RetryPolicy& policy, int attempts_made) {
  if (attempts_made >= policy.attempts_max) {
    return std::nullopt;
  }
  const std::int64_t longest_ms = std::max<std::int64_t>(policy.longest_ms, 0);
  std::int64_t delay_ms = std::clamp<std::int64_t>(policy.first_ms, 0, longest_ms);
  for (int attempt = 1; attempt < attempts_made && delay_ms > 0; ++attempt) {
    if (delay_ms > longest_ms / 2) {  // doubling would pass the cap, or overflow
      return longest_ms;
    }
    delay_ms *= 2;
  }
  return delay_ms;
}

}  // namespace stepscope::runtime
