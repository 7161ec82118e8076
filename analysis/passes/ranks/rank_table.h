#pragma once
// R9: the same step on every rank, side by side. Owns nothing.

#include <span>
#include <string>
#include <vector>

#include "analysis/passes/accounting/launch_links.h"
#include "analysis/passes/ranks/collectives.h"

namespace stepscope::analysis {

struct RankSteps {
  std::vector<RankStep> ranks;  // by rank; those that have the step
  std::size_t shown = 0;
  std::vector<std::string> notes;  // "rank 3 has no step at this time", "ranks have 5 to 6 steps"
};

// Which step of each rank is the one that is shown: the one that overlaps it longest in absolute
// time (ties: the first); when no step of a rank does (clocks that do not compare), the one of the
// same index if both have equally many steps. Of a rank's devices the first that has such a step,
// among those with steps of the shown phase if there are any. Devices without a rank's number are
// of one rank when they are of one process. `steps` is parallel to `devices`.
RankSteps same_step(const TraceView& view, const std::vector<Device>& devices,
                    const std::vector<std::vector<MeasuredStep>>& steps, std::size_t shown_device,
                    std::size_t shown_step);

// One row a rank; wait and transfer are left absent. R6 over each rank's own window, MoE by place
// as in the shown step.
std::vector<RankRow> rank_rows(const TraceView& view, const LaunchLinks& links,
                               const RankSteps& same);

// Fills wait and transfer of the ranks that have a matched call. `rows` are rank_rows' of `same`,
// `match` is of same.ranks.
void add_waits(std::vector<RankRow>& rows, const RankSteps& same, const CollectiveMatch& match);

}  // namespace stepscope::analysis
