#include "analysis/reports/breakdown_html.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <vector>

#include "analysis/reports/breakdown_markdown.h"
#include "analysis/reports/document.h"
#include "analysis/reports/html/html_assets.h"
#include "tests/analysis/reports/golden.h"
#include "tests/support/sample_breakdown.h"

namespace stepscope::analysis {
namespace {

ShownStep& only_step(Breakdown& breakdown) { return breakdown.shown.front(); }

// The sample with two events to draw, the second of the kernel with the hostile name.
Breakdown drawn_sample() {
  Breakdown breakdown = tests::sample_breakdown();
  ShownStep& shown = only_step(breakdown);
  const auto evil = std::ranges::find_if(
      shown.accounting.kernels, [](const KernelRow& row) { return row.name.contains("<img"); });
  REQUIRE(evil != shown.accounting.kernels.end());
  const auto index = static_cast<std::uint32_t>(evil - shown.accounting.kernels.begin());
  shown.timeline = {{0, 1000, 0, 0, -1}, {2000, 500, 1, index, -1}};
  return breakdown;
}

TEST_CASE("the report of one decode step as HTML") {
  tests::check_golden("report-step.html",
                      breakdown_html_fragment(tests::sample_breakdown(), tests::sample_context()));
}

// Reads tags up to the end; what a script element holds is no markup.
void check_tags(const std::string& html, const std::vector<std::string>& known) {
  std::vector<std::string> open;
  for (std::size_t at = html.find('<'); at != std::string::npos; at = html.find('<', at + 1)) {
    const std::size_t end = html.find('>', at);
    REQUIRE(end != std::string::npos);
    const std::string tag = html.substr(at + 1, end - at - 1);
    INFO(tag);
    if (tag.starts_with('/')) {
      REQUIRE_FALSE(open.empty());
      CHECK(open.back() == tag.substr(1));
      open.pop_back();
      continue;
    }
    const std::string name = tag.substr(0, tag.find(' '));
    CHECK(std::ranges::find(known, name) != known.end());
    for (const char* forbidden : {" on", " style", " href", " src"}) {
      CHECK_FALSE(tag.contains(forbidden));
    }
    if (!tag.ends_with('/')) open.push_back(name);
  }
  CHECK(open.empty());
}

TEST_CASE("every tag that is opened is closed, and there are only plain ones") {
  const std::vector<std::string> known = {
      "article", "figure", "figcaption", "svg", "rect",       "text",    "title",
      "line",    "script", "h2",         "p",   "ul",         "li",      "table",
      "thead",   "tbody",  "tr",         "th",  "td",         "details", "summary",
      "strong",  "code",   "ol",         "pre", "blockquote", "div"};
  for (const Breakdown& breakdown : {tests::large_breakdown(30), drawn_sample()}) {
    check_tags(breakdown_html_fragment(breakdown, tests::sample_context()), known);
  }
  Breakdown all = tests::sample_breakdown();
  all.all_steps = true;
  check_tags(breakdown_html_fragment(all, tests::sample_context()), known);
  Breakdown none = tests::sample_breakdown();
  none.shown.clear();
  check_tags(breakdown_html_fragment(none, tests::sample_context()), known);
}

TEST_CASE("foreign text is escaped") {
  const std::string html = breakdown_html(drawn_sample(), tests::sample_context());
  CHECK(html.contains("<code>evil|name`with``ticks @octocat #12 &lt;img src=x&gt;</code>"));
  CHECK_FALSE(html.contains("<img"));
  ReportContext context;
  context.title = "<script>alert(1)</script>";
  const std::string page = breakdown_html(tests::sample_breakdown(), context);
  CHECK(page.contains("<h2>&lt;script&gt;alert(1)&lt;/script&gt;: where one decode step went"));
  CHECK(page.contains("<title>&lt;script&gt;alert(1)&lt;/script&gt;: where one decode step went"));
}

TEST_CASE("a page holds the fragment, its style and its script, and forbids the rest") {
  const Breakdown breakdown = drawn_sample();
  const std::string page = breakdown_html(breakdown, tests::sample_context());
  CHECK(
      page.starts_with("<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"));
  CHECK(page.contains("content=\"default-src 'none'; "));
  CHECK(page.contains(breakdown_html_fragment(breakdown, tests::sample_context())));
  CHECK(page.contains(report_style()));
  CHECK(page.contains(report_script()));
  CHECK(page.ends_with("</script>\n</body>\n</html>\n"));
}

TEST_CASE("pictures stand between the heading and the words; none where no step is shown") {
  Breakdown breakdown = drawn_sample();
  const std::string html = breakdown_html_fragment(breakdown, tests::sample_context());
  const std::size_t bar = html.find("<svg class=\"bar\"");
  REQUIRE(bar != std::string::npos);
  CHECK(html.find("</h2>") < bar);
  CHECK(bar < html.find("<script type=\"application/json\">"));
  CHECK(html.find("<script type=\"application/json\">") < html.find("<table>"));
  breakdown.shown.clear();
  const std::string none = breakdown_html_fragment(breakdown, tests::sample_context());
  CHECK_FALSE(none.contains("<svg"));
  CHECK_FALSE(none.contains("<script"));
}

TEST_CASE("totals and folded rows are told from the rest, for sorting") {
  Document document;
  document.heading = plain("x");
  Table table{{{"a"}, {"b", true}}, {}};
  table.rows = {{strong("all"), strong("1")},
                {plain("other calls"), plain("1")},
                {plain("other (2 rows)"), plain("3")},
                {strong("all"), Line()}};
  document.head = {table};
  CHECK(to_html(document).contains(
      "<tr><td><strong>all</strong></td><td class=\"number\"><strong>1</strong></td></tr>\n"
      "<tr><td>other calls</td><td class=\"number\">1</td></tr>\n"
      "<tr class=\"rest\"><td>other (2 rows)</td><td class=\"number\">3</td></tr>\n"
      "<tr class=\"total\"><td><strong>all</strong></td><td class=\"number\"></td></tr>\n"));
}

TEST_CASE("numbered lists, quotes and fixed text have their own tags") {
  Document document;
  document.heading = plain("x");
  document.head = {List{{plain("a<b"), strong("c")}, true}, Quote{plain("q&a")},
                   FixedText{{"one  <two>", "  three"}}};
  CHECK(to_html(document) ==
        "<h2>x</h2>\n<ol>\n<li>a&lt;b</li>\n<li><strong>c</strong></li>\n</ol>\n"
        "<blockquote>q&amp;a</blockquote>\n<pre>one  &lt;two&gt;\n  three\n</pre>\n");
}

TEST_CASE("PARTIAL is the first line, asked sections are open") {
  Breakdown breakdown = tests::sample_breakdown();
  breakdown.trace.complete = false;
  breakdown.trace.damaged = {{9, "bad <b> number"}};
  breakdown.trace.damaged_count = 1;
  ReportContext context;
  context.asks = {"kernels"};
  const std::string partial =
      "PARTIAL: damaged at byte 9 of the uncompressed text (bad &lt;b&gt; number), 1 place";
  const std::string html = breakdown_html_fragment(breakdown, context);
  CHECK(html.starts_with("<article class=\"report\">\n<p>" + partial + "</p>\n<h2>"));
  CHECK(
      breakdown_html(breakdown, context).starts_with("<!-- " + partial + " -->\n<!doctype html>"));
  CHECK(html.contains("<details open><summary>Kernels by stream (9 rows)</summary>"));
}

}  // namespace
}  // namespace stepscope::analysis
