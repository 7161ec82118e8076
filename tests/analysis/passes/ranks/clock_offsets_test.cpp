#include "analysis/passes/ranks/clock_offsets.h"

#include <doctest/doctest.h>

#include "tests/analysis/passes/rank_fixture.h"

using namespace stepscope::analysis;
using namespace stepscope::tests;

namespace {

const std::string kCall = "ncclDevKernel_AllReduce_Sum_bf16_RING_LL";

ClockOffsets offsets_of(const RankFixture& fixture) {
  return clock_offsets(fixture.view, queue_calls(fixture.view, fixture.ranks),
                       fixture.ranks.size());
}

// Rank 0 ends call k at 1000 k us; the others that and `late_us[rank - 1][k]` later.
RankMaker run_with(const std::vector<std::vector<Ns>>& late_us) {
  RankMaker run(static_cast<int>(late_us.size()) + 1);
  for (std::size_t k = 0; k < late_us[0].size(); ++k) {
    const Ns end_ns = (static_cast<Ns>(k) + 1) * 1'000'000;
    run.call(0, end_ns - 10'000, end_ns);
    for (std::size_t r = 0; r < late_us.size(); ++r) {
      const Ns own_ns = end_ns + late_us[r][k] * 1000;
      run.call(static_cast<int>(r) + 1, own_ns - 10'000, own_ns);
    }
  }
  return run;
}

}  // namespace

TEST_CASE("a constant offset is measured against the lower median of the ranks, and taken off") {
  // Ends relative to rank 0: 0, 8, -20 us in each call: the median is rank 0's.
  const RankFixture fixture(run_with({{8, 8, 8}, {-20, -20, -20}}).maker);
  const ClockOffsets offsets = offsets_of(fixture);
  CHECK(offsets.measured_ns == std::vector<Ns>{0, 8'000, -20'000});
  CHECK(offsets.applied_ns == offsets.measured_ns);
  CHECK(offsets.mad_ns == 0);
}

TEST_CASE("an offset of 5 us or less, or within 3 median deviations, is left") {
  // Two ranks: the lower median is the earlier end. Rank 1 is late by 5: rank 1's differences 5.
  const RankFixture small(run_with({{5, 5, 5}}).maker);
  CHECK(offsets_of(small).measured_ns == std::vector<Ns>{0, 5'000});
  CHECK(offsets_of(small).applied_ns == std::vector<Ns>{0, 0});

  // Differences 20, 30, 40, 50, 60: median 40; deviations 20, 10, 0, 10, 20: median 10; 40 > 30.
  const RankFixture drifting(run_with({{20, 30, 40, 50, 60}}).maker);
  CHECK(offsets_of(drifting).applied_ns == std::vector<Ns>{0, 40'000});
  CHECK(offsets_of(drifting).mad_ns == 10'000);

  // 15, 30, 45, 60, 75: median 45; deviations 30, 15, 0, 15, 30: median 15; 45 is not above 45.
  const RankFixture wild(run_with({{15, 30, 45, 60, 75}}).maker);
  CHECK(offsets_of(wild).measured_ns == std::vector<Ns>{0, 45'000});
  CHECK(offsets_of(wild).applied_ns == std::vector<Ns>{0, 0});
  CHECK(offsets_of(wild).mad_ns == 15'000);
}

TEST_CASE("fewer than 3 paired calls measure nothing") {
  const RankFixture two(run_with({{100, 100}}).maker);
  CHECK(offsets_of(two).measured_ns == std::vector<Ns>{0, 0});
  CHECK(!offsets_of(two).mad_ns);

  // 4 calls against 3: they do not pair up by position.
  RankMaker unequal = run_with({{100, 100, 100}});
  unequal.call(0, 9'000'000, 9'010'000);
  const RankFixture fixture(unequal.maker);
  CHECK(!offsets_of(fixture).mad_ns);
}

TEST_CASE("hosts 37 s apart are aligned to the nanosecond") {
  const RankFixture fixture(run_with({{37'000'000, 37'000'000, 37'000'001}}).maker);
  CHECK(offsets_of(fixture).applied_ns == std::vector<Ns>{0, 37'000'000'000});
}

TEST_CASE("pairs of smaller groups count when all ranks together have fewer than 3") {
  RankMaker run(4);
  for (int rank = 0; rank < 4; ++rank) {
    KernelArgs args;
    args.group = rank < 2 ? "1" : "2";
    args.group_ranks = rank < 2 ? "[0, 1]" : "[2, 3]";
    const Ns off_ns = rank == 3 ? 50'000 : 0;
    for (Ns at = 0; at < 300'000; at += 100'000) {
      run.call(rank, at + off_ns, at + off_ns + 10'000, kCall, "7", args);
    }
  }
  const RankFixture fixture(run.maker);
  CHECK(offsets_of(fixture).applied_ns == std::vector<Ns>{0, 0, 0, 50'000});
}

TEST_CASE("clocks decades apart are not compared") {
  RankMaker near(2);
  near.call(0, 0, 10).call(1, 1'700'000'000'000'000'000, 1'700'000'000'000'000'010);  // epoch
  const RankFixture epoch(near.maker);
  CHECK(times_compare(epoch.view, queue_calls(epoch.view, epoch.ranks)));
  RankMaker far(2);
  far.call(0, 0, 10).call(1, 3'100'000'000'000'000'000, 3'100'000'000'000'000'010);
  const RankFixture century(far.maker);
  CHECK(!times_compare(century.view, queue_calls(century.view, century.ranks)));
}
