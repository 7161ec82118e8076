#pragma once
// What the readers deliver and the passes consume: device events, launches and step markers with
// interned names, plus the counters of what was refused. A Trace owns everything; ids are indices
// into its tables and are valid for its lifetime.

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/breakdown.h"

namespace stepscope::analysis {

using NameId = std::uint32_t;
using TimelineId = std::uint32_t;
using ScopeId = std::uint32_t;

inline constexpr std::int64_t kNoCorrelation = std::numeric_limits<std::int64_t>::min();

enum class DeviceKind : std::uint8_t { kernel, memcpy, memset };

// One process of the run: a file, or one rank label of a merged file. Launches, markers and device
// events meet only inside a scope, because correlation ids collide between ranks.
struct RankScope {
  std::size_t file = 0;
  std::optional<int> rank;
  std::string label;  // "TP03-EP03" of a merged file, else empty
};

// R2: (scope, pid, device, stream), all as strings; "stream 7" became "7".
struct Timeline {
  ScopeId scope = 0;
  std::string pid;
  std::string device;
  std::string stream;
};

// What the arguments of many device events have in common; interned. Texts are as in the file.
struct KernelArgs {
  std::string grid;  // "[1, 2, 3]", empty: not recorded
  std::string block;
  // Of NCCL kernels; empty: not recorded.
  std::string collective;   // "Collective name", without leading and trailing underscores
  std::string group;        // "Process Group Name"
  std::string group_ranks;  // "Process Group Ranks"
  std::string dtype;
  std::optional<std::int64_t> in_elements;   // "In msg nelems"
  std::optional<std::int64_t> out_elements;  // "Out msg nelems"
};

using ArgsId = std::uint32_t;  // into Trace::kernel_args; 0 is the empty one

struct DeviceEvent {
  Ns start_ns = 0;  // absolute: the file's baseTimeNanoseconds is added
  Ns dur_ns = 0;
  std::int64_t correlation = kNoCorrelation;
  NameId name = 0;
  TimelineId timeline = 0;
  ArgsId args = 0;
  std::uint32_t external_id = 0;  // of the operator that launched it; 0: none
  DeviceKind kind = DeviceKind::kernel;
};

// An operator of matrix products or attention with recorded shapes.
struct OpShape {
  ScopeId scope = 0;
  std::uint32_t external_id = 0;
  NameId op = 0;    // "aten::mm"
  NameId dims = 0;  // text of "Input Dims", interned with the names
};

// A runtime or driver call with a correlation id.
struct Launch {
  Ns start_ns = 0;
  Ns dur_ns = 0;
  std::int64_t correlation = kNoCorrelation;
  NameId name = 0;
  ScopeId scope = 0;
};

enum class MarkerKind : std::uint8_t {
  user_annotation,  // and cpu_op/Operator events named ProfilerStep#N
  gpu_annotation,   // gpu_user_annotation: device time
  python_frame,     // run_batch, _run_batch_inner, execute_model
};

struct Marker {
  Ns start_ns = 0;
  Ns dur_ns = 0;
  NameId name = 0;
  ScopeId scope = 0;
  MarkerKind kind = MarkerKind::user_annotation;
};

struct Trace {
  TraceSummary summary;  // device_events, duplicates and origin are filled by read_trace at its end
  std::vector<std::string> names;   // by NameId, in byte order; decoded, valid UTF-8
  std::vector<RankScope> scopes;    // by file, then label
  std::vector<Timeline> timelines;  // by scope, pid, device, stream; ids that are numbers by value
  std::vector<DeviceEvent> device_events;  // sorted by start, then end, timeline, name
  std::vector<KernelArgs> kernel_args = std::vector<KernelArgs>(1);  // by ArgsId; never empty
  std::vector<OpShape> op_shapes;                                    // sorted by scope, external id
  std::vector<Launch> launches;  // sorted by scope, correlation, start
  std::vector<Marker> markers;   // sorted by scope, start, longest first, name
  std::vector<std::string> first_notes;  // what a reader must know before any figure
  bool python_stacks = false;
  bool has_cpu_events = false;
  bool has_capture_markers = false;  // capture_* annotations
  bool has_launches = false;
};

}  // namespace stepscope::analysis
