// The Markdown report: the document as GitHub Markdown, with as many rows as fit.

#include "analysis/reports/breakdown_markdown.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <span>

#include "analysis/reports/document.h"
#include "analysis/reports/report_document.h"
#include "analysis/reports/stable_order.h"
#include "analysis/reports/text.h"

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

std::string markdown(const Table& table) {
  std::string out = "|";
  for (const Column& column : table.columns) out += " " + markdown_text(column.title) + " |";
  out += "\n|";
  for (const Column& column : table.columns) out += column.number ? " ---: |" : " --- |";
  out += "\n";
  for (const auto& row : table.rows) {
    out += "|";
    for (const Line& cell : row) out += " " + markdown(cell, true) + " |";
    out += "\n";
  }
  return out;
}

std::string markdown(const std::vector<Block>& blocks) {
  std::string out;
  for (const Block& block : blocks) {
    std::string piece = std::visit([](const auto& one) { return markdown(one); }, block);
    if (!piece.ends_with('\n')) piece += '\n';
    out += piece + "\n";
  }
  return out;
}

// The blank line after the summary lets Markdown be read inside the HTML block.
std::string markdown(const Section& section) {
  return fmt::format("<details{}><summary>{}</summary>\n\n{}</details>\n\n",
                     section.open ? " open" : "", html_text(section.title),
                     markdown(section.blocks));
}

std::string head_of(const Document& document) {
  std::string out;
  if (!document.first_line.empty()) out += markdown_text(document.first_line) + "\n\n";
  return out + "### " + markdown(document.heading) + "\n\n" + markdown(document.head);
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

std::string fitted(const Breakdown& breakdown, const ReportContext& context,
                   std::span<const Detail> levels) {
  for (const Detail& detail : levels) {
    std::string text = to_markdown(report_document(breakdown, context, detail));
    if (text.size() <= context.bytes_max) return text;
  }
  return to_markdown(report_document(breakdown, context, levels.back()), context.bytes_max,
                     context.more_url);
}

}  // namespace

std::string to_markdown(const Document& document) {
  std::string out = head_of(document);
  for (const Section& section : document.sections) out += markdown(section);
  return without_blank_end(std::move(out));
}

std::string to_markdown(const Document& document, std::size_t bytes_max,
                        std::string_view more_url) {
  std::vector<std::string> pieces;
  pieces.reserve(document.sections.size());
  for (const Section& section : document.sections) pieces.push_back(markdown(section));
  std::vector<std::size_t> order(pieces.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  stable_order(order, [&](std::size_t a, std::size_t b) {
    return document.sections[a].keep < document.sections[b].keep;
  });

  const std::string head = head_of(document);
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
