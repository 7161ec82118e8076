// Every column of figures is rounded by largest remainder for itself, so that it adds up as
// printed; a delta can differ from the printed difference of its row in the last digit.

#include "analysis/reports/compare/compare_tables.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <span>
#include <string>

#include "analysis/reports/compare/compare_words.h"
#include "analysis/reports/report_words.h"
#include "analysis/reports/text.h"

namespace stepscope::analysis {
namespace {

constexpr std::size_t kNameChars = 72;
constexpr std::size_t kLongNameChars = 110;

Ns charged_of(const std::optional<ComparedRow>& row) { return row ? row->charged_ns : 0; }
Ns busy_of(const std::optional<ComparedRow>& row) { return row ? row->busy_ns : 0; }

// One printed row, of a delta or of several folded ones.
struct PrintedRow {
  Line label;
  std::string stream;
  Ns a = 0;
  Ns b = 0;
  Ns busy_a = 0;
  Ns busy_b = 0;
  bool has_busy = true;
  std::string a_range;
  std::string b_range;
  std::string noise;
};

std::string range_words(std::optional<Ns> least, std::optional<Ns> most) {
  if (!least || !most) return "not recorded";
  return fmt::format("{}–{}", format_ms(*least), format_ms(*most));
}

std::string range_words(const std::optional<ComparedRow>& row, const CompareSide& side) {
  if (side.steps == 1) return "one step";
  if (!row) return side.idle_min_ns ? "0.000–0.000" : "–";
  return range_words(row->charged_min_ns, row->charged_max_ns);
}

// A delta of 0 is no noise; with one step of a side an overlap is all that can be said.
std::string noise_words(Ns delta, const std::optional<bool>& within, bool known) {
  if (delta == 0) return "";
  if (within && *within) return "within noise";
  return within && known ? "" : "cannot be told";
}

std::string stream_words(const Delta& delta) {
  const std::string a = delta.a ? delta.a->stream : "";
  const std::string b = delta.b ? delta.b->stream : "";
  if (a.empty() || b.empty() || a == b) return a.empty() ? b : a;
  return a + " → " + b;
}

PrintedRow row_of(const Comparison& comparison, const Delta& delta, Line label) {
  PrintedRow row;
  row.label = std::move(label);
  row.stream = stream_words(delta);
  row.a = charged_of(delta.a);
  row.b = charged_of(delta.b);
  row.busy_a = busy_of(delta.a);
  row.busy_b = busy_of(delta.b);
  row.a_range = range_words(delta.a, comparison.a);
  row.b_range = range_words(delta.b, comparison.b);
  row.noise = noise_words(delta.charged_delta_ns, delta.within_noise, comparison.noise_known);
  return row;
}

PrintedRow folded(std::span<const Delta> deltas) {
  PrintedRow row;
  row.label = plain(fmt::format("other ({} rows)", deltas.size()));
  row.stream = row.a_range = row.b_range = row.noise = "–";
  for (const Delta& delta : deltas) {
    row.a += charged_of(delta.a);
    row.b += charged_of(delta.b);
    row.busy_a += busy_of(delta.a);
    row.busy_b += busy_of(delta.b);
  }
  return row;
}

std::string idle_range(const CompareSide& side) {
  return side.steps == 1 ? "one step" : range_words(side.idle_min_ns, side.idle_max_ns);
}

PrintedRow idle_row(const Comparison& comparison) {
  PrintedRow row;
  row.label = plain("idle");
  row.stream = "–";
  row.a = comparison.a.idle_ns;
  row.b = comparison.b.idle_ns;
  row.has_busy = false;
  row.a_range = idle_range(comparison.a);
  row.b_range = idle_range(comparison.b);
  row.noise =
      noise_words(comparison.idle_delta_ns, comparison.idle_within_noise, comparison.noise_known);
  return row;
}

// Kernel names shortened, and longer where two of them would read the same on one stream.
std::vector<Line> labels_of(std::span<const Delta> deltas, bool are_kernels) {
  std::vector<Line> labels;
  std::map<std::string, std::map<std::string_view, int>> uses;
  if (are_kernels) {
    for (const Delta& delta : deltas) ++uses[short_kernel_name(delta.label, kNameChars)][delta.key];
  }
  for (const Delta& delta : deltas) {
    if (!are_kernels) {
      labels.push_back(plain(shortened(delta.label, kNameChars)));
      continue;
    }
    const std::string name = short_kernel_name(delta.label, kNameChars);
    labels.push_back(code(uses[name].size() > 1 ? shortened(delta.label, kLongNameChars) : name));
  }
  return labels;
}

std::vector<Ns> column(const std::vector<PrintedRow>& rows, Ns PrintedRow::* field) {
  std::vector<Ns> out;
  out.reserve(rows.size());
  for (const PrintedRow& row : rows) out.push_back(row.*field);
  return out;
}

std::vector<Ns> differences(const std::vector<Ns>& from, const std::vector<Ns>& to) {
  std::vector<Ns> out;
  out.reserve(from.size());
  for (std::size_t i = 0; i < from.size(); ++i) out.push_back(to[i] - from[i]);
  return out;
}

std::vector<Ns> rounded(const std::vector<Ns>& parts, Ns unit) {
  return round_to_unit(parts, std::accumulate(parts.begin(), parts.end(), Ns{0}), unit);
}

// busy A | busy B | busy delta: sums of what may run side by side, so they have no last row.
void add_busy(std::vector<std::vector<Line>>& cells, const std::vector<PrintedRow>& rows) {
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const PrintedRow& row = rows[i];
    const Ns delta = row.busy_b - row.busy_a;
    for (const std::string& text :
         {format_ms(row.busy_a), format_ms(row.busy_b), signed_ms(delta)}) {
      cells[i].push_back(plain(row.has_busy ? text : "–"));
    }
  }
}

void add_charged(std::vector<std::vector<Line>>& cells, const std::vector<PrintedRow>& rows,
                 Ns wall_ns) {
  const std::vector<Ns> a = column(rows, &PrintedRow::a);
  const std::vector<Ns> b = column(rows, &PrintedRow::b);
  const std::vector<Ns> delta = differences(a, b);
  const std::vector<Ns> a_ms = rounded(a, 1000);
  const std::vector<Ns> b_ms = rounded(b, 1000);
  const std::vector<Ns> delta_ms = rounded(delta, 1000);
  const std::vector<int> share = shares_permille(delta, wall_ns);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    cells[i].push_back(plain(format_ms(a_ms[i])));
    cells[i].push_back(plain(format_ms(b_ms[i])));
    cells[i].push_back(plain(signed_ms(delta_ms[i])));
    cells[i].push_back(plain(change_words(delta[i], a[i])));
    cells[i].push_back(plain(format_permille(share[i])));
  }
}

