// Communication: charged, exposed, overlapped and hidden, each under its own name (R6, R7).

#include <fmt/format.h>

#include <algorithm>

#include "analysis/reports/report_sections.h"
#include "analysis/reports/report_words.h"
#include "analysis/reports/stable_order.h"
#include "analysis/reports/text.h"

namespace stepscope::analysis {
namespace {

constexpr std::size_t kNameChars = 72;

Table measures_table(const CommunicationFigures& comm) {
  Table table{{{"communication"}, {"ms", true}, {"what it is"}}, {}};
  const auto add = [&](std::string name, Ns ns, std::string meaning) {
    table.rows.push_back({plain(std::move(name)), plain(format_ms(ns)), plain(std::move(meaning))});
  };
  // Exposed and overlapped are rounded together: as printed they add up to busy.
  const Ns parts[] = {comm.exposed, comm.overlapped};
  const std::vector<Ns> rounded = round_to_unit(parts, comm.busy, 1000);
  add("exposed", rounded[0], "no compute runs at that instant");
  add("overlapped", rounded[1], "compute runs at the same instant");
  add("busy", comm.busy, "exposed + overlapped: at least one communication kernel runs");
  add("charged", comm.charged, "instants of the wall that communication owns");
  add("hidden", comm.hidden, "busy - charged: another kernel owns the instant");
  add("sum", comm.sum, "plain sum of all durations");
  return table;
}

Table calls_table(const Accounting& accounting, const Detail& detail) {
  std::vector<const KernelRow*> rows;
  for (const KernelRow& row : accounting.kernels) {
    if (row.device_class == DeviceClass::comm) rows.push_back(&row);
  }
  stable_order(
      rows, [](const KernelRow* a, const KernelRow* b) { return a->charged_ns > b->charged_ns; });
  Table table{{{"kernel"},
               {"stream"},
               {"calls", true},
               {"charged ms", true},
               {"sum ms", true},
               {"median µs", true},
               {"max µs", true}},
              {}};
  const std::size_t shown = rows.size() > detail.list_rows + 1 ? detail.list_rows : rows.size();
  for (std::size_t i = 0; i < shown; ++i) {
    const KernelRow& row = *rows[i];
    table.rows.push_back({code(short_kernel_name(row.name, kNameChars)), plain(row.stream),
                          plain(grouped(row.calls)), plain(format_ms(row.charged_ns)),
                          plain(format_ms(row.sum_ns)), plain(format_us(row.median_ns)),
                          plain(format_us(row.max_ns))});
  }
  if (shown == rows.size()) return table;
  KernelRow other;
  for (std::size_t i = shown; i < rows.size(); ++i) {
    other.calls += rows[i]->calls;
    other.charged_ns += rows[i]->charged_ns;
    other.sum_ns += rows[i]->sum_ns;
    other.max_ns = std::max(other.max_ns, rows[i]->max_ns);
  }
  table.rows.push_back({plain(fmt::format("other ({} rows)", rows.size() - shown)), plain("–"),
                        plain(grouped(other.calls)), plain(format_ms(other.charged_ns)),
                        plain(format_ms(other.sum_ns)), plain("–"),
                        plain(format_us(other.max_ns))});
  return table;
}

}  // namespace

CommunicationFigures communication_figures(const Accounting& accounting) {
  CommunicationFigures comm;
  for (const KernelRow& row : accounting.kernels) {
    if (row.device_class != DeviceClass::comm) continue;
    comm.calls += row.calls;
    comm.charged += row.charged_ns;
    comm.sum += row.sum_ns;
  }
  comm.exposed = accounting.classes.comm_exposed;
  comm.overlapped = accounting.comm_hidden_ns;
  comm.busy = accounting.comm_total_ns;
  comm.hidden = comm.busy - comm.charged;
  comm.beside_compute = accounting.comm_beside_compute_ns;
  return comm;
}

Line communication_line(const ShownStep& shown) {
  const CommunicationFigures comm = communication_figures(shown.accounting);
  if (comm.calls == 0) return plain("Communication: none recognised in this step.");
  Line line = plain("Communication: ");
  line.strong(format_ms(comm.charged) + " ms")
      .text(fmt::format(" charged, of which {} ms had compute running beside it; {} ms exposed "
                        "(no compute at that instant), {} ms overlapped, {}.",
                        format_ms(comm.beside_compute), format_ms(comm.exposed),
                        format_ms(comm.overlapped), counted(comm.calls, "call")));
  return line;
}

Section communication_section(const ShownStep& shown, const Detail& detail) {
  const CommunicationFigures comm = communication_figures(shown.accounting);
  return {fmt::format("Communication: {} ms charged, {} ms exposed", format_ms(comm.charged),
                      format_ms(comm.exposed)),
          60,
          false,
          {measures_table(comm), calls_table(shown.accounting, detail)}};
}

}  // namespace stepscope::analysis
