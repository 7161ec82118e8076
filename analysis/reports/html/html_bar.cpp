#include "analysis/reports/html/html_bar.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "analysis/reports/html/html_svg.h"
#include "analysis/reports/report_words.h"
#include "analysis/reports/text.h"
#include "analysis/stable_order.h"

namespace stepscope::analysis {
namespace {

constexpr std::size_t kBarsMax = 60;
constexpr std::size_t kLabelChars = 120;

// In the order in which the bars of several steps show them.
constexpr std::string_view kColours[] = {
    "wait",     "attention", "moe",      "mlp",         "gemm",  "norm",  "communication",
    "sampling", "embedding", "quantize", "elementwise", "setup", "other", "idle"};

// Words of keys that are no component.
constexpr std::pair<std::string_view, std::string_view> kAliases[] = {
    {"allreduce", "communication"},
    {"collective", "communication"},
    {"collectives", "communication"},
    {"comm", "communication"},
    {"copy", "setup"},
    {"lm_head", "sampling"},
    {"norms", "norm"},
    {"transfer", "communication"},
};

struct Part {
  std::string label;
  std::string_view colour;
  Ns ns = 0;
};

std::string_view colour_of_word(std::string_view word) {
  const auto* known = std::ranges::find(kColours, word);
  if (known != std::end(kColours)) return *known;
  const auto* alias =
      std::ranges::find(kAliases, word, &std::pair<std::string_view, std::string_view>::first);
  return alias == std::end(kAliases) ? std::string_view() : alias->second;
}

// Rows of the first table; without them the components.
std::vector<Part> parts_of(const ShownStep& shown) {
  std::vector<Part> parts;
  parts.reserve(std::max(shown.where.size(), shown.components.size() + 1));
  for (const WhereRow& row : shown.where) {
    parts.push_back({shortened(row.label, kLabelChars),
                     row.idle ? "idle" : (row.wait ? "wait" : colour_name(row.key)),
                     row.charged_ns});
  }
  if (!parts.empty()) return parts;
  for (const ComponentRow& row : shown.components) {
    parts.push_back(
        {fmt::format("{}, {}", component_label(row.component), counted(row.calls, "call")),
         colour_name(row.component), row.charged_ns});
  }
  parts.push_back({"idle", "idle", shown.accounting.idle_ns});
  stable_order(parts, [](const Part& a, const Part& b) { return a.ns > b.ns; });
  return parts;
}

Ns total_of(const std::vector<Part>& parts) {
  Ns total = 0;
  for (const Part& part : parts) total += part.ns;
  return total;
}

// A second row of the same component is drawn deeper.
std::vector<std::string> looks_of(const std::vector<Part>& parts) {
  std::vector<std::string> looks;
  std::map<std::string_view, int> uses;
  for (const Part& part : parts) {
    const int use = std::min(++uses[part.colour], 3);
    looks.push_back(fmt::format("c-{}{}", part.colour, use > 1 ? fmt::format(" v{}", use) : ""));
  }
  return looks;
}

// Rounded as the first table of the report is.
Amounts rounded(const std::vector<Part>& parts) {
  std::vector<Ns> values;
  values.reserve(parts.size());
  for (const Part& part : parts) values.push_back(part.ns);
  return amounts_of(values, total_of(parts));
}

// Cells of the parts, from left to right, in a picture of `whole`.
std::string cells_of(const std::vector<Part>& parts, const Amounts& amounts, Ns whole,
                     bool with_words) {
  const std::vector<std::string> looks = looks_of(parts);
  std::string cells;
  Ns at = 0;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const Part& part = parts[i];
    if (part.ns <= 0) continue;
    SvgCell cell{.start_ns = at, .dur_ns = part.ns, .look = looks[i]};
    cell.title = fmt::format("{}: {} ms, {} %", part.label, format_ms(amounts.rounded[i]),
                             format_permille(amounts.permille[i]));
    if (with_words) {
      cell.brief = format_permille(amounts.permille[i]);
      cell.words = fmt::format("{} {} %", part.label.substr(0, part.label.find(',')), cell.brief);
    }
    cells += svg_cell(cell, 0, whole);
    at += part.ns;
  }
  return cells;
}

}  // namespace

std::string_view colour_name(std::string_view key) {
  while (!key.empty()) {
    const std::size_t dot = key.rfind('.');
    const std::string_view word = dot == std::string_view::npos ? key : key.substr(dot + 1);
    const std::string_view colour = colour_of_word(word);
    if (!colour.empty()) return colour;
    key = dot == std::string_view::npos ? std::string_view() : key.substr(0, dot);
  }
  return "other";
}

std::string component_bar(const ShownStep& shown) {
  const std::vector<Part> parts = parts_of(shown);
  const Ns wall = total_of(parts);
  if (wall <= 0) return "";
  const Amounts amounts = rounded(parts);
  const std::vector<std::string> looks = looks_of(parts);
  std::string legend;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (parts[i].ns <= 0) continue;
    legend += legend_item(
        looks[i], fmt::format("{}: {} ms, {} %", parts[i].label, format_ms(amounts.rounded[i]),
                              format_permille(amounts.permille[i])));
  }
  return fmt::format(
      "<figure>\n<figcaption>Components: charged time and idle fill the wall of {} ms"
      "</figcaption>\n{}<ul class=\"legend\">\n{}</ul>\n</figure>\n",
      format_ms(wall), svg_picture("bar", "component bar", cells_of(parts, amounts, wall, true)),
      legend);
}

std::string component_bars(std::span<const ShownStep> shown) {
  const std::size_t drawn = std::min(shown.size(), kBarsMax);
  Ns longest = 0;
  std::vector<std::vector<Part>> steps;
  for (const ShownStep& step : shown.first(drawn)) {
    std::vector<Part> parts = parts_of(step);
    stable_order(parts, [](const Part& a, const Part& b) {
      return std::ranges::find(kColours, a.colour) < std::ranges::find(kColours, b.colour);
    });
    longest = std::max(longest, total_of(parts));
    steps.push_back(std::move(parts));
  }
  std::string bars;
  std::set<std::string_view> used;
  for (std::size_t i = 0; i < drawn; ++i) {
    const std::vector<Part>& parts = steps[i];
    const std::string label =
        fmt::format("step {}, {}: {} ms", shown[i].step.index,
                    place_of(shown[i].step.rank, shown[i].step.pid, shown[i].step.device),
                    format_ms(total_of(parts)));
    bars += fmt::format("<div>{}</div>\n", html_text(label)) +
            svg_picture("bar", label, cells_of(parts, rounded(parts), longest, false));
    for (const Part& part : parts) {
      if (part.ns > 0) used.insert(part.colour);
    }
  }
  std::string legend;
  for (const std::string_view colour : kColours) {
    if (used.contains(colour)) {
      legend += legend_item(fmt::format("c-{}", colour), component_label(colour));
    }
  }
  const std::string left_out =
      drawn < shown.size() ? fmt::format("; the first {} of {}", drawn,
                                         counted(static_cast<std::int64_t>(shown.size()), "step"))
                           : "";
  return fmt::format(
      "<figure class=\"bars\">\n<figcaption>Components of each step, to one scale{}</figcaption>\n"
      "{}<ul class=\"legend\">\n{}</ul>\n</figure>\n",
      left_out, bars, legend);
}

}  // namespace stepscope::analysis
