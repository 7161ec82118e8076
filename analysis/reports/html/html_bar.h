#pragma once
// The component bar: one horizontal bar in which charged time and idle fill the wall, in colours
// that stand for the same component in every report. Owns nothing; pure.

#include <span>
#include <string>
#include <string_view>

#include "analysis/step_breakdown.h"

namespace stepscope::analysis {

// Name of the colour ("moe") of a component or of the key of a WhereRow, whose most special word
// that is known decides: "moe.collective" is communication. "other" for what is not known.
std::string_view colour_name(std::string_view key);

// Bar and legend of one step.
std::string component_bar(const ShownStep& shown);

// A bar for each step, all to the scale of the longest, with one legend.
std::string component_bars(std::span<const ShownStep> shown);

}  // namespace stepscope::analysis
