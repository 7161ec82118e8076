// The Markdown report: the document as GitHub Markdown, with as many rows as fit.

#include "analysis/reports/breakdown_markdown.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <span>
#include <type_traits>

#include "analysis/reports/document.h"
#include "analysis/reports/report_document.h"
#include "analysis/reports/text.h"
#include "analysis/stable_order.h"

namespace stepscope::analysis {
namespace {

constexpr Detail kLevels[] = {{.kernel_rows = 25, .list_rows = 20},
                              {.kernel_rows = 12, .list_rows = 10}};
// Who asks for kernels gets all of them, as long as they fit.
constexpr Detail kKernelLevels[] = {{.kernel_rows = 200, .list_rows = 20},
                                    {.kernel_rows = 80, .list_rows = 10},
                                    {.kernel_rows = 40, .list_rows = 10},
                                    {.kernel_rows = 12, .list_rows = 10}};

std::string markdown(const Span& span, bool in_table) {
  switch (span.kind) {
    case Span::Kind::text:
      return markdown_text(span.text);
    case Span::Kind::strong:
      return "**" + markdown_text(span.text) + "**";
    case Span::Kind::code:
      return in_table ? code_span_in_cell(span.text) : code_span(span.text);
  }
  return "";
}

std::string markdown(const Line& line, bool in_table = false) {
  std::string out;
  for (const Span& span : line.spans) {
    const std::string piece = markdown(span, in_table);
    if (out.ends_with('`') && piece.starts_with('`')) out += ' ';  // two fences would be one
    out += piece;
  }
  return out;
}

std::string markdown(const List& list) {
  std::string out;
  int number = 0;
  for (const Line& item : list.items) {
    out += list.numbered ? fmt::format("{}. ", ++number) : "- ";
    out += markdown(item) + "\n";
  }
  return out;
}

std::string markdown(const Quote& quote) { return "> " + markdown(quote.line) + "\n"; }

// The fence is longer than any run of backticks inside.
std::string markdown(const FixedText& fixed) {
  std::string inside;
  std::size_t run = 0;
  std::size_t longest = 2;
  for (const std::string& line : fixed.lines) inside += harmless_text(line) + "\n";
  for (const char c : inside) {
    run = c == '`' ? run + 1 : 0;
    longest = std::max(longest, run);
  }
  const std::string fence(longest + 1, '`');
  return fmt::format("{}text\n{}{}\n", fence, inside, fence);
}

// Aligned tables can be read as text as well, but blanks are bytes.
enum class Layout : std::uint8_t { aligned, compact };

using Cells = std::vector<std::string>;

std::vector<Cells> cells_of(const Table& table) {
  std::vector<Cells> rows(table.rows.size() + 2);
  for (const Column& column : table.columns) {
    rows[0].push_back(markdown_text(column.title));
    rows[1].push_back(column.number ? "---:" : "---");
  }
  for (std::size_t i = 0; i < table.rows.size(); ++i) {
    for (const Line& cell : table.rows[i]) rows[i + 2].push_back(markdown(cell, true));
  }
  return rows;
}

void align(std::vector<Cells>& rows, const std::vector<Column>& columns) {
  for (std::size_t at = 0; at < columns.size(); ++at) {
    std::size_t chars = 0;
    for (const Cells& row : rows) chars = std::max(chars, char_count(row[at]));
    for (Cells& row : rows) {
      std::string& cell = row[at];
      cell = columns[at].number ? right_aligned(cell, chars) : padded(std::move(cell), chars);
    }
    std::string& rule = rows[1][at];
    rule = std::string(chars, '-');
    if (columns[at].number) rule.back() = ':';
  }
}

std::string markdown(const Table& table, Layout layout) {
  std::vector<Cells> rows = cells_of(table);
  if (layout == Layout::aligned) align(rows, table.columns);
  std::string out;
  for (const Cells& row : rows) out += fmt::format("| {} |\n", fmt::join(row, " | "));
  return out;
}

std::string markdown(const std::vector<Block>& blocks, Layout layout) {
  std::string out;
  for (const Block& block : blocks) {
    std::string piece = std::visit(
        [&](const auto& one) {
          if constexpr (std::is_same_v<std::remove_cvref_t<decltype(one)>, Table>) {
            return markdown(one, layout);
          } else {
            return markdown(one);
          }
        },
        block);
    if (!piece.ends_with('\n')) piece += '\n';
    out += piece + "\n";
  }
  return out;
}

// The blank line after the summary lets Markdown be read inside the HTML block.
std::string markdown(const Section& section, Layout layout) {
  return fmt::format("<details{}><summary>{}</summary>\n\n{}</details>\n\n",
                     section.open ? " open" : "", html_text(section.title),
                     markdown(section.blocks, layout));
}

std::string head_of(const Document& document, Layout layout) {
  std::string out;
  if (!document.first_line.empty()) out += markdown_text(document.first_line) + "\n\n";
  return out + "### " + markdown(document.heading) + "\n\n" + markdown(document.head, layout);
}

bool is_plain_link(std::string_view url) {
  return (url.starts_with("https://") || url.starts_with("http://")) &&
         url.find_first_of(" \t\r\n<>()[]\\`\"'|@") == std::string_view::npos;
}

std::string left_out(const Section& section, std::string_view more_url) {
  if (!is_plain_link(more_url)) {
    return fmt::format("Left out for length: {}.\n\n", markdown_text(section.title));
  }
  return fmt::format("Left out for length: [{}]({}).\n\n", markdown_text(section.title), more_url);
}

// A whole line where there is one, else whole characters; always ends with a newline.
std::string cut_to(std::string text, std::size_t bytes_max) {
  if (text.size() <= bytes_max) return text;
  if (bytes_max == 0) return "";
  std::size_t end = bytes_max - 1;
  const std::size_t line_end = text.rfind('\n', end);
  if (line_end != std::string::npos) {
    text.resize(line_end + 1);
    return text;
  }
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U) --end;
  text.resize(end);
  return text + "\n";
}

std::string without_blank_end(std::string text) {
  while (text.ends_with("\n\n")) text.pop_back();
  return text;
}

std::string written(const Document& document, Layout layout) {
  std::string out = head_of(document, layout);
  for (const Section& section : document.sections) out += markdown(section, layout);
  return without_blank_end(std::move(out));
}

std::string fitted(const Breakdown& breakdown, const ReportContext& context,
                   std::span<const Detail> levels) {
  std::string aligned =
      written(report_document(breakdown, context, levels.front()), Layout::aligned);
  if (aligned.size() <= context.bytes_max) return aligned;
  for (const Detail& detail : levels) {
    std::string text = to_markdown(report_document(breakdown, context, detail));
    if (text.size() <= context.bytes_max) return text;
  }
  return to_markdown(report_document(breakdown, context, levels.back()), context.bytes_max,
                     context.more_url);
}

}  // namespace