// A side of one step has no range, and two such sides no noise to speak of.
bool has_ranges(const Comparison& comparison) {
  return comparison.a.steps > 1 || comparison.b.steps > 1;
}

void add_ranges(std::vector<std::vector<Line>>& cells, const std::vector<PrintedRow>& rows) {
  for (std::size_t i = 0; i < rows.size(); ++i) {
    cells[i].push_back(plain(rows[i].a_range));
    cells[i].push_back(plain(rows[i].b_range));
    cells[i].push_back(plain(rows[i].noise));
  }
}

std::vector<Line> last_row(const Comparison& comparison, std::size_t before) {
  std::vector<Line> row(before);
  const CompareSide& a = comparison.a;
  const CompareSide& b = comparison.b;
  const Ns delta = comparison.wall_delta_ns;
  row.front() = strong("wall");
  row.push_back(strong(format_ms(a.wall_ns)));
  row.push_back(strong(format_ms(b.wall_ns)));
  row.push_back(plain(signed_ms(delta)));
  row.push_back(plain(change_words(delta, a.wall_ns)));
  row.push_back(plain(format_permille(shares_permille(std::span(&delta, 1), a.wall_ns).front())));
  if (!has_ranges(comparison)) return row;
  for (const CompareSide* side : {&a, &b}) {
    row.push_back(plain(side->steps == 1 ? "one step" : range_words(side->min_ns, side->max_ns)));
  }
  row.push_back(plain(noise_words(delta, comparison.within_noise, comparison.noise_known)));
  return row;
}

}  // namespace

