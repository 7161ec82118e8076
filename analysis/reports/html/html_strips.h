#pragma once
// Where the phases and the layers of a step lie: a strip of the whole window, below it the layers
// over the full width, and the parts of a speculative step. Owns nothing; pure. The cells carry
// their place for the script, which zooms the timeline there.

#include <string>

#include "analysis/step_breakdown.h"

namespace stepscope::analysis {

// Empty when the step has neither phases nor parts.
std::string step_strips(const ShownStep& shown);

}  // namespace stepscope::analysis
