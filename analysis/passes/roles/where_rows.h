#pragma once
// The first table of a report: where the wall went, by phase, component, collective wait and cause
// of idle. Owns nothing; the rows sum to the window.

#include <span>
#include <vector>

#include "analysis/passes/step_scene.h"
#include "analysis/step_breakdown.h"

namespace stepscope::analysis {

// By charged_ns falling, then key. An event counts once, where it starts; the row of the wait
// counts its calls again. `waits` are those of the shown rank, by event; empty when they can not be
// told.
std::vector<WhereRow> where_rows(const StepScene& scene, const IdleCauses& idle,
                                 std::span<const EventWait> waits);

}  // namespace stepscope::analysis
