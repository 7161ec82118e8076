#pragma once
// The result of an analysis, as plain value types that own their strings. Every time is an integer
// count of nanoseconds (R0); an absent figure is an empty optional, never 0. The JSON form of these
// types is the contract `stepscope.breakdown/1` (reports/breakdown_json.h).

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "analysis/step_breakdown.h"

namespace stepscope::analysis {

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

// R10, keyed by rank.
struct CollectiveRank {
  std::optional<int> rank;
  std::string label;
  Ns clock_offset_ns = 0;
  std::int64_t late_calls = 0;  // in which it arrived last
  Ns wait_ns = 0;
  Ns transfer_ns = 0;
};
struct CollectiveCall {
  std::string kind;   // AllReduce, SendRecv, ..., or the name of the kernel
  std::string group;  // process group, or "stream 84"
  std::string name;   // of the kernel on the first rank
  Ns start_ns = 0;    // first arrival, relative to the trace's origin
  Ns last_arrival_ns = 0;
  Ns max_wait_ns = 0;
  Ns shortest_ns = 0;  // from last arrival to the first end
  Ns release_spread_ns = 0;
  std::optional<int> late_rank;
  std::string late_label;
  std::optional<std::int64_t> bytes;  // of the message, where the args tell
  // Of the shown rank: what takeaways name. They sum to the call's duration there.
  std::optional<Ns> shown_wait_ns;
  std::optional<Ns> shown_transfer_ns;
};
struct LongCall {  // one rank only: more than 10 x the median of its kind
  std::string name;
  std::string stream;
  Ns start_ns = 0;  // relative to the shown window
  Ns dur_ns = 0;
  Ns kind_median_ns = 0;
};
struct Collectives {
  int ranks = 0;
  std::optional<int> world_size;
  bool complete = false;  // all ranks of the world are here
  std::int64_t matched = 0;
  std::int64_t unmatched = 0;
  std::optional<Ns> release_mad_ns;  // largest median absolute deviation
  Ns largest_wait_ns = 0;
  Ns largest_release_spread_ns = 0;
  std::vector<CollectiveRank> by_rank;
  std::vector<CollectiveCall> calls;  // matched, in time order
  std::vector<LongCall> long_calls;
  std::vector<std::string> notes;  // whole microseconds, ranks missing, clocks not to be aligned
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
  std::optional<Collectives> collectives;  // of the shown step; absent: no communication in it
  Diagnostics diagnostics;
};

}  // namespace stepscope::analysis
