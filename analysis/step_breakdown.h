#pragma once
// One step as plain value types that own their strings: its accounting, and what its structure says
// (phases, layers, MoE, launches). Every time is an integer count of nanoseconds (R0); an absent
// figure is an empty optional, never 0. Percentages belong to the reports.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace stepscope::analysis {

using Ns = std::int64_t;

enum class DeviceClass : std::uint8_t { compute, comm, copy };

struct StreamRow {
  std::string stream;
  std::int64_t calls = 0;
  Ns sum_ns = 0;
  Ns busy_ns = 0;
};

// What the place of a kernel says of its calls (R14): one name can serve several roles in a step.
struct KernelRole {
  std::string role;       // name of roles.h: "o_proj", "gate_up", ...
  std::string component;  // refined by the place
  std::int64_t calls = 0;
  Ns charged_ns = 0;
  std::string evidence;  // "between attention and all-reduce, 61 calls = 61 layers"
};

// The size of the work of some calls of a kernel, with where it was read.
struct KernelShape {
  std::string text;    // "M 4, N 2112, K 7168"
  std::string source;  // "Input Dims", "grid", "tile in the name"
  std::int64_t calls = 0;
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
  // Of a shown step only.
  std::vector<KernelRole> roles;    // by charged_ns falling, then role; calls add up to `calls`
  std::vector<KernelShape> shapes;  // of GEMM and attention, most calls first; empty: not recorded
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
  // What the marker says; absent where it does not.
  std::optional<std::int64_t> batch_size;  // requests
  std::optional<std::int64_t> tokens;
  std::optional<std::int64_t> kv_tokens;  // KV length over all requests
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

// Refined by place (R14); charged_ns of all rows and idle sum to the window.
struct ComponentRow {
  std::string component;
  std::int64_t calls = 0;
  Ns charged_ns = 0;
  Ns sum_ns = 0;
  Ns hidden_ns = 0;  // busy union minus charged
};

// R11. charged[] and classes.idle sum to the wall; the phases sum to the window.
struct ChargedCategory {
  std::string category;
  std::string component;   // by name
  std::int64_t calls = 0;  // that start in the phase
  Ns charged_ns = 0;
};
struct Phase {
  std::string name;  // head, or head.setup, head.collective, head.rest; layers; tail
  Ns start_ns = 0;   // relative to the window
  Ns wall_ns = 0;
  ClassTimes classes;
  std::vector<ChargedCategory> charged;  // by charged_ns falling, then category, component
};

// A kernel of a layer. On the layer stream one row for each place in the sequence; on other streams
// one for each (stream, role, token). charged_ns of the rows + idle_ns = wall, for the median layer
// and for the whole kind.
struct LayerRow {
  std::string stream;
  std::string name;  // in the median layer, else in the first layer that has it
  std::string category;
  std::string role;  // may be empty
  std::string component;
  std::int64_t calls = 0;  // in the median layer; 0: it has none
  Ns charged_ns = 0;
  Ns sum_ns = 0;
  std::int64_t calls_in_kind = 0;  // over all layers of the kind
  Ns charged_in_kind_ns = 0;
  Ns sum_in_kind_ns = 0;
  bool names_vary = false;  // autotuned: another name in another layer
};
struct LayerKind {
  int first = 0;  // layers count from 0
  int last = 0;
  int count = 0;
  std::int64_t events = 0;  // of one layer on the layer stream
  bool moe = false;
  Ns median_wall_ns = 0;  // lower median
  Ns mean_wall_ns = 0;    // rounded half to even
  Ns min_wall_ns = 0;
  Ns max_wall_ns = 0;
  Ns total_wall_ns = 0;          // of all its layers, beside median x count
  int median_layer = 0;          // whose rows are shown (ties: the first)
  std::string label;             // "MoE", "dense, one all-reduce less", "linear attention, dense"
  std::int64_t side_events = 0;  // of the median layer on other streams
  Ns idle_ns = 0;                // in the median layer
  Ns idle_in_kind_ns = 0;
  std::vector<LayerRow> rows;
};
struct OutlierLayer {
  int layer = 0;
  Ns wall_ns = 0;
  Ns kind_median_ns = 0;
};
// R12. Walls go from start to next start; they sum to the phase "layers".
struct Layers {
  int count = 0;
  std::string stream;
  std::int64_t events_before = 0;  // on the layer stream, in the window
  std::int64_t events_after = 0;
  std::vector<Ns> wall_ns;       // by layer
  std::vector<int> kind_of;      // by layer, into kinds
  std::vector<LayerKind> kinds;  // by first layer
  std::vector<OutlierLayer> outliers;
  std::vector<std::string> notes;  // check lines: "183 GEMM calls = 3 x 61 layers"
};

// Charged: instants owned (R7). Hidden: busy union - charged. Exposed: instants at which nothing
// but this part runs.
struct MoePart {
  std::string part;  // router, dispatch, routed_experts, combine, shared_expert, collectives
  std::int64_t calls = 0;
  Ns charged_ns = 0;
  Ns hidden_ns = 0;
  Ns exposed_ns = 0;
  Ns busy_ns = 0;
  Ns sum_ns = 0;
};
struct Moe {
  int layers = 0;              // with MoE kernels; 0 when layers are not known
  std::vector<MoePart> parts;  // those that have calls, in the order above
  MoePart total;               // union over the parts; part "total"
  std::string sentence;        // answers "how long did MoE take" with charged and hidden
};

// Where the wall went, in the words of the answer: rows and idle sum to the window.
struct WhereRow {
  std::string key;    // stable: "wait", "attention", "head.setup", "idle.host", ...
  std::string label;  // "attention, 61 layers"
  std::int64_t calls = 0;
  Ns charged_ns = 0;
  bool idle = false;
  bool wait = false;  // for other ranks: left out of the column "without wait"
};

// Launches whose device work lies in the window. Latency: start on the device - start of the call,
// of calls that launch one kernel. Depth: launched but not started, at the start of each event.
struct LaunchStats {
  std::int64_t launches = 0;
  std::int64_t graph_launches = 0;
  std::int64_t graph_kernels = 0;
  std::int64_t unlinked_events = 0;
  std::optional<std::int64_t> kernels_per_graph_median;
  std::optional<Ns> latency_min_ns;
  std::optional<Ns> latency_median_ns;
  std::optional<Ns> latency_max_ns;
  std::optional<std::int64_t> depth_median;
  std::optional<std::int64_t> depth_max;
};

// A marker inside the step that owns device events: draft and verify of a speculative step.
struct StepPart {
  std::string phase;  // draft, verify, decode, prefill, ...
  std::string label;
  Ns start_ns = 0;  // relative to the window
  Ns wall_ns = 0;
  Ns busy_ns = 0;
  std::int64_t events = 0;
};

// The same step on each rank (R9).
struct RankRow {
  std::optional<int> rank;
  std::string label;  // "TP03-EP03" of a merged file, else empty
  std::string device;
  int step_index = 0;
  bool shown = false;
  Ns wall_ns = 0;
  Ns busy_ns = 0;
  Ns compute_ns = 0;
  Ns comm_exposed_ns = 0;
  Ns moe_ns = 0;              // charged, by place
  std::optional<Ns> wait_ns;  // absent: can not be told
  std::optional<Ns> transfer_ns;
};

// R15. Ratio = period / unprofiled time per output token.
struct CrossCheck {
  std::optional<Ns> period_ns;  // median of the steps shown, over the accepted tokens per step
  std::optional<std::int64_t> millitokens_per_s_per_user;  // 1 / period
  std::optional<Ns> unprofiled_ns;
  std::optional<int> ratio_permille;
};

// One sentence built from figures of this breakdown.
struct Takeaway {
  std::string rule;  // "wait", "largest_category", ...
  std::string text;
  Ns at_stake_ns = 0;
};

// For drawing the step: an event of the window. Indices into ShownStep::accounting.kernels and
// ::streams.
struct TimelineEvent {
  Ns start_ns = 0;  // relative to the window, clipped to it
  Ns dur_ns = 0;
  std::uint32_t stream = 0;
  std::uint32_t kernel = 0;
  int layer = -1;  // -1: none
};

// The chosen step: suspects clipped.
struct ShownStep {
  Step step;
  Accounting accounting;
  StepSpread spread;
  std::optional<StrayCut> leading_cut;
  std::optional<StrayCut> trailing_cut;
  std::int64_t foreign_events = 0;
  std::int64_t prefetch_events = 0;
  IdleCauses idle_causes;
  LaunchStats launch_stats;
  std::vector<ComponentRow> components;  // by charged_ns falling; with idle they sum to the window
  std::vector<WhereRow> where;           // by charged_ns falling
  std::vector<Phase> phases;             // empty: no layers, so no phases
  std::optional<Layers> layers;
  std::string no_layers_reason;  // when layers is absent
  std::optional<Moe> moe;
  std::vector<StepPart> parts;
  std::vector<RankRow> ranks;  // one for each rank with this step
  CrossCheck cross_check;
  std::vector<Takeaway> takeaways;      // by at_stake_ns falling, at most seven
  std::optional<Ns> head_wait_ns;       // wait of the collectives before the first layer
  std::vector<TimelineEvent> timeline;  // not in JSON; empty when the step has too many events
  std::vector<std::string> notes;       // sentences: which step, which group, what was left out
};

}  // namespace stepscope::analysis
