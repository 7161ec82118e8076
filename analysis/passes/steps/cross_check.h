#pragma once
// R15: ties the profiled step to the unprofiled figures of the same run. Owns nothing.

#include <optional>

#include "analysis/step_breakdown.h"

namespace stepscope::analysis {

// The period is the median of the spread, over `accepted_tokens` per step with speculative decoding
// (a number that is not above 0 or not finite is no number). `unprofiled_ns` is the time per output
// token. The rate, 1 / period, and the ratio are absent where a step makes no output token for
// every user (prefill, draft, idle; unknown without layers), and for verify steps without the
// accepted tokens.
CrossCheck cross_check(const ShownStep& shown, std::optional<Ns> unprofiled_ns,
                       std::optional<double> accepted_tokens);

}  // namespace stepscope::analysis
