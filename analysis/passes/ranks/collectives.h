#pragma once
// R10: matches the collective calls of one step over the ranks of a run, aligns their clocks, and
// splits each call into waiting for the last rank and transfer. Owns nothing of the trace.

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "analysis/breakdown.h"
#include "analysis/passes/step_scene.h"
#include "analysis/passes/steps/step_window.h"

namespace stepscope::analysis {

// The step of one rank.
struct RankStep {
  std::optional<int> rank;
  std::string label;  // of a merged file, else empty
  const Device* device = nullptr;
  const MeasuredStep* step = nullptr;
};

// "rank 3", "TP03-EP03" where the file has labels, "the rank without a number".
std::string rank_name(const RankStep& rank);

// Of the figures, by_rank holds the ranks that have a matched call; calls[] is in the clock of the
// shown rank. Nothing matched: by_rank is empty, the long calls are those of the shown rank, and
// the notes say why nothing can be told.
struct CollectiveMatch {
  Collectives figures;
  std::vector<std::vector<EventWait>> waits;  // parallel to the ranks; by event
};

// `ranks` in the order of their numbers (ties of lateness go to the first); `shown` is one of them.
// Calls are taken whole, as far as they are the step's own. A rank without any is left out. Absent
// when none of them has a communication event in the step.
std::optional<CollectiveMatch> match_collectives(const TraceView& view,
                                                 std::span<const RankStep> ranks, std::size_t shown,
                                                 std::optional<int> world_size);

}  // namespace stepscope::analysis
