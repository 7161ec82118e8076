#include "analysis/reports/breakdown_html.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <vector>

#include "analysis/reports/breakdown_markdown.h"
#include "analysis/reports/document.h"
#include "tests/analysis/reports/golden.h"
#include "tests/support/sample_breakdown.h"

namespace stepscope::analysis {
namespace {

TEST_CASE("the report of one decode step as HTML") {
  tests::check_golden("report-step.html",
                      breakdown_html(tests::sample_breakdown(), tests::sample_context()));
}

TEST_CASE("every tag that is opened is closed, and there are only plain ones") {
  const std::string html = breakdown_html(tests::large_breakdown(30), tests::sample_context());
  const std::vector<std::string> plain_tags = {
      "h2", "p",       "ul",      "li",     "table", "thead", "tbody", "tr",        "th",
      "td", "details", "summary", "strong", "code",  "ol",    "pre",   "blockquote"};
  std::vector<std::string> open;
  for (std::size_t at = html.find('<'); at != std::string::npos; at = html.find('<', at + 1)) {
    const std::size_t end = html.find('>', at);
    REQUIRE(end != std::string::npos);
    const std::string tag = html.substr(at + 1, end - at - 1);
    if (tag.starts_with('/')) {
      REQUIRE_FALSE(open.empty());
      CHECK(open.back() == tag.substr(1));
      open.pop_back();
      continue;
    }
    open.push_back(tag.substr(0, tag.find(' ')));
    CHECK(std::ranges::find(plain_tags, open.back()) != plain_tags.end());
    const std::string attributes = tag.substr(open.back().size());
    CHECK((attributes.empty() || attributes == " open" || attributes == " class=\"number\""));
  }
  CHECK(open.empty());
}

TEST_CASE("foreign text is escaped") {
  const std::string html = breakdown_html(tests::sample_breakdown(), tests::sample_context());
  CHECK(html.contains("<code>evil|name`with``ticks @octocat #12 &lt;img src=x&gt;</code>"));
  CHECK_FALSE(html.contains("<img"));
  ReportContext context;
  context.title = "<script>alert(1)</script>";
  CHECK(breakdown_html(tests::sample_breakdown(), context)
            .starts_with("<h2>&lt;script&gt;alert(1)&lt;/script&gt;: where one decode step went"));
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
  const std::string html = breakdown_html(breakdown, context);
  CHECK(
      html.starts_with("<p>PARTIAL: damaged at byte 9 of the uncompressed text (bad &lt;b&gt; "
                       "number), 1 place</p>\n<h2>"));
  CHECK(html.contains("<details open><summary>Kernels by stream (9 rows)</summary>"));
}

}  // namespace
}  // namespace stepscope::analysis
