#pragma once
// R3: the window of a step, and the steps of a device measured and put in time order. Owns the
// measured steps; durations in the trace must not change afterwards.

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "analysis/passes/accounting/device_table.h"
#include "analysis/passes/steps/step_source.h"

namespace stepscope::analysis {

struct StepWindow {
  Interval window;
  std::optional<StrayCut> leading;
  std::optional<StrayCut> trailing;
  std::int64_t early_events = 0;  // before the end of the previous step's work: prefetch
  std::int64_t late_events = 0;   // after the start of the next step's work
};

// First start to last end of a step's own events (in start order, not empty) without stray ends.
// The window begins no earlier than `not_before` and ends no later than `not_after`.
StepWindow step_window(const TraceView& view, std::span<const EventIndex> own,
                       std::optional<Ns> not_before, std::optional<Ns> not_after);

struct MeasuredStep {
  Step step;  // index in time order; start_ns is relative to the trace's origin
  std::optional<std::int64_t> batch_size;
  std::optional<std::int64_t> tokens;
  StepWindow cut;  // absolute times
  std::vector<EventIndex> events;
  std::optional<Interval> marker;  // of OwnedStep
};

// Steps are ordered by the start of their work on the device's primary stream, which also bounds
// the windows of their neighbours.
std::vector<MeasuredStep> measure_steps(const TraceView& view, const Device& device,
                                        const StepSet& set);

}  // namespace stepscope::analysis