Table wall_table(const Comparison& comparison, const std::vector<Delta>& deltas,
                 const std::string& title, std::size_t rows_max) {
  const bool are_kernels = &deltas == &comparison.kernels;
  const std::size_t shown = rows_shown(deltas.size(), rows_max);
  const std::span<const Delta> all = deltas;
  const std::vector<Line> labels = labels_of(all.first(shown), are_kernels);
  std::vector<PrintedRow> rows;
  rows.reserve(shown + 2);
  for (std::size_t i = 0; i < shown; ++i) rows.push_back(row_of(comparison, all[i], labels[i]));
  if (shown < all.size()) rows.push_back(folded(all.subspan(shown)));
  rows.push_back(idle_row(comparison));

  Table table{{{title}}, {}};
  std::vector<std::vector<Line>> cells;
  cells.reserve(rows.size());
  for (const PrintedRow& row : rows) cells.push_back({row.label});
  if (are_kernels) {
    table.columns.push_back({"stream"});
    for (std::size_t i = 0; i < rows.size(); ++i) cells[i].push_back(plain(rows[i].stream));
  }
  if (comparison.busy_compared) {
    for (const char* name : {"busy A ms", "busy B ms", "busy B − A"}) {
      table.columns.push_back({name, true});
    }
    add_busy(cells, rows);
  }
  const std::size_t before = table.columns.size();
  for (const char* name : {"A ms", "B ms", "B − A", "of A", "% of A's wall"}) {
    table.columns.push_back({name, true});
  }
  add_charged(cells, rows, comparison.a.wall_ns);
  if (has_ranges(comparison)) {
    table.columns.insert(table.columns.end(),
                         {{"A min–max", true}, {"B min–max", true}, {"noise"}});
    add_ranges(cells, rows);
  }
  cells.push_back(last_row(comparison, before));
  table.rows = std::move(cells);
  return table;
}

bool has_one_sided(const std::vector<Delta>& deltas, bool appeared) {
  return std::ranges::any_of(deltas,
                             [&](const Delta& delta) { return appeared ? !delta.a : !delta.b; });
}

Table one_side_table(const std::vector<Delta>& deltas, bool appeared, std::size_t rows_max) {
  std::vector<Delta> found;
  for (const Delta& delta : deltas) {
    if (appeared ? !delta.a : !delta.b) found.push_back(delta);
  }
  Table table{{{appeared ? "appeared in B" : "vanished from A"},
               {"stream"},
               {"calls", true},
               {"charged ms", true},
               {"busy ms", true}},
              {}};
  const std::size_t shown = rows_shown(found.size(), rows_max);
  const std::span<const Delta> all = found;
  const std::vector<Line> labels = labels_of(all.first(shown), true);
  ComparedRow other;
  for (std::size_t i = 0; i < found.size(); ++i) {
    const ComparedRow row = (appeared ? found[i].b : found[i].a).value_or(ComparedRow{});
    if (i >= shown) {
      other.calls += row.calls;
      other.charged_ns += row.charged_ns;
      other.busy_ns += row.busy_ns;
      continue;
    }
    table.rows.push_back({labels[i], plain(row.stream), plain(grouped(row.calls)),
                          plain(format_ms(row.charged_ns)), plain(format_ms(row.busy_ns))});
  }
  if (shown < found.size()) {
    table.rows.push_back({plain(fmt::format("other ({} rows)", found.size() - shown)), plain("–"),
                          plain(grouped(other.calls)), plain(format_ms(other.charged_ns)),
                          plain(format_ms(other.busy_ns))});
  }
  return table;
}

Table layer_table(const Comparison& comparison, const Delta& kind) {
  Table table{{{kind.label + ", median layer"},
               {"stream"},
               {"A µs", true},
               {"B µs", true},
               {"B − A", true},
               {"of A", true}},
              {}};
  std::vector<PrintedRow> rows;
  for (const Delta& delta : comparison.layer_rows) {
    if (!delta.key.starts_with(kind.key + " / ")) continue;
    rows.push_back(row_of(comparison, delta, plain(shortened(delta.label, kNameChars))));
  }
  const std::vector<Ns> a = column(rows, &PrintedRow::a);
  const std::vector<Ns> b = column(rows, &PrintedRow::b);
  const std::vector<Ns> delta = differences(a, b);
  const std::vector<Ns> a_us = rounded(a, 100);
  const std::vector<Ns> b_us = rounded(b, 100);
  const std::vector<Ns> delta_us = rounded(delta, 100);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    table.rows.push_back({rows[i].label, plain(rows[i].stream), plain(format_us(a_us[i])),
                          plain(format_us(b_us[i])), plain(format_us(delta_us[i])),
                          plain(change_words(delta[i], a[i]))});
    if (has_ranges(comparison)) table.rows.back().push_back(plain(rows[i].noise));
  }
  table.rows.push_back({strong("layer"), Line(), strong(format_us(charged_of(kind.a))),
                        strong(format_us(charged_of(kind.b))),
                        plain(format_us(kind.charged_delta_ns)),
                        plain(change_words(kind.charged_delta_ns, charged_of(kind.a)))});
  if (!has_ranges(comparison)) return table;
  table.columns.push_back({"noise"});
  table.rows.back().push_back(
      plain(noise_words(kind.charged_delta_ns, kind.within_noise, comparison.noise_known)));
  return table;
}

}  // namespace stepscope::analysis
