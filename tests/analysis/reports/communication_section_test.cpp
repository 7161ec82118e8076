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
  const Section section =
      communication_section(shown, nullptr, {.kernel_rows = 25, .list_rows = 4});
  const std::vector<Table> tables = tests::tables_of(section);
  REQUIRE(tables.size() == 2);
  CHECK(tests::column(tables[0], 1)[0] == "1.200");
  CHECK(tests::column(tables[0], 1)[1] == "0.290");
  CHECK(tests::column(tables[0], 1)[2] == "1.490");
  CHECK(tables[1].rows.size() == 5);
  CHECK(tests::column(tables[1], 0).back() == "other (6 rows)");
  CHECK(tests::column(tables[1], 2).back() == "12");
}

TEST_CASE("several ranks: wait and transfer by rank, then the calls that waited longest") {
  const Breakdown breakdown = tests::sample_breakdown();
  const Section section =
      communication_section(breakdown.shown.front(), &*breakdown.collectives, {});
  const std::vector<Table> tables = tests::tables_of(section);
  REQUIRE(tables.size() == 4);
  CHECK(tests::column(tables[1], 1) == std::vector<std::string>{"0.300", "0.000"});
  CHECK(tests::column(tables[1], 2) == std::vector<std::string>{"1.190", "1.190"});
  CHECK(tests::column(tables[1], 3) == std::vector<std::string>{"0 calls", "1 call"});
  CHECK(tests::column(tables[2], 3) == std::vector<std::string>{"0.300"});  // the others wait 0
  CHECK(tests::column(tables[2], 4) == std::vector<std::string>{"1"});
  CHECK(
      tests::paragraph(section, 3) ==
      "121 calls matched over 2 ranks of 2, 0 unmatched; the ranks' ends of a call scatter by 0.2 "
      "µs (largest median absolute deviation), at most 0.9 µs. Wait: until the last rank "
      "arrives; transfer: from then to the own end. Clocks not corrected: offsets are below 5 "
      "us.");
}

TEST_CASE("files are not said to be missing when the trace does not say how many there are") {
  Breakdown breakdown = tests::sample_breakdown();
  Collectives& all = *breakdown.collectives;
  all.world_size.reset();
  all.complete = false;
  all.notes = {"wait is a lower bound if some are missing"};
  const Section section = communication_section(breakdown.shown.front(), &all, {});
  CHECK(tests::paragraph(section, 3) ==
        "121 calls matched over 2 ranks, 0 unmatched; the ranks' ends of a call scatter by 0.2 "
        "µs (largest median absolute deviation), at most 0.9 µs. Wait: until the last rank "
        "arrives; transfer: from then to the own end. Wait is a lower bound if some are missing.");
}

TEST_CASE("one rank: suspects, and that wait can not be told") {
  Breakdown breakdown = tests::sample_breakdown();
  Collectives& all = *breakdown.collectives;
  all.ranks = 1;
  all.by_rank.resize(1);
  all.notes.clear();
  all.long_calls = {{"ncclDevKernel_AllReduce", "39", 1'000'000, 13'665'000, 12'300}};
  const Section section = communication_section(breakdown.shown.front(), &all, {});
  const std::vector<Table> tables = tests::tables_of(section);
  REQUIRE(tables.size() == 3);
  CHECK(tests::column(tables[1], 3) == std::vector<std::string>{"13.665"});
  CHECK(tests::paragraph(section, 2) ==
        "With one rank, waiting for others and transfer cannot be told apart.");
}

}  // namespace
}  // namespace stepscope::analysis
