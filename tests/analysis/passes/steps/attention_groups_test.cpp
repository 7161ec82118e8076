#include "analysis/passes/steps/attention_groups.h"

#include <doctest/doctest.h>

#include <string>

#include "tests/analysis/passes/trace_fixture.h"

using namespace stepscope::analysis;
using namespace stepscope::tests;

namespace {

// One letter a kernel: a attention, g GEMM, m MoE GEMM, n norm.
std::vector<std::size_t> groups_of(const std::string& letters) {
  TraceMaker maker;
  Ns at_ns = 0;
  for (const char letter : letters) {
    maker.add({letter == 'a'   ? "attn"
               : letter == 'g' ? "gemm"
               : letter == 'm' ? "moe"
                               : "norm",
               at_ns++, 1});
  }
  const TraceFixture fixture(maker);
  return attention_groups(fixture.view, fixture.device().events);
}

}  // namespace

TEST_CASE("one group a layer") {
  CHECK(groups_of("ngaggngagg") == std::vector<std::size_t>{2, 7});
  CHECK(groups_of("gamm"
                  "gamm") == std::vector<std::size_t>{1, 5});
}

TEST_CASE("two attention kernels with fewer than two GEMMs between them are one group") {
  CHECK(groups_of("aa") == std::vector<std::size_t>{0});
  CHECK(groups_of("aga") == std::vector<std::size_t>{0});
  CHECK(groups_of("agna"
                  "gga") == std::vector<std::size_t>{0, 6});
}

TEST_CASE("no attention, no group") { CHECK(groups_of("ngng").empty()); }
