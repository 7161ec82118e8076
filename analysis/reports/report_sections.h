#pragma once
// The parts that a report is put together from, each a pure function of the figures: the table of
// where the time went, the sections that are folded below it, and the sentences that tie them
// together.

#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

#include "analysis/breakdown.h"
#include "analysis/reports/document.h"
#include "analysis/reports/report_context.h"

namespace stepscope::analysis {

// How long tables may get; what is beyond is folded into a row "other (n rows)".
struct Detail {
  std::size_t kernel_rows = 25;  // per stream
  std::size_t list_rows = 20;
};

// What of the wall the shown rank waits for other ranks.
Ns wait_ns(const ShownStep& shown);
// where | ms | % of wall | without wait (when ranks wait) | bar. All columns add up to the last row
// as printed.
Table where_table(const ShownStep& shown);
// "Charged a ns + idle b ns = wall c ns", or a plain word when they do not.
Line check_line(const ShownStep& shown);

// The wall with its wait, the period as tokens per second, where the step comes from.
std::vector<Block> first_lines(const Breakdown& breakdown, const ShownStep& shown);
// "24.976 ms, step 2 (decode), rank 0 of 4, device 0."
Line wall_line(const Breakdown& breakdown, const ShownStep& shown);
// Where the step's bounds come from, its label, spread and period.
Line source_line(const ShownStep& shown);

// The whole answer on MoE in one sentence; absent when the step has none.
std::optional<Quote> moe_answer(const ShownStep& shown);
// Router to collectives, each charged, hidden and exposed.
std::optional<Section> moe_section(const ShownStep& shown);

// Phases, kinds of layers and one layer drawn; says why there are none. Absent when nothing is
// known.
std::optional<Section> layers_section(const ShownStep& shown);
// The median layer of a kind, a line for each kernel.
FixedText layer_picture(const Layers& layers, const LayerKind& kind);

// The same step on each rank; absent with one rank.
std::optional<Section> ranks_section(const ShownStep& shown, const Detail& detail);
// Draft and verify of a speculative step, prefill and decode of a mixed one; absent without.
std::optional<Section> parts_section(const ShownStep& shown, const Detail& detail);

// Calls of GEMMs whose role neither name nor place tells.
std::int64_t calls_without_role(const Accounting& accounting);

struct CommunicationFigures {
  std::int64_t calls = 0;
  Ns charged = 0;
  Ns exposed = 0;
  Ns overlapped = 0;  // compute runs at the same instant
  Ns busy = 0;        // exposed + overlapped
  Ns hidden = 0;      // busy - charged
  Ns sum = 0;
  Ns beside_compute = 0;  // charged while compute runs
};
CommunicationFigures communication_figures(const Accounting& accounting);
// "X ms charged, of which Y ms had compute running beside it" (R7); says so when there is none.
Line communication_line(const ShownStep& shown);
// `collectives` of the step: wait and transfer by rank, the calls that waited longest; may be null.
Section communication_section(const ShownStep& shown, const Collectives* collectives,
                              const Detail& detail);

// One table per stream, the critical one first; all charged columns and idle sum to the wall. Then
// the sizes that GEMM and attention kernels worked on.
Section kernels_section(const ShownStep& shown, const Detail& detail);

Line idle_line(const ShownStep& shown);
Section idle_section(const ShownStep& shown, bool python_stacks);
Section components_section(const ShownStep& shown);
Section streams_section(const ShownStep& shown, const Detail& detail);

// "MoE: X ms charged, Y ms hidden behind other work, ..."; empty when the step has no such
// component.
std::optional<Line> component_line(const ShownStep& shown, std::string_view component);

Section steps_section(const Breakdown& breakdown, const Detail& detail);
Section devices_section(const Breakdown& breakdown, const Detail& detail);
// Step and window rules, everything refused or cut, files, versions, provenance.
Section method_section(const Breakdown& breakdown, const ReportContext& context,
                       const Detail& detail);

}  // namespace stepscope::analysis
