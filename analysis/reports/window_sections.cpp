// The window by idle cause, by component, by class and by stream.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <numeric>

#include "analysis/reports/report_sections.h"
#include "analysis/reports/report_words.h"
#include "analysis/reports/text.h"
#include "analysis/stable_order.h"

namespace stepscope::analysis {
namespace {

struct Part {
  std::string label;
  Ns ns = 0;
};

std::array<Part, 4> idle_parts(const IdleCauses& causes) {
  return {{{"waiting for the host: nothing was launched yet", causes.host},
           {"launch latency or dependency", causes.latency_or_dependency},
           {"between graph nodes", causes.between_graph_nodes},
           {"cannot be told (no launch in the file)", causes.unknown}}};
}

// label | ms | % over `whole`, last row the whole; adds up as printed.
Table parts_table(std::string title, std::string share_title, std::span<const Part> parts,
                  const Part& whole) {
  std::vector<Ns> values;
  values.reserve(parts.size());
  for (const Part& part : parts) values.push_back(part.ns);
  const Amounts amounts = amounts_of(values, whole.ns);
  Table table{{{std::move(title)}, {"ms", true}, {std::move(share_title), true}}, {}};
  for (std::size_t i = 0; i < parts.size(); ++i) {
    table.rows.push_back({plain(parts[i].label), plain(format_ms(amounts.rounded[i])),
                          plain(format_permille(amounts.permille[i]))});
  }
  const int total = std::accumulate(amounts.permille.begin(), amounts.permille.end(), 0);
  table.rows.push_back(
      {strong(whole.label), strong(format_ms(whole.ns)), strong(format_permille(total))});
  return table;
}

Table stream_table(const Accounting& accounting, const Detail& detail) {
  Table table{{{"stream"}, {"calls", true}, {"busy ms", true}, {"sum ms", true}}, {}};
  const auto add = [&](Line name, const StreamRow& row) {
    table.rows.push_back({std::move(name), plain(grouped(row.calls)), plain(format_ms(row.busy_ns)),
                          plain(format_ms(row.sum_ns))});
  };
  std::vector<StreamRow> rows = accounting.streams;
  stable_order(rows, [](const StreamRow& a, const StreamRow& b) { return a.busy_ns > b.busy_ns; });
  const std::size_t shown = rows_shown(rows.size(), detail.list_rows);
  for (std::size_t i = 0; i < shown; ++i) {
    const bool critical = rows[i].stream == accounting.primary_stream;
    add(plain(rows[i].stream + (critical ? ", critical" : "")), rows[i]);
  }
  if (shown == rows.size()) return table;
  StreamRow other;
  for (std::size_t i = shown; i < rows.size(); ++i) {
    other.calls += rows[i].calls;
    other.sum_ns += rows[i].sum_ns;
  }
  // Their busy times overlap: a sum would be no time of the wall.
  table.rows.push_back({plain(fmt::format("other ({} rows)", rows.size() - shown)),
                        plain(grouped(other.calls)), plain("–"), plain(format_ms(other.sum_ns))});
  return table;
}

Line partition_line(const Accounting& accounting) {
  const PartitionTimes& times = accounting.partition;
  const std::string active = fmt::format("Critical stream {} active {} ns",
                                         accounting.primary_stream, grouped(times.primary));
  const std::string rest =
      fmt::format("idle {} ns = wall {} ns", grouped(times.idle), grouped(accounting.window_ns));
  if (accounting.streams.size() < 2) return plain(fmt::format("{} + {}.", active, rest));
  return plain(fmt::format(
      "{} + other streams alone {} ns + {}; for {} ns the critical stream and another one ran "
      "together.",
      active, grouped(times.exposed_other), rest, grouped(times.hidden_other)));
}

std::int64_t lm_head_calls(const Accounting& accounting) {
  std::int64_t calls = 0;
  for (const KernelRow& row : accounting.kernels) {
    for (const KernelRole& role : row.roles) {
      if (role.component == "other" && role.role == "lm_head") calls += role.calls;
    }
  }
  return calls;
}

// This component holds lm_head and the GEMMs whose role nothing tells beside what no rule knows.
std::string row_label(const ComponentRow& row, const Accounting& accounting) {
  std::string label = component_label(row.component);
  if (row.component != "other") return label;
  const std::int64_t gemms = calls_without_role(accounting);
  const std::int64_t heads = lm_head_calls(accounting);
  std::string out;
  if (gemms > 0) out = "GEMM, role not told";
  if (heads > 0) out += out.empty() ? "lm_head" : "; lm_head";
  if (gemms + heads < row.calls) out += (out.empty() ? "" : "; ") + label;
  return out.empty() ? label : out;
}

bool has_launches(const LaunchStats& stats) {
  return stats.launches > 0 || stats.graph_launches > 0;
}

List launch_list(const LaunchStats& stats) {
  List list;
  std::string launches =
      fmt::format("{} on the host for this window, {} of them graph launches",
                  counted(stats.launches, "launch", "launches"), grouped(stats.graph_launches));
  if (stats.graph_launches > 0) {
    launches += fmt::format(" with {} together", counted(stats.graph_kernels, "event"));
  }
  if (stats.kernels_per_graph_median) {
    launches += fmt::format(" ({} each in the median)", grouped(*stats.kernels_per_graph_median));
  }
  list.items.push_back(plain(launches + "."));
  if (stats.latency_median_ns) {
    list.items.push_back(plain(fmt::format(
        "From the call on the host to the start on the device, of launches of one kernel: min {}, "
        "median {}, max {} µs.",
        format_us(stats.latency_min_ns.value_or(0)), format_us(*stats.latency_median_ns),
        format_us(stats.latency_max_ns.value_or(0)))));
  }
  if (stats.depth_median) {
    list.items.push_back(
        plain(fmt::format("Launched but not started, at each start: median {}, at most {}.",
                          grouped(*stats.depth_median), grouped(stats.depth_max.value_or(0)))));
  }
  if (stats.unlinked_events > 0) {
    list.items.push_back(plain(fmt::format("{} of the window without a launch in the file.",
                                           counted(stats.unlinked_events, "event"))));
  }
  return list;
}

}  // namespace

Line idle_line(const ShownStep& shown) {
  const Ns idle = shown.accounting.idle_ns;
  const auto parts = idle_parts(shown.idle_causes);
  const auto largest = std::ranges::max_element(parts, {}, &Part::ns);
  Line line = plain("Idle: ");
  line.strong(format_ms(idle) + " ms");
  if (largest->ns > 0) {
    line.text(
        fmt::format(", the largest part of it ({} ms) {}", format_ms(largest->ns), largest->label));
  }
  return line.text(".");
}

Section idle_section(const ShownStep& shown, bool python_stacks) {
  const Part whole{"idle", shown.accounting.idle_ns};
  Section section{fmt::format("Idle by cause: {} ms", format_ms(whole.ns)), 70, false, {}};
  section.blocks.emplace_back(
      parts_table("cause", "% of idle", idle_parts(shown.idle_causes), whole));
  if (python_stacks) {
    section.blocks.emplace_back(
        plain("Python stacks were recorded with this trace: they slow the host down, so gaps that "
              "wait for the host are longer here than without the profiler."));
  }
  if (has_launches(shown.launch_stats)) {
    section.blocks.emplace_back(launch_list(shown.launch_stats));
  }
  return section;
}

Section components_section(const ShownStep& shown) {
  std::vector<Ns> parts;
  parts.reserve(shown.components.size() + 1);
  for (const ComponentRow& row : shown.components) parts.push_back(row.charged_ns);
  parts.push_back(shown.accounting.idle_ns);
  const Amounts amounts = amounts_of(parts, shown.accounting.window_ns);
  Table table{{{"component"},
               {"calls", true},
               {"charged ms", true},
               {"% of wall", true},
               {"sum ms", true},
               {"hidden ms", true}},
              {}};
  for (std::size_t i = 0; i < shown.components.size(); ++i) {
    const ComponentRow& row = shown.components[i];
    table.rows.push_back({plain(row_label(row, shown.accounting)), plain(grouped(row.calls)),
                          plain(format_ms(amounts.rounded[i])),
                          plain(format_permille(amounts.permille[i])), plain(format_ms(row.sum_ns)),
                          plain(format_ms(row.hidden_ns))});
  }
  table.rows.push_back({plain("idle"), plain("–"), plain(format_ms(amounts.rounded.back())),
                        plain(format_permille(amounts.permille.back())), plain("–"), plain("–")});
  const int total = std::accumulate(amounts.permille.begin(), amounts.permille.end(), 0);
  table.rows.push_back({strong("wall"), Line(), strong(format_ms(shown.accounting.window_ns)),
                        strong(format_permille(total)), Line(), Line()});
  return {"Components: charged, sum and hidden", 50, false, {std::move(table)}};
}

Section streams_section(const ShownStep& shown, const Detail& detail) {
  const Accounting& accounting = shown.accounting;
  const ClassTimes& classes = accounting.classes;
  const Part parts[] = {{"compute", classes.compute},
                        {"exposed communication", classes.comm_exposed},
                        {"exposed copy", classes.copy_exposed},
                        {"idle", classes.idle}};
  Section section{
      fmt::format("Overlap and streams ({})", accounting.streams.size()), 40, false, {}};
  section.blocks.emplace_back(
      parts_table("what runs", "% of wall", parts, {"wall", accounting.window_ns}));
  section.blocks.emplace_back(plain(fmt::format(
      "Overlapped communication, with compute running at the same instant: {} ms, inside the row "
      "of compute.",
      format_ms(accounting.comm_hidden_ns))));
  section.blocks.emplace_back(stream_table(accounting, detail));
  section.blocks.emplace_back(partition_line(accounting));
  return section;
}

std::optional<Line> component_line(const ShownStep& shown, std::string_view component) {
  const auto row = std::ranges::find(shown.components, component, &ComponentRow::component);
  if (row == shown.components.end()) return std::nullopt;
  std::string label = component_label(component);
  if (label.front() >= 'a' && label.front() <= 'z') {
    label.front() = static_cast<char>(label.front() - 'a' + 'A');
  }
  Line line = plain(label + ": ");
  line.strong(format_ms(row->charged_ns) + " ms")
      .text(" charged, ")
      .strong(format_ms(row->hidden_ns) + " ms")
      .text(fmt::format(" hidden behind other work; {}, {} ms as a plain sum of durations.",
                        counted(row->calls, "call"), format_ms(row->sum_ns)));
  return line;
}

}  // namespace stepscope::analysis
