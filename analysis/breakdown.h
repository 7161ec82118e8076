#pragma once
// The result of an analysis, as plain value types that own their strings. Every time is an integer
// count of nanoseconds (R0); an absent figure is an empty optional, never 0. The JSON form of these
// types is the contract `stepscope.breakdown/1` (reports/breakdown_json.h).

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace stepscope::analysis {

using Ns = std::int64_t;

enum class DeviceClass : std::uint8_t { compute, comm, copy };

struct TraceFile {
  std::string name;    // base name only; folders of the machine are nobody's business
  std::string sha256;  // lower-case hex of the bytes as stored, empty when the caller did not ask
  std::uint64_t bytes = 0;  // as stored (compressed)
};

// Device events that were refused, by reason (R1).
struct DropCounts {
  std::int64_t no_dur = 0;
  std::int64_t negative_dur = 0;
  std::int64_t bad_ts = 0;
  std::int64_t malformed = 0;
};

struct DamagedSpot {
  std::uint64_t byte = 0;  // offset in the uncompressed text of its file
  std::string reason;
};

struct TraceSummary {
  std::vector<TraceFile> files;
  std::int64_t events = 0;         // all elements of the event arrays
  std::int64_t device_events = 0;  // after drops and exact duplicates
  std::int64_t kernels = 0;        // device events by the profiler's own category
  std::int64_t memcpys = 0;
  std::int64_t memsets = 0;
  DropCounts dropped;
  std::int64_t duplicates = 0;
  bool complete = true;                      // neither cut nor damaged
  std::optional<std::uint64_t> cut_at_byte;  // of the uncompressed text
  std::vector<DamagedSpot> damaged;          // the first 20
  std::int64_t damaged_count = 0;
  Ns origin_ns = 0;  // absolute time of the first device event; every start_ns is relative to it
  std::vector<std::string> device_names;  // as the files give them, distinct, in order
  std::optional<int> world_size;
  std::vector<std::string>
      notes;  // what a reader must know (unit guessed, whole microseconds, ...)
};

struct StreamRow {
  std::string stream;
  std::int64_t calls = 0;
  Ns sum_ns = 0;
  Ns busy_ns = 0;
};

// One (stream, name): rows are sorted by sum_ns falling, then stream (as text), then name.
struct KernelRow {
  std::string stream;
  std::string name;      // whole, valid UTF-8
  std::string category;  // vocabulary of category_rules.h
  std::string component;
  DeviceClass device_class = DeviceClass::compute;
  std::int64_t calls = 0;
  Ns sum_ns = 0;
  Ns busy_ns = 0;
  Ns charged_ns = 0;  // R7; "wall_ns" in JSON
  Ns min_ns = 0;
  Ns median_ns = 0;  // lower median
  Ns max_ns = 0;
};

// R6: the four sum to the window.
struct ClassTimes {
  Ns compute = 0;
  Ns comm_exposed = 0;
  Ns copy_exposed = 0;
  Ns idle = 0;
};

// primary + exposed_other + idle = window; hidden_other lies inside primary.
struct PartitionTimes {
  Ns primary = 0;
  Ns exposed_other = 0;
  Ns hidden_other = 0;
  Ns idle = 0;
};

// R4-R7 over one window of one device. Sum of kernels[].charged_ns + idle_ns = window_ns, exactly.
struct Accounting {
  Ns window_ns = 0;
  Ns busy_ns = 0;
  Ns idle_ns = 0;
  Ns kernel_sum_ns = 0;
  std::string primary_stream;
  std::vector<StreamRow> streams;  // lowest id first
  ClassTimes classes;
  Ns comm_total_ns = 0;
  Ns comm_hidden_ns = 0;          // overlapped with compute
  Ns comm_beside_compute_ns = 0;  // of what is charged to communication: compute ran as well
  Ns copy_total_ns = 0;
  PartitionTimes partition;
  std::vector<KernelRow> kernels;
};

// One device over the whole file: raw, after exact duplicates are removed.
struct DeviceBreakdown {
  std::optional<int> rank;
  std::string pid;
  std::string device;
  std::int64_t contained_events = 0;
  std::int64_t unlinked_events = 0;  // without a launch in the file
  Ns unlinked_sum_ns = 0;
  std::int64_t launches = 0;
  std::int64_t graph_launches = 0;
  std::int64_t graph_kernels = 0;
  std::int64_t launches_without_kernels = 0;
  Accounting accounting;
};

struct Suspect {
  std::optional<int> rank;
  std::string device;
  std::string stream;
  std::optional<std::int64_t> correlation;
  std::string name;
  Ns claimed_ns = 0;
  Ns clipped_ns = 0;  // what is left of it
};

// R8: one step on one rank and device, in time order; index counts from 0 per rank and device.
struct Step {
  std::optional<int> rank;
  std::string pid;
  std::string device;
  int index = 0;
  std::string phase;  // decode, prefill, mixed, verify, draft, idle or unknown
  std::string
      source;  // engine, python_frame, profiler_step, annotation, graph_launch, repetition, file
  std::string label;
  Ns start_ns = 0;  // relative to the trace's origin
  Ns span_ns = 0;
  Ns busy_ns = 0;
  std::int64_t events = 0;
  std::optional<Ns> period_ns;  // start to the next step's start
  std::optional<Ns> gap_ns;     // period - span; negative when steps overlap
};

struct StrayCut {
  Ns gap_ns = 0;
  std::int64_t events = 0;
  Ns busy_ns = 0;
};

// R13: the parts sum to idle.
struct IdleCauses {
  Ns host = 0;
  Ns latency_or_dependency = 0;
  Ns between_graph_nodes = 0;
  Ns unknown = 0;
};

// The group of steps that the shown one was taken from (R9).
struct StepSpread {
  Ns min_ns = 0;
  Ns median_ns = 0;
  Ns max_ns = 0;
  int count = 0;  // steps compared
  int of = 0;     // steps of the rank, any phase
  bool first_left_out = false;
  bool only_first = false;  // the first step after the profiler started is the only one
  std::optional<Ns> median_period_ns;
};

struct ComponentRow {
  std::string component;
  std::int64_t calls = 0;
  Ns charged_ns = 0;
  Ns sum_ns = 0;
  Ns hidden_ns = 0;  // busy union minus charged
};

// The chosen step: suspects clipped. Layers, phases, MoE and collectives join here when they are
// known.
struct ShownStep {
  Step step;
  Accounting accounting;
  StepSpread spread;
  std::optional<StrayCut> leading_cut;
  std::optional<StrayCut> trailing_cut;
  std::int64_t foreign_events = 0;
  std::int64_t prefetch_events = 0;
  IdleCauses idle_causes;
  std::vector<ComponentRow> components;  // by charged_ns falling; with idle they sum to the window
  std::vector<std::string> notes;        // sentences: which step, which group, what was left out
};

struct Diagnostics {
  std::int64_t outside_steps = 0;  // device events that belong to no step
  std::int64_t empty_markers = 0;  // markers without device events
  Ns unmatched_names_sum_ns = 0;   // time of names that no rule matched, over the whole file
  std::vector<std::string> unmatched_names;  // largest first, at most 20
  bool python_stacks = false;                // they inflate host gaps
  std::vector<std::string> notes;
};

struct Breakdown {
  std::string analyzer_version;
  std::string table_version;  // of the category rules
  TraceSummary trace;
  std::vector<DeviceBreakdown> devices;
  std::vector<Suspect> suspects;
  std::vector<Step> steps;
  std::vector<ShownStep> shown;  // one, or all of them with StepChoice::all; empty when none fits
  bool all_steps = false;        // shown holds every step: JSON "step" is an array
  Diagnostics diagnostics;
};

}  // namespace stepscope::analysis
