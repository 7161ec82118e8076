#include <doctest/doctest.h>

#include "analysis/reports/report_sections.h"
#include "tests/analysis/reports/table_sums.h"
#include "tests/support/sample_breakdown.h"

namespace stepscope::analysis {
namespace {

TEST_CASE("phases and kinds add up as printed") {
  const ShownStep shown = tests::sample_breakdown().shown.front();
  const auto section = layers_section(shown);
  REQUIRE(section);
  // 23158 + 7851188 + 20661 = 7895007: floors to 1 us sum to 7894, one left for .661
  CHECK(section->title == "Phases and layers: head 0.023, 61 layers 7.851, tail 0.021 ms");
  const std::vector<Table> tables = tests::tables_of(*section);
  REQUIRE(tables.size() == 2);
  CHECK(tests::column(tables[0], 0) ==
        std::vector<std::string>{"head", "layers", "tail", "one decode step"});
  for (const std::size_t number : {1U, 2U, 3U}) {
    CHECK(tests::printed_sum(tables[0], number) ==
          tests::printed(tests::column(tables[0], number).back()));
  }
  CHECK(tests::column(tables[0], 4)[0] == "memcpy 0.003");
  // 2702417 + 1392508 = 4094925 ns of GEMM in two components
  CHECK(tests::column(tables[0], 4)[1] ==
        "gemm-dense 4.095, comm-allreduce-nccl 1.490, attention-mla 0.776");

  CHECK(tests::column(tables[1], 0) == std::vector<std::string>{"1", "2–3", "4–61", "61 layers"});
  CHECK(tests::column(tables[1], 2) ==
        std::vector<std::string>{"9", "10", "10 + 3 on stream 461", ""});
  // 58 layers: 57 x 124109 + 124270 = 7198483; mean 124111.8; median x 58 = 7198322
  CHECK(tests::column(tables[1], 3)[2] == "124.1");
  CHECK(tests::column(tables[1], 5)[2] == "124.1–124.3");
  CHECK(tests::column(tables[1], 7)[2] == "7.198");
  CHECK(tests::column(tables[1], 8)[2] == "7.198");
  CHECK(tests::printed_sum(tables[1], 8) == 7851);
}

TEST_CASE("a split head is one in the title, kinds that take turns say how many they are") {
  ShownStep shown = tests::sample_breakdown().shown.front();
  shown.phases.front().name = "head.setup";
  shown.phases.insert(shown.phases.begin() + 1, {"head.collective", 0, 100'000, {}, {}});
  shown.layers->kinds[1].last = 5;
  shown.layers->outliers = {{12, 300'100, 124'109}};
  const auto section = layers_section(shown);
  CHECK(section->title == "Phases and layers: head 0.123, 61 layers 7.851, tail 0.021 ms");
  const std::vector<Table> tables = tests::tables_of(*section);
  CHECK(tests::column(tables[0], 0)[1] == "head, collective");
  CHECK(tests::column(tables[1], 0)[1] == "2–6, 2 of them");
  CHECK(tests::paragraph(*section, 3) ==
        "Layers that stand out from their kind: layer 13 with 300.1 µs (median of its kind 124.1 "
        "µs).");
}

TEST_CASE("why there are no layers is said") {
  ShownStep shown;
  CHECK_FALSE(layers_section(shown));
  shown.no_layers_reason = "fewer than 3 attention groups";
  const auto section = layers_section(shown);
  REQUIRE(section);
  CHECK(section->title == "Phases and layers: none");
  CHECK(tests::paragraph(*section, 0) ==
        "No layers were found (fewer than 3 attention groups), so there are no phases.");
}

}  // namespace
}  // namespace stepscope::analysis
