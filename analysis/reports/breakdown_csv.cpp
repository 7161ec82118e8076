// One table as CSV: integers in ns as in JSON, one row per (shown step, row of the table).

#include "analysis/reports/breakdown_csv.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "analysis/reports/report_words.h"
#include "analysis/reports/text.h"

namespace stepscope::analysis {
namespace {

// Quotes as RFC 4180 says.
std::string quoted(std::string_view text) {
  if (text.find_first_of(",\"\r\n") == std::string_view::npos) return std::string(text);
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"') out += '"';
    out += c;
  }
  return out + '"';
}

bool is_number(std::string_view text) {
  if (text.starts_with('-')) text.remove_prefix(1);
  return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}

// Foreign text: a spreadsheet must not take it for a formula.
std::string foreign(std::string_view text) {
  std::string clean = harmless_text(text);
  const bool formula = !clean.empty() && std::string_view("=+-@").contains(clean.front());
  if (formula && !is_number(clean)) clean.insert(0, "'");
  return quoted(clean);
}

std::string number(std::optional<std::int64_t> value) {
  return value ? std::to_string(*value) : std::string();
}

// RFC 4180 ends lines with CRLF.
void add_row(std::string& out, const std::vector<std::string>& fields) {
  out += fmt::format("{}\r\n", fmt::join(fields, ","));
}

// rank, device, step: the first columns of every table of steps.
std::vector<std::string> step_fields(const Step& step) {
  return {number(step.rank), foreign(step.device), number(step.index)};
}

void add_step_row(std::string& out, const Step& step, std::vector<std::string> fields) {
  std::vector<std::string> row = step_fields(step);
  row.insert(row.end(), std::make_move_iterator(fields.begin()),
             std::make_move_iterator(fields.end()));
  add_row(out, row);
}

// The last row of a step is its idle time, so that wall_ns sums to the window.
std::string kernels(const Breakdown& breakdown) {
  std::string out =
      "rank,device,step,stream,name,category,component,class,calls,sum_ns,busy_ns,wall_ns,min_ns,"
      "median_ns,max_ns\r\n";
  for (const ShownStep& shown : breakdown.shown) {
    for (const KernelRow& row : shown.accounting.kernels) {
      add_step_row(
          out, shown.step,
          {foreign(row.stream), foreign(row.name), foreign(row.category), foreign(row.component),
           std::string(class_name(row.device_class)), number(row.calls), number(row.sum_ns),
           number(row.busy_ns), number(row.charged_ns), number(row.min_ns), number(row.median_ns),
           number(row.max_ns)});
    }
    add_step_row(
        out, shown.step,
        {"", "", "idle", "idle", "idle", "", "", "", number(shown.accounting.idle_ns), "", "", ""});
  }
  return out;
}

std::string streams(const Breakdown& breakdown) {
  std::string out = "rank,device,step,stream,primary,calls,sum_ns,busy_ns\r\n";
  for (const ShownStep& shown : breakdown.shown) {
    for (const StreamRow& row : shown.accounting.streams) {
      const bool primary = row.stream == shown.accounting.primary_stream;
      add_step_row(out, shown.step,
                   {foreign(row.stream), primary ? "yes" : "no", number(row.calls),
                    number(row.sum_ns), number(row.busy_ns)});
    }
  }
  return out;
}

std::string components(const Breakdown& breakdown) {
  std::string out = "rank,device,step,component,calls,charged_ns,sum_ns,hidden_ns\r\n";
  for (const ShownStep& shown : breakdown.shown) {
    for (const ComponentRow& row : shown.components) {
      add_step_row(out, shown.step,
                   {foreign(row.component), number(row.calls), number(row.charged_ns),
                    number(row.sum_ns), number(row.hidden_ns)});
    }
    add_step_row(out, shown.step, {"idle", "", number(shown.accounting.idle_ns), "", ""});
  }
  return out;
}

std::string idle(const Breakdown& breakdown) {
  std::string out = "rank,device,step,cause,idle_ns\r\n";
  for (const ShownStep& shown : breakdown.shown) {
    const IdleCauses& causes = shown.idle_causes;
    add_step_row(out, shown.step, {"host", number(causes.host)});
    add_step_row(out, shown.step, {"latency_or_dependency", number(causes.latency_or_dependency)});
    add_step_row(out, shown.step, {"between_graph_nodes", number(causes.between_graph_nodes)});
    add_step_row(out, shown.step, {"unknown", number(causes.unknown)});
  }
  return out;
}

std::string steps(const Breakdown& breakdown) {
  std::string out =
      "rank,device,step,phase,source,label,start_ns,span_ns,period_ns,gap_ns,busy_ns,events\r\n";
  for (const Step& step : breakdown.steps) {
    add_step_row(out, step,
                 {foreign(step.phase), foreign(step.source), foreign(step.label),
                  number(step.start_ns), number(step.span_ns), number(step.period_ns),
                  number(step.gap_ns), number(step.busy_ns), number(step.events)});
  }
  return out;
}

using TableWriter = std::string (*)(const Breakdown&);
constexpr std::pair<std::string_view, TableWriter> kTables[] = {
    {"kernels", kernels}, {"streams", streams}, {"components", components},
    {"idle", idle},       {"steps", steps},
};

}  // namespace

std::expected<std::string, std::string> breakdown_csv(const Breakdown& breakdown,
                                                      const ReportContext& context,
                                                      std::string_view table) {
  const auto* found =
      std::ranges::find(kTables, table, &std::pair<std::string_view, TableWriter>::first);
  if (found == std::end(kTables)) {
    return std::unexpected(
        fmt::format("no CSV table \"{}\": choose kernels, streams, components, idle or steps",
                    shortened(table, 40)));
  }
  std::string out;
  if (const std::string partial = harmless_text(partial_line(breakdown.trace)); !partial.empty()) {
    out += "# " + partial + "\r\n";
  }
  if (context.replayed) out += "# Replayed: this trace was recorded earlier\r\n";
  return out + found->second(breakdown);
}

}  // namespace stepscope::analysis
