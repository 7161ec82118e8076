#pragma once
// R8: where the steps of a device come from, and which events each of them owns. The first source
// that owns an event is taken. Owns the lists of events; says nothing about windows.

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/passes/accounting/device_table.h"
#include "analysis/passes/accounting/launch_links.h"

namespace stepscope::analysis {

enum class StepSource : std::uint8_t {
  engine,
  python_frame,
  profiler_step,
  annotation,
  graph_launch,
  repetition,
  file,
};

// As in Step::source.
std::string_view source_name(StepSource source);

struct OwnedStep {
  std::string label;
  std::string phase = "unknown";
  std::optional<std::int64_t> batch_size;  // of the marker
  std::optional<std::int64_t> tokens;
  std::optional<std::int64_t> kv_tokens;
  std::vector<EventIndex> events;  // in start order, not empty
  std::optional<Interval> marker;  // the span that owns them; absent without markers
};

struct StepSet {
  StepSource source = StepSource::file;
  bool by_device_span = false;  // no launch in the file: gpu_user_annotation spans were used
  std::vector<OwnedStep> steps;
  std::int64_t empty_markers = 0;   // markers of the source without events of this device
  std::int64_t outside_events = 0;  // events of the device that belong to no step
};

StepSet find_steps(const TraceView& view, const LaunchLinks& links, const Device& device);

// R4 over one list of events in start order, without communication, in which a rank may do nothing
// but wait. Steps that no engine marks must own half of a device's.
Ns work_ns_of(const TraceView& view, std::span<const EventIndex> events);

}  // namespace stepscope::analysis
