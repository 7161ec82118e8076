#pragma once
// A Comparison as a text for people: both walls and what the difference is worth first, one table
// that adds up to it, the kernels that changed most, what appeared and vanished, the layers.

#include <string>

#include "analysis/compare.h"
#include "analysis/reports/document.h"

namespace stepscope::analysis {

Document compare_document(const Comparison& comparison);
std::string compare_markdown(const Comparison& comparison);

}  // namespace stepscope::analysis
