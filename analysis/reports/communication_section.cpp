// Communication: charged, exposed, overlapped and hidden, each under its own name (R6, R7); wait
// and transfer where several ranks are here (R10).

#include <fmt/format.h>

#include <algorithm>

#include "analysis/reports/report_sections.h"
#include "analysis/reports/report_words.h"
#include "analysis/reports/text.h"
#include "analysis/stable_order.h"

namespace stepscope::analysis {
namespace {

constexpr std::size_t kNameChars = 72;
constexpr std::size_t kNoteChars = 300;
constexpr std::size_t kWaitsShown = 5;

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
  add("charged", comm.charged,
      fmt::format("instants of the wall that communication owns; compute ran beside {} ms of them",
                  format_ms(comm.beside_compute)));
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
  const std::size_t shown = rows_shown(rows.size(), detail.list_rows);
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

std::string rank_of(std::optional<int> rank, const std::string& label) {
  if (rank) return std::to_string(*rank);
  return label.empty() ? "–" : shortened(label, kNameChars);
}

// Wait + transfer is the time of the rank's matched calls.
Table wait_table(const Collectives& all, const Detail& detail) {
  Table table{{{"rank"},
               {"wait ms", true},
               {"transfer ms", true},
               {"last to arrive", true},
               {"clock offset µs", true}},
              {}};
  const std::size_t count = all.by_rank.size();
  const std::size_t shown = rows_shown(count, detail.list_rows);
  for (std::size_t i = 0; i < shown; ++i) {
    const CollectiveRank& row = all.by_rank[i];
    table.rows.push_back({plain(rank_of(row.rank, row.label)), plain(format_ms(row.wait_ns)),
                          plain(format_ms(row.transfer_ns)), plain(counted(row.late_calls, "call")),
                          plain(format_us(row.clock_offset_ns))});
  }
  if (shown < count) {
    std::vector<Line> other(table.columns.size(), plain("–"));
    other.front() = plain(fmt::format("other ({} rows)", count - shown));
    table.rows.push_back(std::move(other));
  }
  return table;
}

std::optional<Table> largest_waits_table(const Collectives& all) {
  std::vector<const CollectiveCall*> calls;
  for (const CollectiveCall& call : all.calls) {
    if (call.max_wait_ns > 0) calls.push_back(&call);
  }
  if (calls.empty()) return std::nullopt;
  stable_order(calls, [](const CollectiveCall* a, const CollectiveCall* b) {
    return a->max_wait_ns > b->max_wait_ns;
  });
  calls.resize(std::min(calls.size(), kWaitsShown));
  Table table{{{"calls with the largest wait"},
               {"group"},
               {"start ms", true},
               {"largest wait ms", true},
               {"last rank"},
               {"then until the first end µs", true},
               {"bytes", true}},
              {}};
  for (const CollectiveCall* call : calls) {
    table.rows.push_back(
        {code(shortened(short_kernel_name(call->kind, kNameChars), kNameChars)),
         plain(shortened(call->group, kNameChars)), plain(format_ms(call->start_ns)),
         plain(format_ms(call->max_wait_ns)), plain(rank_of(call->late_rank, call->late_label)),
         plain(format_us(call->shortest_ns)), plain(call->bytes ? grouped(*call->bytes) : "–")});
  }
  return table;
}

std::optional<Table> long_calls_table(const Collectives& all, const Detail& detail) {
  if (all.long_calls.empty()) return std::nullopt;
  Table table{{{"suspect call: wait cannot be told from one rank"},
               {"stream"},
               {"start in the step ms", true},
               {"duration ms", true},
               {"median of its kind µs", true}},
              {}};
  const std::size_t count = all.long_calls.size();
  const std::size_t shown = rows_shown(count, detail.list_rows);
  for (std::size_t i = 0; i < shown; ++i) {
    const LongCall& call = all.long_calls[i];
    table.rows.push_back({code(short_kernel_name(call.name, kNameChars)), plain(call.stream),
                          plain(format_ms(call.start_ns)), plain(format_ms(call.dur_ns)),
                          plain(format_us(call.kind_median_ns))});
  }
  if (shown < count) {
    std::vector<Line> other(table.columns.size(), plain("–"));
    other.front() = plain(fmt::format("other ({} rows)", count - shown));
    table.rows.push_back(std::move(other));
  }
  return table;
}

Line match_line(const Collectives& all) {
  std::string out =
      fmt::format("{} matched over {}", counted(all.matched, "call"), counted(all.ranks, "rank"));
  if (all.world_size) out += fmt::format(" of {}", *all.world_size);
  out += fmt::format(", {} unmatched", grouped(all.unmatched));
  if (all.release_mad_ns) {
    out += fmt::format(
        "; the ranks' ends of a call scatter by {} µs (largest median absolute "
        "deviation), at most {} µs",
        format_us(*all.release_mad_ns), format_us(all.largest_release_spread_ns));
  }
  out += ". Wait: until the last rank arrives; transfer: from then to the own end.";
  for (const std::string& note : all.notes) out += " " + sentence(shortened(note, kNoteChars));
  return plain(std::move(out));
}

void add_collectives(Section& section, const Collectives& all, const Detail& detail) {
  if (all.ranks > 1 && !all.by_rank.empty()) {
    section.blocks.emplace_back(wait_table(all, detail));
    if (auto table = largest_waits_table(all)) section.blocks.emplace_back(std::move(*table));
    section.blocks.emplace_back(match_line(all));
    return;
  }
  if (auto table = long_calls_table(all, detail)) section.blocks.emplace_back(std::move(*table));
  std::string out = "With one rank, waiting for others and transfer cannot be told apart.";
  for (const std::string& note : all.notes) out += " " + sentence(shortened(note, kNoteChars));
  section.blocks.emplace_back(plain(std::move(out)));
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

Section communication_section(const ShownStep& shown, const Collectives* collectives,
                              const Detail& detail) {
  const CommunicationFigures comm = communication_figures(shown.accounting);
  Section section{fmt::format("Communication: {} ms charged, {} ms exposed",
                              format_ms(comm.charged), format_ms(comm.exposed)),
                  60,
                  false,
                  {measures_table(comm)}};
  if (collectives != nullptr) add_collectives(section, *collectives, detail);
  section.blocks.emplace_back(calls_table(shown.accounting, detail));
  return section;
}

}  // namespace stepscope::analysis
