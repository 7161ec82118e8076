#pragma once
// R10: matches the calls of one queue over its members. Owns the indices of the matched calls.

#include <cstdint>
#include <span>
#include <vector>

#include "analysis/passes/ranks/clock_offsets.h"

namespace stepscope::analysis {

struct MatchedCalls {
  std::vector<EventIndex> events;  // one for each member of the queue, match after match, in order
  std::int64_t unmatched = 0;      // calls
};

// In order: all calls of a match share an instant of the common clock; a call that ended before
// the last arrival of the others has no partner. Near-linear in the calls.
MatchedCalls match_calls(const CommonClock& clock, const CallQueue& queue);

}  // namespace stepscope::analysis
