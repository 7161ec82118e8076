// Kernels by stream: every row of every table is a part of one wall, so they are rounded together.

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <span>
#include <tuple>

#include "analysis/reports/report_sections.h"
#include "analysis/reports/report_words.h"
#include "analysis/reports/text.h"
#include "analysis/stable_order.h"

namespace stepscope::analysis {
namespace {

constexpr std::size_t kNameChars = 72;
constexpr std::size_t kLongNameChars = 110;
constexpr std::size_t kStemChars = 48;    // of names that must be told apart, and
constexpr std::size_t kDetailChars = 40;  // what is shown of their difference:
constexpr std::size_t kWordChars = 24;    // from the begin of its word, or of a long word
constexpr std::size_t kWordTailChars = 4;
constexpr std::size_t kStreamTables = 8;
constexpr std::size_t kRolesShown = 5;
constexpr std::size_t kShapesShown = 3;
constexpr std::size_t kShapeChars = 80;

struct KernelLine {
  Line name;
  std::string category;
  std::string role;
  std::int64_t calls = 0;
  Ns charged = 0;
  Ns sum = 0;
  Ns hidden = 0;
};

// Where no kernel overlaps itself, charged and hidden are the sum: its column says nothing then.
bool has_own_sums(const Accounting& accounting) {
  return std::ranges::any_of(accounting.kernels,
                             [](const KernelRow& row) { return row.sum_ns != row.busy_ns; });
}

struct StreamGroup {
  std::string title;
  std::vector<const KernelRow*> rows;
  std::vector<KernelLine> lines;
};

// The critical stream, then the busiest; what is beyond kStreamTables shares the last group.
std::vector<StreamGroup> groups_of(const Accounting& accounting) {
  std::vector<StreamRow> streams = accounting.streams;
  stable_order(streams, [&](const StreamRow& a, const StreamRow& b) {
    const bool a_first = a.stream == accounting.primary_stream;
    const bool b_first = b.stream == accounting.primary_stream;
    return std::tie(a_first, a.busy_ns) > std::tie(b_first, b.busy_ns);
  });
  const bool fold = streams.size() > kStreamTables + 1;
  std::vector<StreamGroup> groups;
  std::map<std::string_view, std::size_t> group_of_stream;
  for (std::size_t i = 0; i < streams.size(); ++i) {
    if (i >= kStreamTables && fold) {
      if (i == kStreamTables) {
        groups.push_back({fmt::format("{} other streams", streams.size() - i), {}, {}});
      }
    } else {
      const bool critical = streams[i].stream == accounting.primary_stream;
      groups.push_back({"stream " + streams[i].stream + (critical ? ", critical" : ""), {}, {}});
    }
    group_of_stream[streams[i].stream] = groups.size() - 1;
  }
  for (const KernelRow& row : accounting.kernels) {
    const auto found = group_of_stream.find(row.stream);
    if (found != group_of_stream.end()) groups[found->second].rows.push_back(&row);
  }
  return groups;
}

void add_to(KernelLine& line, const KernelRow& row) {
  line.calls += row.calls;
  line.charged += row.charged_ns;
  line.sum += row.sum_ns;
  line.hidden += row.busy_ns - row.charged_ns;
}

bool is_letter_or_digit(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

// For names that fold to the same words: after these words, what the name has where it leaves the
// one that it is most alike. "gemm<…> … MT256x32x64_MI16"
std::string told_apart(const std::string& name, const std::vector<const KernelRow*>& rows) {
  std::size_t common = 0;
  for (const KernelRow* row : rows) {
    if (row->name == name) continue;
    const auto differ = std::ranges::mismatch(name, row->name);
    common = std::max(common, static_cast<std::size_t>(differ.in1 - name.begin()));
  }
  std::size_t from = common;
  while (from > 0 && common - from < kWordChars && is_letter_or_digit(name[from - 1])) --from;
  if (common - from == kWordChars) from = common - kWordTailChars;
  if (from == 0 || common >= name.size()) return shortened(name, kLongNameChars);
  const std::string detail = name.substr(from, kDetailChars);
  return fmt::format("{} … {}{}", short_kernel_name(name, kStemChars), detail,
                     from + kDetailChars < name.size() ? "…" : "");
}

bool is_gemm(const KernelRow& row) { return row.category.starts_with("gemm"); }

std::int64_t calls_without_role(const KernelRow& row) {
  if (!is_gemm(row)) return 0;
  // Without roles by place the name alone may tell.
  if (row.roles.empty()) return row.component == "other" ? row.calls : 0;
  std::int64_t calls = 0;
  for (const KernelRole& role : row.roles) {
    if (role.role.empty() && role.component == "other") calls += role.calls;
  }
  return calls;
}

// "o_proj", or with calls when there are several: "q/kv projection 61, v up 61, lm_head 1".
std::string role_words(const KernelRow& row) {
  std::string out;
  std::size_t shown = 0;
  for (const KernelRole& role : row.roles) {
    if (role.role.empty()) continue;
    if (++shown > kRolesShown) continue;
    out += fmt::format("{}{}", out.empty() ? "" : ", ", role.role);
    if (role.calls != row.calls) out += fmt::format(" {}", grouped(role.calls));
  }
  if (shown > kRolesShown) out += fmt::format(", {} more", shown - kRolesShown);
  const std::int64_t roleless = calls_without_role(row);
  if (roleless > 0) {
    out += out.empty() ? "not told" : fmt::format(", not told {}", grouped(roleless));
  }
  return out.empty() ? "–" : out;
}

// Names that fold to the same words show more of themselves.
void fill_lines(StreamGroup& group, std::size_t rows_max) {
  stable_order(group.rows, [](const KernelRow* a, const KernelRow* b) {
    return std::tie(b->charged_ns, b->sum_ns, a->name) <
           std::tie(a->charged_ns, a->sum_ns, b->name);
  });
  const bool fold = group.rows.size() > rows_max + 1;
  const std::size_t shown = fold ? rows_max : group.rows.size();
  std::vector<std::string> names;
  std::map<std::string, int> uses;
  for (std::size_t i = 0; i < shown; ++i) {
    names.push_back(short_kernel_name(group.rows[i]->name, kNameChars));
    ++uses[names.back()];
  }
  for (std::size_t i = 0; i < shown; ++i) {
    const KernelRow& row = *group.rows[i];
    const bool shared = uses[names[i]] > 1;
    KernelLine line{code(shared ? told_apart(row.name, group.rows) : names[i]), row.category,
                    role_words(row)};
    add_to(line, row);
    group.lines.push_back(std::move(line));
  }
  if (!fold) return;
  KernelLine other{plain(fmt::format("other ({} rows)", group.rows.size() - shown)), "–", "–"};
  for (std::size_t i = shown; i < group.rows.size(); ++i) add_to(other, *group.rows[i]);
  group.lines.push_back(std::move(other));
}

std::vector<Ns> column(const std::vector<KernelLine>& lines, Ns KernelLine::* field) {
  std::vector<Ns> parts;
  parts.reserve(lines.size());
  for (const KernelLine& line : lines) parts.push_back(line.*field);
  return parts;
}

Ns total_of(const std::vector<Ns>& parts) {
  return std::accumulate(parts.begin(), parts.end(), Ns{0});
}

// `charged_total` is the group's time as printed, `permille` the shares of its lines in the wall.
Table group_table(const StreamGroup& group, Ns charged_total, std::span<const int> permille,
                  bool with_sums) {
  Table table{{{group.title},
               {"category"},
               {"role"},
               {"calls", true},
               {"charged ms", true},
               {"% of wall", true},
               {"hidden ms", true}},
              {}};
  if (with_sums) table.columns.push_back({"sum ms", true});
  const std::vector<Ns> sums = column(group.lines, &KernelLine::sum);
  const std::vector<Ns> hidden = column(group.lines, &KernelLine::hidden);
  const std::vector<Ns> charged = column(group.lines, &KernelLine::charged);
  const std::vector<Ns> sum_ms = round_to_unit(sums, total_of(sums), 1000);
  const std::vector<Ns> hidden_ms = round_to_unit(hidden, total_of(hidden), 1000);
  const std::vector<Ns> charged_ms = round_to_unit(charged, charged_total, 1000);
  std::int64_t calls = 0;
  for (std::size_t i = 0; i < group.lines.size(); ++i) {
    const KernelLine& line = group.lines[i];
    table.rows.push_back({line.name, plain(line.category), plain(line.role),
                          plain(grouped(line.calls)), plain(format_ms(charged_ms[i])),
                          plain(format_permille(permille[i])), plain(format_ms(hidden_ms[i]))});
    if (with_sums) table.rows.back().push_back(plain(format_ms(sum_ms[i])));
    calls += line.calls;
  }
  const int share = std::accumulate(permille.begin(), permille.end(), 0);
  table.rows.push_back({strong("all"), Line(), Line(), strong(grouped(calls)),
                        strong(format_ms(charged_total)), strong(format_permille(share)),
                        strong(format_ms(total_of(hidden)))});
  if (with_sums) table.rows.back().push_back(strong(format_ms(total_of(sums))));
  return table;
}

bool has_size(const KernelRow& row) {
  return is_gemm(row) || row.category.starts_with("attention");
}

// "M 4, N 2112, K 7168 (Input Dims)", with calls when there are several.
std::string shape_words(const KernelRow& row) {
  std::string out;
  for (std::size_t i = 0; i < row.shapes.size() && i < kShapesShown; ++i) {
    const KernelShape& shape = row.shapes[i];
    out += fmt::format("{}{} ({})", i == 0 ? "" : "; ", shortened(shape.text, kShapeChars),
                       shape.source);
    if (shape.calls != row.calls) out += fmt::format(" ×{}", grouped(shape.calls));
  }
  if (row.shapes.size() > kShapesShown) {
    out += fmt::format("; {} more", row.shapes.size() - kShapesShown);
  }
  return out;
}

std::string size_name(const KernelRow& row, const std::vector<const KernelRow*>& rows) {
  std::string name = short_kernel_name(row.name, kNameChars);
  const bool shared = std::ranges::any_of(rows, [&](const KernelRow* other) {
    return other->name != row.name && short_kernel_name(other->name, kNameChars) == name;
  });
  return shared ? told_apart(row.name, rows) : name;
}

// Kernels with a size, largest first; absent when none is recorded.
std::optional<Table> sizes_table(const Accounting& accounting, const Detail& detail) {
  std::vector<const KernelRow*> rows;
  for (const KernelRow& row : accounting.kernels) {
    if (has_size(row) && !row.shapes.empty()) rows.push_back(&row);
  }
  if (rows.empty()) return std::nullopt;
  stable_order(rows, [](const KernelRow* a, const KernelRow* b) {
    return std::tie(b->charged_ns, b->sum_ns) < std::tie(a->charged_ns, a->sum_ns);
  });
  Table table{{{"GEMM and attention kernels"},
               {"stream"},
               {"calls", true},
               {"size, and where it was read"}},
              {}};
  const std::size_t shown = rows_shown(rows.size(), detail.list_rows);
  for (std::size_t i = 0; i < shown; ++i) {
    table.rows.push_back({code(size_name(*rows[i], rows)), plain(rows[i]->stream),
                          plain(grouped(rows[i]->calls)), plain(shape_words(*rows[i]))});
  }
  if (shown < rows.size()) {
    table.rows.push_back({plain(fmt::format("other ({} rows)", rows.size() - shown)), plain("–"),
                          plain("–"), plain("–")});
  }
  return table;
}

std::optional<Line> sizeless_line(const Accounting& accounting) {
  std::int64_t kernels = 0;
  std::int64_t calls = 0;
  for (const KernelRow& row : accounting.kernels) {
    if (!has_size(row) || !row.shapes.empty()) continue;
    ++kernels;
    calls += row.calls;
  }
  if (kernels == 0) return std::nullopt;
  return plain(fmt::format("Size not recorded: {} with {}.",
                           counted(kernels, "GEMM or attention kernel"), counted(calls, "call")));
}

}  // namespace

std::int64_t calls_without_role(const Accounting& accounting) {
  std::int64_t calls = 0;
  for (const KernelRow& row : accounting.kernels) calls += calls_without_role(row);
  return calls;
}

Section kernels_section(const ShownStep& shown, const Detail& detail) {
  const Accounting& accounting = shown.accounting;
  std::vector<StreamGroup> groups = groups_of(accounting);
  std::vector<Ns> parts;
  std::vector<Ns> totals;
  for (StreamGroup& group : groups) {
    fill_lines(group, detail.kernel_rows);
    const std::vector<Ns> charged = column(group.lines, &KernelLine::charged);
    parts.insert(parts.end(), charged.begin(), charged.end());
    totals.push_back(total_of(charged));
  }
  parts.push_back(accounting.idle_ns);
  totals.push_back(accounting.idle_ns);
  const std::vector<int> permille = shares_permille(parts, accounting.window_ns);
  const std::vector<Ns> printed = round_to_unit(totals, accounting.window_ns, 1000);

  const auto rows = static_cast<std::int64_t>(accounting.kernels.size());
  Section section{fmt::format("Kernels by stream ({})", counted(rows, "row")), 90, false, {}};
  const bool with_sums = has_own_sums(accounting);
  std::span<const int> shares = permille;
  std::string sum;
  for (std::size_t i = 0; i < groups.size(); ++i) {
    const std::size_t lines = groups[i].lines.size();
    section.blocks.emplace_back(group_table(groups[i], printed[i], shares.first(lines), with_sums));
    shares = shares.subspan(lines);
    sum += fmt::format("{} {} ms + ", groups[i].title, format_ms(printed[i]));
  }
  section.blocks.emplace_back(
      plain(fmt::format("As printed: {}idle {} ms = wall {} ms.", sum, format_ms(printed.back()),
                        format_ms(accounting.window_ns))));
  if (auto table = sizes_table(accounting, detail)) section.blocks.emplace_back(std::move(*table));
  if (auto line = sizeless_line(accounting)) section.blocks.emplace_back(std::move(*line));
  section.blocks.emplace_back(
      plain("Charged: each instant belongs to one kernel, the critical stream first (wall-clock "
            "attribution). Hidden: the kernel ran, but another one owns the instant. Names are "
            "shortened; the JSON output has them whole."));
  return section;
}

}  // namespace stepscope::analysis
