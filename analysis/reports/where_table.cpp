// The first table of a report and the sentence that proves that it adds up.

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "analysis/reports/report_sections.h"
#include "analysis/reports/report_words.h"
#include "analysis/reports/stable_order.h"
#include "analysis/reports/text.h"

namespace stepscope::analysis {
namespace {

constexpr int kBarWidth = 25;

struct TableRow {
  std::string label;
  Ns ns = 0;
};

// Communication is split where the figures say which part of it delays compute-free time only.
void add_communication(std::vector<TableRow>& rows, const ComponentRow& row,
                       const CommunicationFigures& comm) {
  const std::string calls = counted(row.calls, "call");
  // An operator's rule can give other kernels this component.
  if (comm.charged != row.charged_ns) {
    rows.push_back({"communication, " + calls, row.charged_ns});
    return;
  }
  rows.push_back({"communication, exposed, " + calls, row.charged_ns - comm.beside_compute});
  if (comm.beside_compute > 0) {
    rows.push_back({"communication, compute running beside it", comm.beside_compute});
  }
}

// A dense GEMM is well known but for its role, which only its place can tell; the rest of this
// component is what no component fits.
void add_other(std::vector<TableRow>& rows, const ComponentRow& row, const Accounting& accounting) {
  ComponentRow gemm;
  for (const KernelRow& kernel : accounting.kernels) {
    if (!is_gemm_without_role(kernel)) continue;
    gemm.calls += kernel.calls;
    gemm.charged_ns += kernel.charged_ns;
  }
  if (gemm.calls > 0) {
    rows.push_back(
        {"GEMM, role not told by the name, " + counted(gemm.calls, "call"), gemm.charged_ns});
  }
  if (row.calls > gemm.calls) {
    rows.push_back({fmt::format("{}, {}", component_label(row.component),
                                counted(row.calls - gemm.calls, "call")),
                    row.charged_ns - gemm.charged_ns});
  }
}

std::vector<TableRow> where_rows(const ShownStep& shown) {
  const CommunicationFigures comm = communication_figures(shown.accounting);
  std::vector<TableRow> rows;
  for (const ComponentRow& row : shown.components) {
    if (row.component == "communication" && row.charged_ns > 0) {
      add_communication(rows, row, comm);
      continue;
    }
    if (row.component == "other" && row.charged_ns > 0) {
      add_other(rows, row, shown.accounting);
      continue;
    }
    const bool all_hidden = row.charged_ns == 0 && row.hidden_ns > 0;
    rows.push_back(
        {fmt::format("{}, {}{}", component_label(row.component), counted(row.calls, "call"),
                     all_hidden ? ", all hidden behind other work" : ""),
         row.charged_ns});
  }
  rows.push_back({"idle", shown.accounting.idle_ns});
  stable_order(rows, [](const TableRow& a, const TableRow& b) { return a.ns > b.ns; });
  return rows;
}

std::string whole_label(const ShownStep& shown) {
  if (shown.step.source == "file") return "the whole file";
  if (shown.step.phase == "unknown" || shown.step.phase.empty()) return "one step";
  return fmt::format("one {} step", shown.step.phase);
}

}  // namespace

bool is_gemm_without_role(const KernelRow& row) {
  return row.component == "other" && row.category == "gemm-dense";
}

std::int64_t calls_without_role(const Accounting& accounting) {
  std::int64_t calls = 0;
  for (const KernelRow& row : accounting.kernels) {
    if (is_gemm_without_role(row)) calls += row.calls;
  }
  return calls;
}

Table where_table(const ShownStep& shown) {
  const std::vector<TableRow> rows = where_rows(shown);
  const Ns wall = shown.accounting.window_ns;
  std::vector<Ns> parts;
  parts.reserve(rows.size());
  for (const TableRow& row : rows) parts.push_back(row.ns);
  const Amounts amounts = amounts_of(parts, wall);

  Table table{{{"where"}, {"ms", true}, {"% of wall", true}, {""}}, {}};
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const std::string drawn = bar(rows[i].ns, wall, kBarWidth);
    table.rows.push_back({plain(rows[i].label), plain(format_ms(amounts.rounded[i])),
                          plain(format_permille(amounts.permille[i])),
                          drawn.empty() ? Line() : code(drawn)});
  }
  const int total = std::accumulate(amounts.permille.begin(), amounts.permille.end(), 0);
  table.rows.push_back({strong(whole_label(shown)), strong(format_ms(wall)),
                        strong(format_permille(total)), Line()});
  return table;
}

Line check_line(const ShownStep& shown) {
  Ns charged = 0;
  for (const KernelRow& row : shown.accounting.kernels) charged += row.charged_ns;
  const Ns idle = shown.accounting.idle_ns;
  const Ns wall = shown.accounting.window_ns;
  if (charged + idle == wall) {
    return plain(fmt::format("Charged {} ns + idle {} ns = wall {} ns, over all kernels.",
                             grouped(charged), grouped(idle), grouped(wall)));
  }
  return plain(
      fmt::format("These figures do NOT add up: charged {} ns + idle {} ns is not the "
                  "wall of {} ns. This is a fault of the analysis; please report it.",
                  grouped(charged), grouped(idle), grouped(wall)));
}

}  // namespace stepscope::analysis
