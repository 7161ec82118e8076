#include "analysis/reports/text.h"

#include <doctest/doctest.h>

namespace stepscope::analysis {
namespace {

TEST_CASE("control, zero-width and bidirectional characters go") {
  CHECK(harmless_text("plain text, ünïcode 模型 🚀") == "plain text, ünïcode 模型 🚀");
  CHECK(harmless_text(std::string_view("a\0b\x1b[31mc\x7f", 10)) == "ab[31mc");
  CHECK(harmless_text("a\xC2\x9B"
                      "31m") == "a31m");  // a C1 control: CSI
  CHECK(harmless_text("a\u200Bb\u200Cc\u200Dd\u2060e\uFEFFf\u00ADg") == "abcdefg");
  CHECK(harmless_text("\u202Eexe.txt\u202C \u2066x\u2069\u200F\u061C") == "exe.txt x");
  CHECK(harmless_text("tag\U000E0041\U000E007F") == "tag");
  CHECK(harmless_text("line\nfeed\r\ncarriage\rtab\tnel\u0085ls\u2028ps\u2029.") ==
        "line feed carriage tab nel ls ps .");
}

TEST_CASE("invalid UTF-8 becomes U+FFFD, one for the bytes that belong together") {
  CHECK(harmless_text("a\xFFz") == "a\uFFFDz");
  CHECK(harmless_text("a\x80z") == "a\uFFFDz");
  CHECK(harmless_text("cut \xE6\xA8") == "cut \uFFFD");  // end inside a character
  CHECK(harmless_text("\xF0\x9F\x9A") == "\uFFFD");
  CHECK(harmless_text("\xE6\xA8x") == "\uFFFDx");
  CHECK(harmless_text("\xC0\xAF") == "\uFFFD\uFFFD");                      // overlong "/"
  CHECK(harmless_text("\xE0\x80\xAF") == "\uFFFD\uFFFD\uFFFD");            // overlong, three bytes
  CHECK(harmless_text("\xED\xA0\x80") == "\uFFFD\uFFFD\uFFFD");            // a surrogate
  CHECK(harmless_text("\xF4\x90\x80\x80") == "\uFFFD\uFFFD\uFFFD\uFFFD");  // past U+10FFFF
  CHECK(harmless_text("\xF4\x8F\xBF\xBD") == "\xF4\x8F\xBF\xBD");          // U+10FFFD
}

TEST_CASE("a long text loses its middle") {
  CHECK(shortened("abcdef", 6) == "abcdef");
  CHECK(shortened("abcdefg", 6) == "abc…fg");  // 5 letters kept: 3 and 2
  CHECK(shortened("模型模型模型", 4) == "模型…型");
  CHECK(shortened("abc", 1) == "…");
  CHECK(shortened("abc", 0).empty());
}

TEST_CASE("the fence of a code span is longer than any run of backticks inside") {
  CHECK(code_span("gemm") == "`gemm`");
  CHECK(code_span("a`b") == "``a`b``");
  CHECK(code_span("a``b`c") == "```a``b`c```");
  CHECK(code_span("`a") == "`` `a ``");
  CHECK(code_span("a```") == "```` a``` ````");
  CHECK(code_span(" a ") == "`  a  `");
  CHECK(code_span("a|b||c") == "`a|b||c`");
  CHECK(code_span_in_cell("a|b||c") == "`a\\|b\\|\\|c`");
  CHECK(code_span("a\r\nb\u2028c") == "`a b c`");
  CHECK(code_span("") == "` `");
  CHECK(code_span("@octocat #12 <b>") == "`@octocat #12 <b>`");
}

TEST_CASE("plain text has no markup") {
  CHECK(markdown_text("Ran on 2 of the 8 GPUs.") == "Ran on 2 of the 8 GPUs.");
  CHECK(markdown_text("a*b_c[d](e)<f>`g`|h~i&amp;$x$") ==
        "a\\*b_c\\[d\\](e)\\<f\\>\\`g\\`\\|h\\~i\\&amp;\\$x\\$");
  // Between letters and digits an underscore is no emphasis, at the edge of a word it can be.
  CHECK(markdown_text("a_b__1 _c_ d_ _._") == "a_b__1 \\_c\\_ d\\_ \\_.\\_");
  CHECK(markdown_text("back\\slash") == "back\\\\slash");
  CHECK(markdown_text("# head") == "\\# head");
  CHECK(markdown_text("### head") == "\\#\\#\\# head");
  CHECK(markdown_text("- item") == "\\- item");
  CHECK(markdown_text("1. item") == "1\\. item");
  CHECK(markdown_text("2) item") == "2\\) item");
  CHECK(markdown_text("--- ===") == "--\\- ===");
  CHECK(markdown_text("-0.010") == "-0.010");
  CHECK(markdown_text("> quote") == "\\> quote");
  CHECK(markdown_text("    indented  code  ") == " indented code ");
  CHECK(markdown_text("<!-- stepscope:job=1 -->") == "\\<!-- stepscope:job=1 --\\>");
  CHECK(markdown_text("a\nb") == "a b");
}

TEST_CASE("mentions, issues, commits and addresses become code") {
  CHECK(markdown_text("asked by @octocat, @org/team") == "asked by `@octocat`, `@org/team`");
  CHECK(markdown_text("x@y.example") == "`x@y.example`");
  CHECK(markdown_text("see #12 (#13) and GH-14.") == "see `#12` (`#13`) and `GH-14`.");
  CHECK(markdown_text("org/repo#12:") == "`org/repo#12`:");
  CHECK(markdown_text("commit 89ce609ab done") == "commit `89ce609ab` done");
  CHECK(markdown_text("https://evil.example/x") == "`https://evil.example/x`");
  CHECK(markdown_text("www.evil.example") == "`www.evil.example`");
  CHECK(markdown_text(":rocket: at::native::x") == "`:rocket`: `at::native::x`");
  // What only looks alike stays text: numbers, short or long hex words, a lone sign.
  CHECK(markdown_text("cut at byte 1048576 of #") == "cut at byte 1048576 of #");
  CHECK(markdown_text("abc123 b200-0 C++ 8k/1k") == "abc123 b200-0 C++ 8k/1k");
  CHECK(markdown_text("@") == "`@`");
  CHECK(markdown_text("a`@b") == "``a`@b``");
}

TEST_CASE("HTML has no tags and no quotes") {
  CHECK(html_text("<a href=\"x\" b='y'>&amp;</a>") ==
        "&lt;a href=&quot;x&quot; b=&#39;y&#39;&gt;&amp;amp;&lt;/a&gt;");
  CHECK(html_text("a\u202Eb\xFF") == "ab\uFFFD");
}

TEST_CASE("columns of fixed width count characters, not bytes") {
  CHECK(char_count("µs█") == 3);
  CHECK(padded("µs", 4) == "µs  ");
  CHECK(padded("longer", 4) == "longer");
  CHECK(right_aligned("µs", 4) == "  µs");
  CHECK(right_aligned("longer", 4) == "longer");
}

}  // namespace
}  // namespace stepscope::analysis
