#include "analysis/reports/breakdown_markdown.h"

#include <doctest/doctest.h>
#include <stdlib.h>
#include <unistd.h>

#include <cstdio>
#include <fstream>
#include <optional>
#include <sstream>

#include "analysis/reports/document.h"
#include "analysis/reports/report_document.h"
#include "analysis/reports/text.h"
#include "tests/analysis/reports/golden.h"
#include "tests/support/sample_breakdown.h"

namespace stepscope::analysis {
namespace {

std::size_t count(std::string_view text, std::string_view part) {
  std::size_t found = 0;
  for (std::size_t at = text.find(part); at != std::string_view::npos;
       at = text.find(part, at + part.size())) {
    ++found;
  }
  return found;
}

// What GitHub's own parser makes of it; nothing when the program is not installed.
std::optional<std::string> rendered(const std::string& markdown) {
  if (std::system("command -v cmark-gfm >/dev/null 2>&1") != 0) return std::nullopt;
  std::string path = "/tmp/stepscope-report-XXXXXX";
  const int descriptor = mkstemp(path.data());
  REQUIRE(descriptor >= 0);
  close(descriptor);
  std::ofstream(path, std::ios::binary) << markdown;
  std::FILE* pipe = popen(("cmark-gfm -e table -e autolink --unsafe " + path).c_str(), "r");
  REQUIRE(pipe != nullptr);
  std::string html;
  char block[4096];
  for (std::size_t n = 0; (n = std::fread(block, 1, sizeof block, pipe)) > 0;) {
    html.append(block, n);
  }
  CHECK(pclose(pipe) == 0);
  unlink(path.c_str());
  return html;
}

// The rendered text outside of <code>: there a mention or an issue number would become a link.
std::string outside_code(std::string html) {
  for (std::size_t at = html.find("<code>"); at != std::string::npos;
       at = html.find("<code>", at)) {
    const std::size_t end = html.find("</code>", at);
    REQUIRE(end != std::string::npos);
    html.erase(at, end + 7 - at);
  }
  return html;
}

TEST_CASE("the report of one decode step") {
  tests::check_golden("report-step.md",
                      breakdown_markdown(tests::sample_breakdown(), tests::sample_context()));
}

TEST_CASE("GitHub's parser sees tables, folded parts and nothing foreign") {
  const std::string markdown =
      breakdown_markdown(tests::sample_breakdown(), tests::sample_context());
  const auto html = rendered(markdown);
  if (!html) {
    MESSAGE("cmark-gfm is not installed: not checked");
    return;
  }
  const std::size_t tables = count(markdown, "\n| --");
  CHECK(tables == 20);
  CHECK(count(*html, "<table>") == tables);
  CHECK(count(*html, "<p>|") == 0);
  CHECK(count(*html, "<details><summary>") == 11);
  CHECK(count(*html, "</details>") == 11);
  CHECK(count(*html, "<blockquote>") == 1);
  CHECK(count(*html, "<ol>") == 1);
  CHECK(count(*html, "<pre") == 1);
  CHECK(html->contains("<code>evil|name`with``ticks @octocat #12 &lt;img src=x&gt;</code>"));
  CHECK(html->contains("<strong>7.895 ms</strong>"));
  const std::string outside = outside_code(*html);
  CHECK_FALSE(outside.contains('@'));
  CHECK_FALSE(outside.contains('#'));
  CHECK_FALSE(outside.contains("<img"));
  CHECK_FALSE(outside.contains("<a "));
}

TEST_CASE("hostile names stay one cell of one row") {
  const std::vector<std::string> names = {"a|b",
                                          "a\\|b",
                                          "\\",
                                          "`",
                                          "``|``",
                                          "a\n|b|\n",
                                          "</code></td></table><script>",
                                          "[x](https://evil.example)",
                                          "![x](//evil)",
                                          "<!-- x",
                                          "-->",
                                          "&#64;octocat",
                                          "*a* _b_ ~c~",
                                          "@octocat",
                                          "#1",
                                          "\xFF\xFE|",
                                          "\u202E|gnp",
                                          "",
                                          " ",
                                          "| --- |",
                                          "$a$ :rocket: www.evil.example"};
  Document document;
  document.heading = plain("names");
  Table table{{{"code"}, {"text"}}, {}};
  for (const std::string& name : names) table.rows.push_back({code(name), plain(name)});
  document.head.emplace_back(table);
  const auto html = rendered(to_markdown(document));
  if (!html) {
    MESSAGE("cmark-gfm is not installed: not checked");
    return;
  }
  CHECK(count(*html, "<table>") == 1);
  CHECK(count(*html, "<tr>") == names.size() + 1);
  CHECK(count(*html, "<td>") == 2 * names.size());
  const std::string outside = outside_code(*html);
  for (const char* never :
       {"<script", "<a ", "<img", "<em>", "<del>", "<!--", "@", "#1", "\u202E"}) {
    CHECK_FALSE(outside.contains(never));
  }
  for (const std::string& name : names) {
    if (name.find_first_not_of(" ") == std::string::npos) continue;
    CHECK(html->contains("<td><code>" + html_text(name).substr(0, 3)));
  }
}

TEST_CASE("PARTIAL is the very first line") {
  Breakdown breakdown = tests::sample_breakdown();
  breakdown.trace.complete = false;
  breakdown.trace.cut_at_byte = 1'048'576;
  CHECK(breakdown_markdown(breakdown, {})
            .starts_with("PARTIAL: cut at byte 1048576 of the uncompressed text\n\n### "));
}

TEST_CASE("more kernels are shown to those who ask for kernels") {
  const Breakdown breakdown = tests::large_breakdown(150);
  CHECK(breakdown_markdown(breakdown, {}).contains("| other (131 rows) "));  // 156 - 25
  ReportContext context;
  context.asks = {"kernels"};
  const std::string asked = breakdown_markdown(breakdown, context);
  CHECK(asked.contains("<details open><summary>Kernels by stream (171 rows)</summary>"));
  CHECK(asked.contains("`triton_poi_fused_add_mul_0`"));
  CHECK_FALSE(asked.contains("other ("));
}

TEST_CASE("the body stays under its limit, whatever the limit") {
  const Breakdown breakdown = tests::large_breakdown(400);
  ReportContext context = tests::sample_context();
  for (const char* ask : {"", "kernels"}) {
    context.asks = {ask};
    for (std::size_t limit = 0; limit < 60'000; limit += limit < 200 ? 1 : 1'777) {
      context.bytes_max = limit;
      const std::string text = breakdown_markdown(breakdown, context);
      CHECK(text.size() <= limit);
      CHECK(harmless_text(text).find("\uFFFD") == std::string::npos);
      CHECK((limit == 0 || text.ends_with('\n')));
      CHECK(count(text, "<details") == count(text, "</details>"));
    }
  }
}

TEST_CASE("the least important section goes first, with a link to the whole") {
  ReportContext context = tests::sample_context();
  const Breakdown breakdown = tests::sample_breakdown();
  // Tables that are not aligned, fewer rows (none here), then the first section.
  context.bytes_max =
      to_markdown(report_document(breakdown, context, {.kernel_rows = 12, .list_rows = 10}))
          .size() -
      1;
  const std::string text = breakdown_markdown(breakdown, context);
  CHECK(text.contains(
      "\nLeft out for length: [Steps found (10)](https://stepscope.example/runs/57).\n"));
  CHECK(count(text, "Left out for length") == 1);
  CHECK(text.contains("How these figures were made"));
  for (const char* bad : {"", "javascript:alert(1)", "https://x.example/) [a](b"}) {
    context.more_url = bad;
    CHECK(breakdown_markdown(breakdown, context)
              .contains("\nLeft out for length: Steps found (10).\n"));
  }
}

TEST_CASE("tables are aligned when there is room") {
  const Breakdown breakdown = tests::sample_breakdown();
  ReportContext context = tests::sample_context();
  const std::string aligned = breakdown_markdown(breakdown, context);
  std::size_t first = 0;  // all rows of the first table are equally wide
  std::istringstream lines(aligned.substr(aligned.find("\n| ") + 1));
  for (std::string line; std::getline(lines, line) && line.starts_with('|');) {
    if (first == 0) first = char_count(line);
    CHECK(char_count(line) == first);
  }
  CHECK(first > 60);
  context.bytes_max = aligned.size() - 1;
  const std::string compact = breakdown_markdown(breakdown, context);
  CHECK(compact.size() < aligned.size());
  CHECK_FALSE(compact.contains("Left out"));
  CHECK(compact.contains("\n| --- | ---: |"));
}

TEST_CASE("two code spans never share a fence") {
  Document document;
  document.heading = plain("x");
  document.head.emplace_back(Line().text("a@b").code("c").code("d"));
  CHECK(to_markdown(document) == "### x\n\n`a@b` `c` `d`\n");
}

TEST_CASE("numbered lists, quotes and fixed text") {
  Document document;
  document.heading = plain("x");
  document.head = {List{{plain("a@b"), strong("c")}, true}, Quote{Line().strong("q").text(" *a*")},
                   FixedText{{"one  |two|", "  ```` three\n@four"}}};
  CHECK(to_markdown(document) ==
        "### x\n\n1. `a@b`\n2. **c**\n\n> **q** \\*a\\*\n\n"
        "`````text\none  |two|\n  ```` three @four\n`````\n");
}

TEST_CASE("a pipe in code has its backslash in tables only") {
  Document document;
  document.heading = code("a|b");
  document.head.emplace_back(code("c\\|d||"));
  document.head.emplace_back(Table{{{"h"}}, {{code("e|f")}}});
  CHECK(to_markdown(document) == "### `a|b`\n\n`c\\|d||`\n\n| h |\n| --- |\n| `e\\|f` |\n");
}

}  // namespace
}  // namespace stepscope::analysis
