#pragma once
// R7: gives every instant of a window to one event. Owns nothing; near-linear in the events.

#include <cstdint>
#include <span>
#include <vector>

#include "analysis/passes/accounting/device_table.h"

namespace stepscope::analysis {

// Who goes before whom: the primary stream, then compute before communication before copy, within a
// class the stream of the lower rank.
struct ChargeOrder {
  StreamIndex primary = 0;
  std::vector<std::uint32_t> rank_of_stream;  // by StreamIndex: busiest first, then lowest id
};

struct Charges {
  std::vector<Ns> row_ns;  // by row
  Ns idle_ns = 0;
  Ns comm_beside_compute_ns = 0;  // charged to communication while compute runs
};

// An instant or more that belongs to one event, of which `at` is the position.
struct ChargedPart {
  Ns start_ns = 0;
  Ns end_ns = 0;
  std::uint32_t at = 0;
};

// `events` are those that touch the window, in start order; `row_of` is parallel to it and says
// which of the `row_count` rows an event's time goes to. The rows and idle sum to the window.
Charges charge_rows(const TraceView& view, std::span<const EventIndex> events,
                    std::span<const std::uint32_t> row_of, std::uint32_t row_count,
                    const ChargeOrder& order, const Interval& window);

// The same instant by instant: in time order, disjoint; neighbours of one event are one part. What
// no part covers is idle.
std::vector<ChargedPart> charged_parts(const TraceView& view, std::span<const EventIndex> events,
                                       const ChargeOrder& order, const Interval& window);

}  // namespace stepscope::analysis
