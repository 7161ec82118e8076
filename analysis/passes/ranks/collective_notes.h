#pragma once
// R10: what a reader must know of the figures of the collectives: missing ranks, clocks, calls
// without a partner, whole microseconds. Pure; owns nothing.

#include <span>
#include <string>
#include <vector>

#include "analysis/passes/ranks/clock_offsets.h"

namespace stepscope::analysis {

// `offsets` has empty lists when the clocks were not compared.
std::vector<std::string> collective_notes(const TraceView& view, std::span<const RankStep> ranks,
                                          const CallQueues& queues, const ClockOffsets& offsets,
                                          const Collectives& figures);

}  // namespace stepscope::analysis