std::string to_markdown(const Document& document) { return written(document, Layout::compact); }

std::string to_markdown(const Document& document, std::size_t bytes_max,
                        std::string_view more_url) {
  std::vector<std::string> pieces;
  pieces.reserve(document.sections.size());
  for (const Section& section : document.sections)
    pieces.push_back(markdown(section, Layout::compact));
  std::vector<std::size_t> order(pieces.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  stable_order(order, [&](std::size_t a, std::size_t b) {
    return document.sections[a].keep < document.sections[b].keep;
  });

  const std::string head = head_of(document, Layout::compact);
  std::size_t size = head.size();
  for (const std::string& piece : pieces) size += piece.size();
  for (const std::size_t i : order) {
    if (size <= bytes_max) break;
    size -= pieces[i].size();
    pieces[i] = left_out(document.sections[i], more_url);
    size += pieces[i].size();
  }
  std::string out = head;
  for (const std::string& piece : pieces) out += piece;
  return cut_to(without_blank_end(std::move(out)), bytes_max);
}

std::string breakdown_markdown(const Breakdown& breakdown, const ReportContext& context) {
  if (is_asked(context, "kernels")) return fitted(breakdown, context, kKernelLevels);
  return fitted(breakdown, context, kLevels);
}

}  // namespace stepscope::analysis
