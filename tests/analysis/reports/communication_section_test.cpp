#include <doctest/doctest.h>

#include "analysis/reports/report_sections.h"
#include "tests/analysis/reports/table_sums.h"
#include "tests/support/sample_breakdown.h"

namespace stepscope::analysis {
namespace {

TEST_CASE("charged, exposed, overlapped and hidden are told apart") {
  const ShownStep shown = tests::sample_breakdown().shown.front();
  const CommunicationFigures comm = communication_figures(shown.accounting);
  CHECK(comm.calls == 121);
  CHECK(comm.charged == 1'490'222);
  CHECK(comm.exposed == 1'200'111);  // 1490222 - 290111
  CHECK(comm.overlapped == 290'111);
  CHECK(comm.busy == 1'490'222);
  CHECK(comm.hidden == 0);  // all on the critical stream
  CHECK(comm.beside_compute == 290'111);
  CHECK(
      tests::text_of(communication_line(shown)) ==
      "Communication: 1.490 ms charged, of which 0.290 ms had compute running beside it; 1.200 ms "
      "exposed (no compute at that instant), 0.290 ms overlapped, 121 calls.");
}

TEST_CASE("communication on a side stream is hidden") {
  Accounting accounting;
  accounting.window_ns = 1'000;
  accounting.kernels.resize(1);
  accounting.kernels[0].device_class = DeviceClass::comm;
  accounting.kernels[0].calls = 1;
  accounting.kernels[0].sum_ns = 600;
  accounting.kernels[0].busy_ns = 600;
  accounting.comm_total_ns = 600;
  accounting.comm_hidden_ns = 600;
  const CommunicationFigures comm = communication_figures(accounting);
  CHECK(comm.hidden == 600);
  CHECK(comm.beside_compute == 0);
}

TEST_CASE("no communication is said in words") {
  CHECK(tests::text_of(communication_line(ShownStep{})) ==
        "Communication: none recognised in this step.");
}

TEST_CASE("the table of measures closes and long lists of kernels are folded") {
  ShownStep shown = tests::sample_breakdown().shown.front();
  for (int i = 0; i < 9; ++i) {
    KernelRow row;
    row.name = "ring_" + std::to_string(i);
    row.stream = "39";
    row.device_class = DeviceClass::comm;
    row.calls = 2;
    row.sum_ns = 1'000 + i;
    shown.accounting.kernels.push_back(row);
  }
  const Section section = communication_section(shown, {.kernel_rows = 25, .list_rows = 4});
  const std::vector<Table> tables = tests::tables_of(section);
  REQUIRE(tables.size() == 2);
  CHECK(tests::column(tables[0], 1)[0] == "1.200");
  CHECK(tests::column(tables[0], 1)[1] == "0.290");
  CHECK(tests::column(tables[0], 1)[2] == "1.490");
  CHECK(tables[1].rows.size() == 5);
  CHECK(tests::column(tables[1], 0).back() == "other (6 rows)");
  CHECK(tests::column(tables[1], 2).back() == "12");
}

}  // namespace
}  // namespace stepscope::analysis
