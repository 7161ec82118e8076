#pragma once
// Findings: rules over the figures of a breakdown, each a sentence that carries the figures it
// rests on. Nothing that a figure does not carry. Owns nothing; the sentences are plain text, not
// escaped, with layers counted from 1.

#include <vector>

#include "analysis/breakdown.h"

namespace stepscope::analysis {

// By nanoseconds at stake, then in the order of the rules; at most seven. Findings below 0.5 % of
// the wall are left out, but not what says how far the figures can be trusted. Pure: looks at
// `shown` and what stands beside it; breakdown.collectives must be those of `shown`.
std::vector<Takeaway> takeaways_of(const ShownStep& shown, const Breakdown& breakdown);

}  // namespace stepscope::analysis
