#pragma once
// Findings: rules over the figures of a breakdown, each a sentence that carries the figures it
// rests on. Nothing that a figure does not carry. Owns nothing.

#include <vector>

#include "analysis/breakdown.h"

namespace stepscope::analysis {

// By nanoseconds at stake, at most seven. Pure: looks at `shown` and what stands beside it.
std::vector<Takeaway> takeaways_of(const ShownStep& shown, const Breakdown& breakdown);

// R15 from the spread of the steps shown; `accepted_tokens` per step with speculative decoding.
CrossCheck cross_check(const ShownStep& shown, std::optional<Ns> unprofiled_ns,
                       std::optional<double> accepted_tokens);

}  // namespace stepscope::analysis
