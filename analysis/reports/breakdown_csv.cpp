// One table as CSV: integers in ns as in JSON, one row per (shown step, row of the table). What the
// structure of a step adds to its accounting is in here as well.

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

// "q/kv projection x122; o_proj x61": one field, because a spreadsheet has no lists.
template <typename Parts, typename Text>
std::string joined(const Parts& parts, Text text) {
  std::string out;
  for (const auto& part : parts) {
    if (text(part).empty()) continue;
    out += fmt::format("{}{} x{}", out.empty() ? "" : "; ", text(part), part.calls);
  }
  return foreign(out);
}

// The last row of a step is its idle time, so that wall_ns sums to the window.
std::string kernels(const Breakdown& breakdown) {
  std::string out =
      "rank,device,step,stream,name,category,component,class,calls,sum_ns,busy_ns,wall_ns,min_ns,"
      "median_ns,max_ns,roles,shapes\r\n";
  for (const ShownStep& shown : breakdown.shown) {
    for (const KernelRow& row : shown.accounting.kernels) {
      add_step_row(
          out, shown.step,
          {foreign(row.stream), foreign(row.name), foreign(row.category), foreign(row.component),
           std::string(class_name(row.device_class)), number(row.calls), number(row.sum_ns),
           number(row.busy_ns), number(row.charged_ns), number(row.min_ns), number(row.median_ns),
           number(row.max_ns), joined(row.roles, [](const KernelRole& role) { return role.role; }),
           joined(row.shapes, [](const KernelShape& shape) {
             return fmt::format("{} ({})", shape.text, shape.source);
           })});
    }
    add_step_row(out, shown.step,
                 {"", "", "idle", "idle", "idle", "", "", "", number(shown.accounting.idle_ns), "",
                  "", "", "", ""});
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

std::string_view yes_no(bool value) { return value ? "yes" : "no"; }

// charged_ns sums to the window.
std::string where(const Breakdown& breakdown) {
  std::string out = "rank,device,step,key,label,calls,charged_ns,idle,wait\r\n";
  for (const ShownStep& shown : breakdown.shown) {
    for (const WhereRow& row : shown.where) {
      add_step_row(out, shown.step,
                   {foreign(row.key), foreign(row.label), number(row.calls), number(row.charged_ns),
                    std::string(yes_no(row.idle)), std::string(yes_no(row.wait))});
    }
  }
  return out;
}

// The charged categories of each phase and its idle time: charged_ns sums to the window.
std::string phases(const Breakdown& breakdown) {
  std::string out =
      "rank,device,step,phase,start_ns,wall_ns,category,component,calls,charged_ns\r\n";
  for (const ShownStep& shown : breakdown.shown) {
    for (const Phase& phase : shown.phases) {
      const auto add = [&](const std::string& category, const std::string& component,
                           std::string calls, Ns charged_ns) {
        add_step_row(out, shown.step,
                     {foreign(phase.name), number(phase.start_ns), number(phase.wall_ns),
                      foreign(category), foreign(component), std::move(calls), number(charged_ns)});
      };
      for (const ChargedCategory& part : phase.charged) {
        add(part.category, part.component, number(part.calls), part.charged_ns);
      }
      add("idle", "idle", "", phase.classes.idle);
    }
  }
  return out;
}

// One row a layer; layers count from 0, as in JSON.
std::string layers(const Breakdown& breakdown) {
  std::string out = "rank,device,step,layer,kind,label,moe,wall_ns,kind_median_wall_ns\r\n";
  for (const ShownStep& shown : breakdown.shown) {
    if (!shown.layers) continue;
    for (std::size_t i = 0; i < shown.layers->wall_ns.size(); ++i) {
      const auto kind_index = static_cast<std::size_t>(shown.layers->kind_of.at(i));
      const LayerKind& kind = shown.layers->kinds.at(kind_index);
      add_step_row(out, shown.step,
                   {std::to_string(i), std::to_string(kind_index), foreign(kind.label),
                    std::string(yes_no(kind.moe)), number(shown.layers->wall_ns[i]),
                    number(kind.median_wall_ns)});
    }
  }
  return out;
}

// The kernels of the median layer of each kind, and of all its layers; idle is the last row.
std::string layer_rows(const Breakdown& breakdown) {
  std::string out =
      "rank,device,step,kind,median_layer,layers,stream,name,category,role,component,calls,"
      "charged_ns,sum_ns,calls_in_kind,charged_in_kind_ns,sum_in_kind_ns,names_vary\r\n";
  for (const ShownStep& shown : breakdown.shown) {
    if (!shown.layers) continue;
    for (std::size_t i = 0; i < shown.layers->kinds.size(); ++i) {
      const LayerKind& kind = shown.layers->kinds[i];
      const std::vector<std::string> of_kind = {std::to_string(i), number(kind.median_layer),
                                                number(kind.count)};
      const auto add = [&](std::vector<std::string> fields) {
        fields.insert(fields.begin(), of_kind.begin(), of_kind.end());
        add_step_row(out, shown.step, std::move(fields));
      };
      for (const LayerRow& row : kind.rows) {
        add({foreign(row.stream), foreign(row.name), foreign(row.category), foreign(row.role),
             foreign(row.component), number(row.calls), number(row.charged_ns), number(row.sum_ns),
             number(row.calls_in_kind), number(row.charged_in_kind_ns), number(row.sum_in_kind_ns),
             std::string(yes_no(row.names_vary))});
      }
      add({"", "", "idle", "", "idle", "", number(kind.idle_ns), "", "",
           number(kind.idle_in_kind_ns), "", ""});
    }
  }
  return out;
}

std::string moe(const Breakdown& breakdown) {
  std::string out =
      "rank,device,step,part,calls,charged_ns,hidden_ns,exposed_ns,busy_ns,sum_ns\r\n";
  for (const ShownStep& shown : breakdown.shown) {
    if (!shown.moe) continue;
    const auto add = [&](const MoePart& part) {
      add_step_row(
          out, shown.step,
          {foreign(part.part), number(part.calls), number(part.charged_ns), number(part.hidden_ns),
           number(part.exposed_ns), number(part.busy_ns), number(part.sum_ns)});
    };
    for (const MoePart& part : shown.moe->parts) add(part);
    add(shown.moe->total);
  }
  return out;
}

// The same step on each rank: rank, device and step are those of the row.
std::string ranks(const Breakdown& breakdown) {
  std::string out =
      "rank,device,step,label,shown,wall_ns,busy_ns,compute_ns,comm_exposed_ns,moe_ns,wait_ns,"
      "transfer_ns\r\n";
  for (const ShownStep& shown : breakdown.shown) {
    for (const RankRow& row : shown.ranks) {
      add_row(out, {number(row.rank), foreign(row.device), number(row.step_index),
                    foreign(row.label), std::string(yes_no(row.shown)), number(row.wall_ns),
                    number(row.busy_ns), number(row.compute_ns), number(row.comm_exposed_ns),
                    number(row.moe_ns), number(row.wait_ns), number(row.transfer_ns)});
    }
  }
  return out;
}

// The matched calls of all ranks, in time order.
std::string collectives(const Breakdown& breakdown) {
  std::string out =
      "call,kind,group,name,start_ns,last_arrival_ns,max_wait_ns,shortest_ns,release_spread_ns,"
      "late_rank,late_label,bytes\r\n";
  if (!breakdown.collectives) return out;
  std::size_t index = 0;
  for (const CollectiveCall& call : breakdown.collectives->calls) {
    add_row(out,
            {std::to_string(index++), foreign(call.kind), foreign(call.group), foreign(call.name),
             number(call.start_ns), number(call.last_arrival_ns), number(call.max_wait_ns),
             number(call.shortest_ns), number(call.release_spread_ns), number(call.late_rank),
             foreign(call.late_label), number(call.bytes)});
  }
  return out;
}

std::string steps(const Breakdown& breakdown) {
  std::string out =
      "rank,device,step,phase,source,label,start_ns,span_ns,period_ns,gap_ns,busy_ns,events,"
      "batch_size,tokens,kv_tokens\r\n";
  for (const Step& step : breakdown.steps) {
    add_step_row(out, step,
                 {foreign(step.phase), foreign(step.source), foreign(step.label),
                  number(step.start_ns), number(step.span_ns), number(step.period_ns),
                  number(step.gap_ns), number(step.busy_ns), number(step.events),
                  number(step.batch_size), number(step.tokens), number(step.kv_tokens)});
  }
  return out;
}

using TableWriter = std::string (*)(const Breakdown&);
constexpr std::pair<std::string_view, TableWriter> kTables[] = {
    {"kernels", kernels},
    {"streams", streams},
    {"layers", layers},
    {"layer_rows", layer_rows},
    {"components", components},
    {"where", where},
    {"phases", phases},
    {"moe", moe},
    {"ranks", ranks},
    {"collectives", collectives},
    {"idle", idle},
    {"steps", steps},
};

}  // namespace

std::vector<std::string> csv_table_names() {
  std::vector<std::string> names;
  for (const auto& [name, writer] : kTables) names.emplace_back(name);
  return names;
}

std::expected<std::string, std::string> breakdown_csv(const Breakdown& breakdown,
                                                      const ReportContext& context,
                                                      std::string_view table) {
  const auto* found =
      std::ranges::find(kTables, table, &std::pair<std::string_view, TableWriter>::first);
  if (found == std::end(kTables)) {
    return std::unexpected(fmt::format("no CSV table \"{}\": choose one of {}",
                                       shortened(table, 40), fmt::join(csv_table_names(), ", ")));
  }
  std::string out;
  if (const std::string partial = harmless_text(partial_line(breakdown.trace)); !partial.empty()) {
    out += "# " + partial + "\r\n";
  }
  if (context.replayed) out += "# Replayed: this trace was recorded earlier\r\n";
  return out + found->second(breakdown);
}

}  // namespace stepscope::analysis
