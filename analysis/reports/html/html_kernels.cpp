#include "analysis/reports/html/html_kernels.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <string_view>
#include <vector>

#include "analysis/reports/report_words.h"
#include "analysis/reports/text.h"

namespace stepscope::analysis {
namespace {

constexpr std::size_t kRowsMax = 1000;
constexpr std::size_t kNameChars = 72;
constexpr std::size_t kWholeNameChars = 5000;

// Indices of kernels by charged time falling, then by their own order.
std::vector<std::size_t> by_charged(const std::vector<KernelRow>& kernels) {
  std::vector<std::size_t> order(kernels.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::sort(order, [&](std::size_t a, std::size_t b) {
    if (kernels[a].charged_ns != kernels[b].charged_ns) {
      return kernels[a].charged_ns > kernels[b].charged_ns;
    }
    return a < b;
  });
  return order;
}

// The short name, which unfolds to the whole one without a script.
std::string name_cell(const KernelRow& row, std::size_t index) {
  return fmt::format(
      "<details class=\"name\" data-kernel=\"{}\"><summary><code>{}</code></summary>"
      "<code>{}</code></details>",
      index, html_text(short_kernel_name(row.name, kNameChars)),
      html_text(shortened(row.name, kWholeNameChars)));
}

std::string shape_words(const KernelRow& row) {
  if (row.shapes.empty()) return "";
  const KernelShape& first = row.shapes.front();
  const std::string more =
      row.shapes.size() > 1 ? fmt::format(", {} more", row.shapes.size() - 1) : std::string();
  return fmt::format("{} ({}){}", first.text, first.source, more);
}

std::string role_words(const KernelRow& row) {
  std::string out;
  for (const KernelRole& role : row.roles) {
    if (role.role.empty()) continue;
    out += fmt::format("{}{} × {}", out.empty() ? "" : ", ", role.role, role.calls);
  }
  return out;
}

std::string number_cells(std::initializer_list<std::string> values) {
  std::string out;
  for (const std::string& value : values) out += fmt::format("<td class=\"number\">{}</td>", value);
  return out;
}

// Columns that no kernel of the step has anything for are left out.
struct WordColumns {
  bool roles = false;
  bool shapes = false;

  std::string cells(const std::string& role, const std::string& shape) const {
    std::string out;
    if (roles) out += "<td>" + html_text(role) + "</td>";
    if (shapes) out += "<td>" + html_text(shape) + "</td>";
    return out;
  }
};

struct Printed {
  Ns ns = 0;
  int permille = 0;
};

std::string kernel_row(const KernelRow& row, std::size_t index, const WordColumns& columns,
                       const Printed& charged) {
  return fmt::format(
      "<tr><td>{}</td><td>{}</td><td>{}</td>{}{}</tr>\n", name_cell(row, index),
      html_text(row.stream), html_text(row.category),
      columns.cells(role_words(row), shape_words(row)),
      number_cells({grouped(row.calls), format_ms(charged.ns), format_permille(charged.permille),
                    format_ms(row.sum_ns), format_us(row.min_ns), format_us(row.median_ns),
                    format_us(row.max_ns)}));
}

// A row without a kernel: idle, the folded rest, the total.
std::string other_row(std::string_view css_class, std::string_view label, const std::string& calls,
                      const WordColumns& columns, const Printed& charged) {
  return fmt::format("<tr{}><td>{}</td><td></td><td></td>{}{}</tr>\n",
                     css_class.empty() ? "" : fmt::format(" class=\"{}\"", css_class), label,
                     columns.cells("", ""),
                     number_cells({calls, format_ms(charged.ns), format_permille(charged.permille),
                                   "", "", "", ""}));
}

std::string table_head(const WordColumns& columns) {
  return fmt::format(
      "<thead>\n<tr><th>kernel</th><th>stream</th><th>category</th>{}{}"
      "<th class=\"number\">calls</th><th class=\"number\">charged ms</th>"
      "<th class=\"number\">% of wall</th><th class=\"number\">sum ms</th>"
      "<th class=\"number\">min µs</th><th class=\"number\">median µs</th>"
      "<th class=\"number\">max µs</th></tr>\n</thead>\n",
      columns.roles ? "<th>role × calls</th>" : "", columns.shapes ? "<th>shape</th>" : "");
}

}  // namespace

std::string all_kernels(const ShownStep& shown) {
  const std::vector<KernelRow>& kernels = shown.accounting.kernels;
  if (kernels.empty()) return "";
  const std::vector<std::size_t> order = by_charged(kernels);
  const std::size_t rows = order.size() > kRowsMax + 1 ? kRowsMax : order.size();
  WordColumns columns;
  std::vector<Ns> parts;
  Ns rest = 0;
  std::int64_t rest_calls = 0;
  std::int64_t calls = 0;
  for (std::size_t i = 0; i < order.size(); ++i) {
    const KernelRow& row = kernels[order[i]];
    calls += row.calls;
    columns.roles = columns.roles || !role_words(row).empty();
    columns.shapes = columns.shapes || !row.shapes.empty();
    if (i < rows) {
      parts.push_back(row.charged_ns);
    } else {
      rest += row.charged_ns;
      rest_calls += row.calls;
    }
  }
  parts.push_back(rest);
  parts.push_back(shown.accounting.idle_ns);
  const Amounts amounts = amounts_of(parts, shown.accounting.window_ns);
  const auto printed = [&](std::size_t i) {
    return Printed{amounts.rounded[i], amounts.permille[i]};
  };

  std::string out = fmt::format(
      "<details><summary>All kernels with their whole names ({})</summary>\n<table>\n{}<tbody>\n",
      counted(static_cast<std::int64_t>(order.size()), "row"), table_head(columns));
  for (std::size_t i = 0; i < rows; ++i) {
    out += kernel_row(kernels[order[i]], order[i], columns, printed(i));
  }
  if (rows < order.size()) {
    out += other_row("rest", fmt::format("other ({} rows)", order.size() - rows),
                     grouped(rest_calls), columns, printed(rows));
  }
  out += other_row("", "idle", "", columns, printed(rows + 1));
  const Printed total{std::accumulate(amounts.rounded.begin(), amounts.rounded.end(), Ns{0}),
                      std::accumulate(amounts.permille.begin(), amounts.permille.end(), 0)};
  out += other_row("total", "<strong>all</strong>", grouped(calls), columns, total);
  return out + "</tbody>\n</table>\n</details>\n";
}

}  // namespace stepscope::analysis
