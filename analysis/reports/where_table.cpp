// The first table of a report and the sentence that proves that it adds up.

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "analysis/reports/report_sections.h"
#include "analysis/reports/report_words.h"
#include "analysis/reports/text.h"

namespace stepscope::analysis {
namespace {

constexpr int kBarWidth = 26;

Ns charged_sum(const Accounting& accounting) {
  Ns charged = 0;
  for (const KernelRow& row : accounting.kernels) charged += row.charged_ns;
  return charged;
}

// Shares of the wall without what is spent in waiting; 0 for the rows that wait.
std::vector<int> shares_without_wait(const ShownStep& shown) {
  std::vector<Ns> parts;
  parts.reserve(shown.where.size());
  for (const WhereRow& row : shown.where) parts.push_back(row.wait ? 0 : row.charged_ns);
  return shares_permille(parts, shown.accounting.window_ns - wait_ns(shown));
}

std::string total_of(const std::vector<int>& permille) {
  return format_permille(std::accumulate(permille.begin(), permille.end(), 0));
}

}  // namespace

Ns wait_ns(const ShownStep& shown) {
  Ns wait = 0;
  for (const WhereRow& row : shown.where) {
    if (row.wait) wait += row.charged_ns;
  }
  return wait;
}

Table where_table(const ShownStep& shown) {
  const Ns wall = shown.accounting.window_ns;
  std::vector<Ns> parts;
  parts.reserve(shown.where.size());
  for (const WhereRow& row : shown.where) parts.push_back(row.charged_ns);
  const Amounts amounts = amounts_of(parts, wall);
  const bool with_wait = wait_ns(shown) > 0;
  const std::vector<int> without =
      with_wait ? shares_without_wait(shown) : std::vector<int>(parts.size(), 0);

  Table table{{{"where"}, {"ms", true}, {"% of wall", true}}, {}};
  if (with_wait) table.columns.push_back({"without wait", true});
  table.columns.push_back({""});
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const WhereRow& row = shown.where[i];
    std::vector<Line> cells = {plain(row.label), plain(format_ms(amounts.rounded[i])),
                               plain(format_permille(amounts.permille[i]))};
    if (with_wait) cells.push_back(plain(row.wait ? "–" : format_permille(without[i])));
    const std::string drawn = bar(parts[i], wall, kBarWidth);
    cells.push_back(drawn.empty() ? Line() : code(drawn));
    table.rows.push_back(std::move(cells));
  }
  std::vector<Line> total = {strong(whole_label(shown.step)), strong(format_ms(wall)),
                             strong(total_of(amounts.permille))};
  if (with_wait) total.push_back(strong(total_of(without)));
  total.emplace_back();
  table.rows.push_back(std::move(total));
  return table;
}

Line check_line(const ShownStep& shown) {
  const Ns charged = charged_sum(shown.accounting);
  const Ns idle = shown.accounting.idle_ns;
  const Ns wall = shown.accounting.window_ns;
  if (charged + idle != wall) {
    return plain(
        fmt::format("These figures do NOT add up: charged {} ns + idle {} ns is not the "
                    "wall of {} ns. This is a fault of the analysis; please report it.",
                    grouped(charged), grouped(idle), grouped(wall)));
  }
  Ns rows = 0;
  for (const WhereRow& row : shown.where) rows += row.charged_ns;
  if (!shown.where.empty() && rows != wall) {
    return plain(
        fmt::format("These figures do NOT add up: the rows of the table sum to {} ns, not to the "
                    "wall of {} ns. This is a fault of the analysis; please report it.",
                    grouped(rows), grouped(wall)));
  }
  return plain(fmt::format("Charged {} ns + idle {} ns = wall {} ns, over all kernels.",
                           grouped(charged), grouped(idle), grouped(wall)));
}

}  // namespace stepscope::analysis
