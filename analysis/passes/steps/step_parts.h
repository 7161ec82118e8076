#pragma once
// The parts of a step that the engine's own markers tell apart: draft and verify of a speculative
// step, or prefill and decode of a mixed one. Owns nothing.

#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include "analysis/passes/accounting/launch_links.h"
#include "analysis/passes/steps/step_window.h"
#include "analysis/step_breakdown.h"

namespace stepscope::analysis {

// `all` are the steps of the device in time order, `at` is the one shown. Parts come from the
// outermost engine markers inside the step's own that own events of it; else, when verify and draft
// are steps of their own, from the speculative cycle that the shown one belongs to: then parts lie
// outside the window, before (start below 0) or after it. In time order; empty when there are fewer
// than two.
std::vector<StepPart> step_parts(const TraceView& view, const LaunchLinks& links,
                                 const Device& device, std::span<const MeasuredStep> all,
                                 std::size_t at);

// Positions [first, past) of the speculative cycle around `at`: a verify step with the draft (and
// the draft model's decode) steps that follow it. {at, at + 1} when the step is in none.
std::pair<std::size_t, std::size_t> speculative_cycle(std::span<const MeasuredStep> all,
                                                      std::size_t at);

}  // namespace stepscope::analysis
