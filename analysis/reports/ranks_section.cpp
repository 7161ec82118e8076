// The ranks side by side, and the parts of a step that has several.

#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "analysis/reports/report_sections.h"
#include "analysis/reports/report_words.h"
#include "analysis/reports/text.h"

namespace stepscope::analysis {
namespace {

constexpr std::size_t kLabelChars = 60;

std::string rank_label(const RankRow& row) {
  std::string out = row.rank ? std::to_string(*row.rank) : std::string();
  if (!row.label.empty()) out += (out.empty() ? "" : ", ") + shortened(row.label, kLabelChars);
  if (out.empty()) out = "device " + row.device;
  return row.shown ? out + ", shown" : out;
}

using Figure = std::function<std::optional<Ns>(const RankRow&)>;

struct RankColumn {
  std::string title;
  Figure figure;
};

std::vector<RankColumn> rank_columns() {
  return {{"wall ms", &RankRow::wall_ns}, {"compute ms", &RankRow::compute_ns},
          {"MoE ms", &RankRow::moe_ns},   {"exposed communication ms", &RankRow::comm_exposed_ns},
          {"wait ms", &RankRow::wait_ns}, {"transfer ms", &RankRow::transfer_ns}};
}

// "1.03": how far the slowest rank is above the mean; a dash when nothing can be compared.
std::string max_by_mean(const std::vector<RankRow>& ranks, const Figure& figure) {
  double sum = 0;
  Ns largest = 0;
  int count = 0;
  for (const RankRow& row : ranks) {
    const std::optional<Ns> ns = figure(row);
    if (!ns) continue;
    sum += static_cast<double>(*ns);
    largest = std::max(largest, *ns);
    ++count;
  }
  if (count < 2 || sum <= 0) return "–";
  return fmt::format("{:.2f}", static_cast<double>(largest) * count / sum);
}

}  // namespace

std::optional<Section> ranks_section(const ShownStep& shown, const Detail& detail) {
  const std::vector<RankRow>& ranks = shown.ranks;
  if (ranks.size() < 2) return std::nullopt;
  const std::vector<RankColumn> columns = rank_columns();
  Table table{{{"rank"}, {"step", true}}, {}};
  for (const RankColumn& column : columns) table.columns.push_back({column.title, true});
  const std::size_t rows = rows_shown(ranks.size(), detail.list_rows);
  for (std::size_t i = 0; i < rows; ++i) {
    std::vector<Line> cells = {plain(rank_label(ranks[i])),
                               plain(std::to_string(ranks[i].step_index))};
    for (const RankColumn& column : columns) {
      cells.push_back(plain(ms_or_dash(column.figure(ranks[i]))));
    }
    table.rows.push_back(std::move(cells));
  }
  if (rows < ranks.size()) {
    std::vector<Line> other(table.columns.size(), plain("–"));
    other.front() = plain(fmt::format("other ({} rows)", ranks.size() - rows));
    table.rows.push_back(std::move(other));
  }
  std::vector<Line> last = {strong("max / mean"), Line()};
  for (const RankColumn& column : columns) last.push_back(plain(max_by_mean(ranks, column.figure)));
  table.rows.push_back(std::move(last));
  return Section{fmt::format("The same step on {} ranks", ranks.size()),
                 75,
                 false,
                 {std::move(table),
                  plain("Wait: in matched collectives, until the last rank arrives. Transfer: from "
                        "then to the rank's own end. A dash: it can not be told.")}};
}

std::optional<Section> parts_section(const ShownStep& shown, const Detail& detail) {
  const std::vector<StepPart>& parts = shown.parts;
  if (parts.empty()) return std::nullopt;
  Table table{{{"part"},
               {"label"},
               {"start ms", true},
               {"wall ms", true},
               {"busy ms", true},
               {"events", true}},
              {}};
  const std::size_t rows = rows_shown(parts.size(), detail.list_rows);
  for (std::size_t i = 0; i < rows; ++i) {
    const StepPart& part = parts[i];
    table.rows.push_back(
        {plain(part.phase),
         part.label.empty() ? plain("–") : code(shortened(part.label, kLabelChars)),
         plain(format_ms(part.start_ns)), plain(format_ms(part.wall_ns)),
         plain(format_ms(part.busy_ns)), plain(grouped(part.events))});
  }
  if (rows < parts.size()) {
    std::vector<Line> other(table.columns.size(), plain("–"));
    other.front() = plain(fmt::format("other ({} rows)", parts.size() - rows));
    table.rows.push_back(std::move(other));
  }
  return Section{fmt::format("Parts of the step ({})", parts.size()),
                 78,
                 false,
                 {std::move(table),
                  plain("Each part goes from the first start to the last end of the device events "
                        "that its marker launched; parts can overlap. Starts count from the step's "
                        "begin.")}};
}

}  // namespace stepscope::analysis
