#include "analysis/reports/html/html_kernels.h"

#include <doctest/doctest.h>

#include <string>

namespace stepscope::analysis {
namespace {

KernelRow kernel(std::string name, Ns charged, Ns sum) {
  KernelRow row;
  row.stream = "7";
  row.name = std::move(name);
  row.category = "gemm-dense";
  row.calls = 2;
  row.charged_ns = charged;
  row.sum_ns = sum;
  row.min_ns = 1100;
  row.median_ns = 1200;
  row.max_ns = 3000;
  return row;
}

// 1 + 6 charged and 3 idle of 10 ms.
ShownStep two_kernels() {
  ShownStep shown;
  shown.accounting.window_ns = 10'000'000;
  shown.accounting.idle_ns = 3'000'000;
  shown.accounting.kernels = {kernel("void a<int>(int*)", 1'000'000, 2'000'000),
                              kernel("b<x>&", 6'000'000, 6'000'000)};
  return shown;
}

TEST_CASE("every kernel by charged time with its whole name; the columns add up") {
  const std::string html = all_kernels(two_kernels());
  CHECK(html.starts_with(
      "<details><summary>All kernels with their whole names (2 rows)</summary>\n<table>\n"));
  const std::string first =
      "<tr><td><details class=\"name\" data-kernel=\"1\"><summary><code>b&lt;x&gt;&amp;</code>"
      "</summary><code>b&lt;x&gt;&amp;</code></details></td><td>7</td><td>gemm-dense</td>"
      "<td class=\"number\">2</td><td class=\"number\">6.000</td><td class=\"number\">60.0</td>"
      "<td class=\"number\">6.000</td><td class=\"number\">1.1</td><td class=\"number\">1.2</td>"
      "<td class=\"number\">3.0</td></tr>\n";
  CHECK(html.contains("<tbody>\n" + first));
  CHECK(html.contains("<code>void a&lt;int&gt;(int*)</code></details>"));
  CHECK(
      html.contains("<tr><td>idle</td><td></td><td></td><td class=\"number\"></td>"
                    "<td class=\"number\">3.000</td><td class=\"number\">30.0</td>"));
  CHECK(
      html.contains("<tr class=\"total\"><td><strong>all</strong></td><td></td><td></td>"
                    "<td class=\"number\">4</td><td class=\"number\">10.000</td>"
                    "<td class=\"number\">100.0</td>"));
}

TEST_CASE("roles and shapes have columns where a kernel has one") {
  ShownStep shown = two_kernels();
  CHECK_FALSE(all_kernels(shown).contains("<th>role"));
  CHECK_FALSE(all_kernels(shown).contains("<th>shape"));
  shown.accounting.kernels[0].roles = {{"o_proj", "attention", 1, 900, ""}, {"", "", 1, 100, ""}};
  shown.accounting.kernels[0].shapes = {{"M 4, N <2>", "grid", 1}, {"M 8", "grid", 1}};
  const std::string html = all_kernels(shown);
  CHECK(html.contains("<th>role × calls</th><th>shape</th>"));
  CHECK(html.contains("<td>o_proj × 1</td><td>M 4, N &lt;2&gt; (grid), 1 more</td>"));
  CHECK(html.contains("<td>gemm-dense</td><td></td><td></td><td class=\"number\">2</td>"));
}

TEST_CASE("what is beyond 1,000 rows is folded into one that stays in the sum") {
  ShownStep shown = two_kernels();
  // 1,002 kernels of 1 µs; the last two are folded. Idle fills the rest of 10 ms.
  shown.accounting.kernels.assign(1002, kernel("k", 1000, 1000));
  shown.accounting.idle_ns = 10'000'000 - 1'002'000;
  const std::string html = all_kernels(shown);
  CHECK(html.contains("data-kernel=\"999\""));
  CHECK_FALSE(html.contains("data-kernel=\"1000\""));
  CHECK(
      html.contains("<tr class=\"rest\"><td>other (2 rows)</td><td></td><td></td>"
                    "<td class=\"number\">4</td><td class=\"number\">0.002</td>"));
  CHECK(html.contains("<td class=\"number\">2 004</td><td class=\"number\">10.000</td>"));
  shown.accounting.kernels.pop_back();
  CHECK_FALSE(all_kernels(shown).contains("other ("));  // one row takes no more room than its fold
  CHECK(all_kernels(ShownStep()).empty());
}

}  // namespace
}  // namespace stepscope::analysis
