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

// where | ms | % of wall | bar: one row per component and one for idle, falling. Both columns add
// up to the last row as printed.
Table where_table(const ShownStep& shown);
// "Charged a ns + idle b ns = wall c ns", or a plain word when they do not.
Line check_line(const ShownStep& shown);

// A dense GEMM that no name and no place tells the role of.
bool is_gemm_without_role(const KernelRow& row);
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
Section communication_section(const ShownStep& shown, const Detail& detail);

// One table per stream, the critical one first; all charged columns and idle sum to the wall.
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
