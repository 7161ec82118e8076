// The HTML report: the same document as the Markdown one, with longer tables, because a page has
// room.

#include "analysis/reports/breakdown_html.h"

#include <fmt/format.h>

#include "analysis/reports/document.h"
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

std::string html(const Table& table) {
  std::string out = "<table>\n<thead>\n<tr>";
  for (const Column& column : table.columns) {
    out += fmt::format("<th{}>{}</th>", number_class(column), html_text(column.title));
  }
  out += "</tr>\n</thead>\n<tbody>\n";
  for (const auto& row : table.rows) {
    out += "<tr>";
    for (std::size_t i = 0; i < row.size(); ++i) {
      out += fmt::format("<td{}>{}</td>", number_class(table.columns.at(i)), html(row[i]));
    }
    out += "</tr>\n";
  }
  return out + "</tbody>\n</table>\n";
}

std::string html(const std::vector<Block>& blocks) {
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

}  // namespace

std::string to_html(const Document& document) {
  std::string out;
  if (!document.first_line.empty()) out += "<p>" + html_text(document.first_line) + "</p>\n";
  out += "<h2>" + html(document.heading) + "</h2>\n" + html(document.head);
  for (const Section& section : document.sections) {
    out += fmt::format("<details{}><summary>{}</summary>\n{}</details>\n",
                       section.open ? " open" : "", html_text(section.title), html(section.blocks));
  }
  return out;
}

std::string breakdown_html(const Breakdown& breakdown, const ReportContext& context) {
  constexpr Detail kDetail{.kernel_rows = 200, .list_rows = 200};
  return to_html(report_document(breakdown, context, kDetail));
}

}  // namespace stepscope::analysis
