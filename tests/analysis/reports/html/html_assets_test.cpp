#include "analysis/reports/html/html_assets.h"

#include <doctest/doctest.h>

#include <string>
#include <string_view>

namespace stepscope::analysis {
namespace {

TEST_CASE("style and script load nothing and can stand inside a page") {
  CHECK(report_style().contains(":root {"));
  CHECK(report_style().contains("@media screen and (prefers-color-scheme: dark)"));
  CHECK(report_script().contains("function makeSortable("));
  CHECK(report_script().contains("class Timeline"));
  for (const std::string_view text : {report_style(), report_script()}) {
    for (const char* forbidden : {"</", "<!--", "@import", "url(", "http:", "https:", "fetch(",
                                  "innerHTML", "eval(", "import(", "XMLHttpRequest"}) {
      INFO(forbidden);
      CHECK_FALSE(text.contains(forbidden));
    }
  }
}

TEST_CASE("every colour has a light and a dark value and a class") {
  for (const char* name :
       {"attention", "moe", "mlp", "norm", "communication", "sampling", "embedding", "setup",
        "quantize", "elementwise", "gemm", "other", "wait", "idle"}) {
    INFO(name);
    const std::string value = "  --c-" + std::string(name) + ": #";
    const std::size_t light = report_style().find(value);
    REQUIRE(light != std::string_view::npos);
    CHECK(report_style().find(value, light + 1) != std::string_view::npos);
    const std::string rule = ".c-" + std::string(name) + " { --c: var(--c-" + name + "); }";
    CHECK(report_style().contains(rule));
  }
}

}  // namespace
}  // namespace stepscope::analysis
