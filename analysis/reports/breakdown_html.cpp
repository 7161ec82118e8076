// The document as HTML, and the page around it.

#include "analysis/reports/breakdown_html.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>

#include "analysis/reports/document.h"
#include "analysis/reports/html/html_assets.h"
#include "analysis/reports/html/html_bar.h"
#include "analysis/reports/html/html_kernels.h"
#include "analysis/reports/html/html_strips.h"
#include "analysis/reports/html/html_timeline.h"
#include "analysis/reports/report_document.h"
#include "analysis/reports/text.h"

namespace stepscope::analysis {
namespace {

std::string html(const Line& line) {
  std::string out;
  for (const Span& span : line.spans) {
    const std::string text = html_text(span.text);
    switch (span.kind) {
      case Span::Kind::text:
        out += text;
        break;
      case Span::Kind::strong:
        out += "<strong>" + text + "</strong>";
        break;
      case Span::Kind::code:
        out += "<code>" + text + "</code>";
        break;
    }
  }
  return out;
}

std::string html(const List& list) {
  const std::string_view tag = list.numbered ? "ol" : "ul";
  std::string out = fmt::format("<{}>\n", tag);
  for (const Line& item : list.items) out += "<li>" + html(item) + "</li>\n";
  return out + fmt::format("</{}>\n", tag);
}

std::string html(const Quote& quote) {
  return "<blockquote>" + html(quote.line) + "</blockquote>\n";
}

std::string html(const FixedText& fixed) {
  std::string out = "<pre>";
  for (const std::string& line : fixed.lines) out += html_text(line) + "\n";
  return out + "</pre>\n";
}

std::string_view number_class(const Column& column) {
  return column.number ? " class=\"number\"" : "";
}

bool is_strong(const Line& cell) {
  return std::ranges::all_of(cell.spans,
                             [](const Span& span) { return span.kind == Span::Kind::strong; });
}

// Totals and folded rows stay last when a table is sorted.
std::string_view row_class(const Table& table, const std::vector<Line>& row) {
  if (row.empty() || row.front().spans.empty()) return "";
  if (&row == &table.rows.back() && std::ranges::all_of(row, is_strong)) return " class=\"total\"";
  const Span& first = row.front().spans.front();
  const bool folded = first.kind == Span::Kind::text && first.text.starts_with("other (");
  return folded ? " class=\"rest\"" : "";
}

std::string html(const Table& table) {
  std::string out = "<table>\n<thead>\n<tr>";
  for (const Column& column : table.columns) {
    out += fmt::format("<th{}>{}</th>", number_class(column), html_text(column.title));
  }
  out += "</tr>\n</thead>\n<tbody>\n";
  for (const auto& row : table.rows) {
    out += fmt::format("<tr{}>", row_class(table, row));
    for (std::size_t i = 0; i < row.size(); ++i) {
      out += fmt::format("<td{}>{}</td>", number_class(table.columns.at(i)), html(row[i]));
    }
    out += "</tr>\n";
  }
  return out + "</tbody>\n</table>\n";
}

std::string html(std::span<const Block> blocks) {
  std::string out;
  for (const Block& block : blocks) {
    if (const Line* line = std::get_if<Line>(&block)) {
      out += "<p>" + html(*line) + "</p>\n";
    } else {
      out += std::visit([](const auto& one) { return html(one); }, block);
    }
  }
  return out;
}

std::string opening(const Document& document) {
  std::string out;
  if (!document.first_line.empty()) out += "<p>" + html_text(document.first_line) + "</p>\n";
  return out + "<h2>" + html(document.heading) + "</h2>\n";
}

using Blocks = std::span<const Block>;

// What the head says ahead of its first table: the answer, before the pictures.
std::size_t answer_blocks(const Document& document) {
  const auto table = std::ranges::find_if(
      document.head, [](const Block& block) { return std::holds_alternative<Table>(block); });
  return static_cast<std::size_t>(table - document.head.begin());
}

std::string answer(const Document& document) {
  return html(Blocks(document.head).first(answer_blocks(document)));
}

std::string after_answer(const Document& document) {
  std::string out = html(Blocks(document.head).subspan(answer_blocks(document)));
  for (const Section& section : document.sections) {
    out += fmt::format("<details{}><summary>{}</summary>\n{}</details>\n",
                       section.open ? " open" : "", html_text(section.title), html(section.blocks));
  }
  return out;
}

Document document_of(const Breakdown& breakdown, const ReportContext& context) {
  constexpr Detail kDetail{.kernel_rows = 200, .list_rows = 200};
  return report_document(breakdown, context, kDetail);
}

std::string pictures(const Breakdown& breakdown) {
  if (breakdown.shown.empty()) return "";
  if (breakdown.all_steps) return component_bars(breakdown.shown);
  const ShownStep& shown = breakdown.shown.front();
  return component_bar(shown) + step_strips(shown) + step_timeline(shown);
}

std::string fragment(const Document& document, const Breakdown& breakdown) {
  const bool one_step = !breakdown.shown.empty() && !breakdown.all_steps;
  return "<article class=\"report\">\n" + opening(document) + answer(document) +
         pictures(breakdown) + after_answer(document) +
         (one_step ? all_kernels(breakdown.shown.front()) : "") + "</article>\n";
}

}  // namespace

std::string to_html(const Document& document) {
  return opening(document) + answer(document) + after_answer(document);
}

std::string breakdown_html_fragment(const Breakdown& breakdown, const ReportContext& context) {
  return fragment(document_of(breakdown, context), breakdown);
}

// The policy forbids whatever a report has no business with: it loads nothing and sends nothing.
std::string breakdown_html(const Breakdown& breakdown, const ReportContext& context) {
  const Document document = document_of(breakdown, context);
  std::string title;
  for (const Span& span : document.heading.spans) title += span.text;
  // The first line of every output says that a trace is partial.
  std::string first;
  if (!document.first_line.empty()) first = "<!-- " + html_text(document.first_line) + " -->\n";
  return first +
         fmt::format(
             "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
             "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src "
             "'unsafe-inline'; script-src 'unsafe-inline'; img-src data:; base-uri 'none'; "
             "form-action "
             "'none'\">\n"
             "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
             "<title>{} - stepscope</title>\n<link rel=\"icon\" href=\"data:,\">\n"
             "<style>\n{}</style>\n</head>\n<body>\n<main class=\"report-page\">\n{}</main>\n"
             "<script>\n{}</script>\n</body>\n</html>\n",
             html_text(title), report_style(), fragment(document, breakdown), report_script());
}

}  // namespace stepscope::analysis
