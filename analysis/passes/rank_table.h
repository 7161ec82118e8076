#pragma once
// R9: the same step on every rank, side by side. Owns nothing.

#include <span>
#include <string>
#include <vector>

#include "analysis/passes/collectives.h"

namespace stepscope::analysis {

struct RankSteps {
  std::vector<RankStep> ranks;  // by rank; those that have the step
  std::size_t shown = 0;
  std::vector<std::string> notes;  // "rank 3 has no step at this time", "ranks have 5 to 6 steps"
};

// Which step of each rank is the one that is shown: the one that overlaps it longest in absolute
// time; when no step of a rank does (clocks that do not compare), the one of the same index if the
// ranks have equally many steps. `steps` is parallel to `devices`.
RankSteps same_step(const TraceView& view, const std::vector<Device>& devices,
                    const std::vector<std::vector<MeasuredStep>>& steps, std::size_t shown_device,
                    std::size_t shown_step);

// One row a rank; wait and transfer are left absent. R6 over each rank's own window.
std::vector<RankRow> rank_rows(const TraceView& view, const RankSteps& same);

}  // namespace stepscope::analysis
