#pragma once
// The table of all kernels of a step with their whole names, which the shorter tables of a report
// leave out. Owns nothing; pure. The script finds a kernel's name by its place in
// Accounting::kernels (data-kernel).

#include <string>

#include "analysis/step_breakdown.h"

namespace stepscope::analysis {

// A folded section; charged and idle sum to the wall as printed. Empty when there is no kernel.
std::string all_kernels(const ShownStep& shown);

}  // namespace stepscope::analysis
