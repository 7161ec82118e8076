#pragma once
// A Comparison as the JSON contract `stepscope.compare/1`: integers for times, null for what is
// absent, every list complete. Deterministic: same input, same bytes.

#include <string>

#include "analysis/compare.h"

namespace stepscope::analysis {

// Ends with a newline.
std::string compare_json(const Comparison& comparison);

}  // namespace stepscope::analysis
