#pragma once
// R4-R7 over one window of one device: busy time, streams, classes, partition and one row for each
// (stream, kernel name). Owns nothing; time is near-linear in the events of the window.

#include <optional>
#include <span>

#include "analysis/breakdown.h"
#include "analysis/passes/accounting/charging.h"
#include "analysis/passes/accounting/device_table.h"

namespace stepscope::analysis {

// `events` are the device's events that touch the window, in start order. Charged time of all rows
// plus idle is the window, exactly; an event without duration counts as a call.
Accounting account(const TraceView& view, const Device& device, std::span<const EventIndex> events,
                   const Interval& window);

// The order in which instants are given away in this window (R7); absent when there are no events.
std::optional<ChargeOrder> charge_order_of(const TraceView& view, const Device& device,
                                           std::span<const EventIndex> events,
                                           const Interval& window);

// R5: the stream with most busy time in the window among those that hold compute there (none:
// among all), then with most calls, then of the lowest id. Empty when there are no events.
std::optional<StreamIndex> primary_stream(const TraceView& view, const Device& device,
                                          std::span<const EventIndex> events,
                                          const Interval& window);

}  // namespace stepscope::analysis
