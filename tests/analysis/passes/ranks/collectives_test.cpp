#include "analysis/passes/ranks/collectives.h"

#include <doctest/doctest.h>

#include <algorithm>

#include "tests/analysis/passes/rank_fixture.h"

using namespace stepscope::analysis;
using namespace stepscope::tests;

namespace {

const std::string kReduce = "ncclDevKernel_AllReduce_Sum_bf16_RING_LL";
const std::string kGeneric = "ncclDevKernel_Generic_1(ncclDevKernelArgsStorage<4096ul>)";
const std::string kLamport =
    "void flashinfer::trtllm_allreduce_fusion::allreduce_fusion_kernel_oneshot_lamport<16>";

KernelArgs collective_args(const std::string& collective, const std::string& group = "") {
  KernelArgs args;
  args.collective = collective;
  args.group = group;
  return args;
}

std::vector<Ns> waits_of(const Collectives& figures) {
  std::vector<Ns> waits_ns;
  for (const CollectiveRank& rank : figures.by_rank) waits_ns.push_back(rank.wait_ns);
  return waits_ns;
}

std::vector<Ns> transfers_of(const Collectives& figures) {
  std::vector<Ns> transfers_ns;
  for (const CollectiveRank& rank : figures.by_rank) transfers_ns.push_back(rank.transfer_ns);
  return transfers_ns;
}

}  // namespace

TEST_CASE("wait until the last arrival, transfer after it; the late rank is named") {
  // Call 1: arrivals 100, 350, 200: last 350 by rank 1; ends 400, 402, 401.
  // Call 2: arrivals 1000 on ranks 0 and 2 and 990 on rank 1: a tie, the lowest is late.
  RankMaker run(3);
  run.call(0, 100, 400).call(1, 350, 402).call(2, 200, 401);
  run.call(0, 1000, 1100).call(1, 990, 1100).call(2, 1000, 1100);
  const RankFixture fixture(run.maker);
  const auto match = fixture.match();
  REQUIRE(match);
  const Collectives& figures = match->figures;
  CHECK(figures.ranks == 3);
  CHECK(figures.world_size == 3);
  CHECK(figures.complete);
  CHECK(figures.matched == 2);
  CHECK(figures.unmatched == 0);
  CHECK(waits_of(figures) == std::vector<Ns>{250, 10, 150});
  CHECK(transfers_of(figures) == std::vector<Ns>{150, 152, 151});
  CHECK(figures.by_rank[0].late_calls == 1);
  CHECK(figures.by_rank[1].late_calls == 1);
  CHECK(figures.by_rank[2].late_calls == 0);
  CHECK(figures.largest_wait_ns == 250);
  CHECK(figures.largest_release_spread_ns == 2);
  CHECK(figures.long_calls.empty());
  REQUIRE(figures.calls.size() == 2);
  const CollectiveCall& first = figures.calls[0];
  CHECK(first.kind == "AllReduce");
  CHECK(first.group == "stream 7");
  CHECK(first.name == kReduce);
  CHECK(first.start_ns == 0);  // the origin of the trace is 100
  CHECK(first.last_arrival_ns == 250);
  CHECK(first.max_wait_ns == 250);
  CHECK(first.shortest_ns == 50);
  CHECK(first.release_spread_ns == 2);
  CHECK(first.late_rank == 1);
  CHECK(first.shown_wait_ns == match->waits[0][0].wait_ns);
  CHECK(first.shown_transfer_ns == 50);
  CHECK(figures.calls[1].late_rank == 0);
  REQUIRE(match->waits[0].size() == 2);
  CHECK(match->waits[0][0].last_arrival_ns == 350);
  CHECK(match->waits[0][0].wait_ns == 250);
  CHECK(match->waits[0][0].transfer_ns == 50);
}

TEST_CASE("an offset between clocks is no wait, and times go back to the clocks they came from") {
  // Rank 1's clock is 50 us ahead. In the common clock: arrivals k + 0 and k + 2 us, ends k + 10.
  RankMaker run(2);
  for (Ns k = 1; k <= 3; ++k) {
    const Ns at = k * 1'000'000;
    run.call(0, at, at + 10'000).call(1, at + 52'000, at + 60'000);
  }
  const RankFixture fixture(run.maker);
  const auto match = fixture.match(1);
  REQUIRE(match);
  CHECK(match->figures.matched == 3);
  CHECK(waits_of(match->figures) == std::vector<Ns>{6'000, 0});
  CHECK(transfers_of(match->figures) == std::vector<Ns>{24'000, 24'000});
  CHECK(match->figures.by_rank[1].clock_offset_ns == 50'000);
  CHECK(match->figures.release_mad_ns == 0);
  // In the clock of rank 1, which is shown: the origin is rank 0's first call.
  CHECK(match->figures.calls[0].start_ns == 50'000);
  CHECK(match->figures.calls[0].last_arrival_ns == 52'000);
  CHECK(match->waits[0][0].last_arrival_ns == 1'002'000);
  CHECK(match->waits[1][0].last_arrival_ns == 1'052'000);
}

TEST_CASE("two kinds of RCCL's generic kernel on one stream do not get mixed up") {
  // Rank 1 lost its first all-gather. By order alone all later calls would be paired wrongly.
  RankMaker run(2);
  for (Ns k = 0; k < 3; ++k) {
    const Ns at = k * 1'000;
    run.call(0, at, at + 100, kGeneric, "7", collective_args("allreduce"));
    run.call(1, at + 40, at + 100, kGeneric, "7", collective_args("allreduce"));
    run.call(0, at + 500, at + 600, kGeneric, "7", collective_args("allgather"));
    if (k > 0) run.call(1, at + 560, at + 600, kGeneric, "7", collective_args("allgather"));
  }
  const RankFixture fixture(run.maker);
  const auto match = fixture.match();
  REQUIRE(match);
  CHECK(match->figures.matched == 5);
  CHECK(match->figures.unmatched == 1);
  CHECK(waits_of(match->figures) == std::vector<Ns>{3 * 40 + 2 * 60, 0});
  std::vector<std::string> kinds;
  for (const CollectiveCall& call : match->figures.calls) kinds.push_back(call.kind);
  CHECK(kinds ==
        std::vector<std::string>{"allreduce", "allreduce", "allgather", "allreduce", "allgather"});
}

TEST_CASE("two process groups of two ranks each on one stream are matched on their own") {
  RankMaker run(4);
  for (int rank = 0; rank < 4; ++rank) {
    KernelArgs args = collective_args("allreduce", rank < 2 ? "1" : "2");
    args.group_ranks = rank < 2 ? "[0, 1]" : "[2, 3]";
    args.dtype = "BFloat16";
    args.in_elements = 1'000;
    // Groups work at different times; the second rank of each is 30 late.
    const Ns at = (rank < 2 ? 0 : 5'000) + (rank % 2) * 30;
    run.call(rank, at, rank < 2 ? 100 : 5'100, kGeneric, "7", args);
  }
  const RankFixture fixture(run.maker);
  const auto match = fixture.match();
  REQUIRE(match);
  CHECK(match->figures.matched == 2);
  CHECK(match->figures.unmatched == 0);
  CHECK(waits_of(match->figures) == std::vector<Ns>{30, 0, 30, 0});
  CHECK(match->figures.calls[0].group == "group 1");
  CHECK(match->figures.calls[0].late_rank == 1);
  CHECK(match->figures.calls[0].bytes == 2'000);
  CHECK(match->figures.calls[1].group == "group 2");
  CHECK(match->figures.calls[1].late_rank == 3);
}

TEST_CASE("custom all-reduces are calls like NCCL's; other kernels are none") {
  RankMaker run(2);
  for (int rank = 0; rank < 2; ++rank) {
    run.call(rank, rank * 20, 100, kLamport);
    run.call(rank, 200 + rank * 20, 300, "sglang::cross_device_reduce_1stage<__nv_bfloat16, 2>");
    run.call(rank, 400, 500, "nvjet_tst_128x64");
    run.call(rank, 600 + rank * 20, 700, "void deep_ep::internode_ll::dispatch<true, false, 7168>");
  }
  const RankFixture fixture(run.maker);
  const auto match = fixture.match();
  REQUIRE(match);
  CHECK(match->figures.matched == 3);
  CHECK(waits_of(match->figures) == std::vector<Ns>{60, 0});
  CHECK(match->figures.calls[1].kind == "sglang::cross_device_reduce_1stage<__nv_bfloat16, 2>");
}

TEST_CASE("labels of a merged file take the place of rank numbers") {
  TraceMaker maker;
  const ScopeId first = maker.scope(0, "merged.json", "TP00-EP00");
  const ScopeId second = maker.scope(1, "merged.json", "TP01-EP01");
  maker.add({.name = kReduce, .start_ns = 0, .dur_ns = 100, .scope = first});
  maker.add({.name = kReduce, .start_ns = 70, .dur_ns = 30, .scope = second});
  const RankFixture fixture(maker);
  const auto match = fixture.match();
  REQUIRE(match);
  CHECK(match->figures.by_rank[0].label == "TP00-EP00");
  CHECK(match->figures.by_rank[0].wait_ns == 70);
  CHECK(match->figures.calls[0].late_label == "TP01-EP01");
  CHECK(match->figures.calls[0].late_rank == 1);
  CHECK(rank_name(fixture.ranks[1]) == "TP01-EP01");
}

TEST_CASE("one rank: no wait is told, calls above 10 medians of their kind are") {
  // The first pair of the golden step: 13.665 and 0.060 ms; the lower median of two is the smaller.
  // Of three all-gathers the median is 1000, and 10000 is not above 10 of them.
  RankMaker run(1);
  run.call(0, 1'000, 13'666'000).call(0, 14'000'000, 14'060'000);
  for (const Ns dur_ns : {900, 1'000, 10'000}) {
    run.call(0, 20'000'000 + dur_ns * 10, 20'000'000 + dur_ns * 11,
             "ncclDevKernel_AllGather_RING_LL", "9");
  }
  run.call(0, 30'000'000, 39'000'000, "ncclDevKernel_Broadcast_RING_LL");  // the only one
  const RankFixture fixture(run.maker);
  const auto match = fixture.match();
  REQUIRE(match);
  CHECK(match->figures.ranks == 1);
  CHECK(match->figures.matched == 0);
  CHECK(match->figures.unmatched == 0);
  CHECK(match->figures.by_rank.empty());
  CHECK(match->waits.at(0).empty());
  REQUIRE(match->figures.long_calls.size() == 1);
  const LongCall& found = match->figures.long_calls[0];
  CHECK(found.name == kReduce);
  CHECK(found.stream == "7");
  CHECK(found.start_ns == 0);
  CHECK(found.dur_ns == 13'665'000);
  CHECK(found.kind_median_ns == 60'000);
}

TEST_CASE("a rank without calls is left out, and one that is missing makes the set incomplete") {
  RankMaker run(3);
  run.call(0, 0, 100).call(1, 50, 100).call(2, 0, 100, "nvjet_tst_64x8");
  const RankFixture fixture(run.maker);
  const auto match = match_collectives(fixture.view, fixture.ranks, 2, 4);
  REQUIRE(match);
  CHECK(match->figures.ranks == 2);
  CHECK(!match->figures.complete);
  CHECK(match->figures.matched == 1);
  CHECK(waits_of(match->figures) == std::vector<Ns>{50, 0});
  CHECK(match->waits[2].empty());
}

TEST_CASE("clocks that can not be aligned give no figures, but the long calls of the shown rank") {
  // Two calls a rank, an hour apart: too few to measure an offset.
  RankMaker run(2);
  const Ns hour_ns = 3'600'000'000'000;
  run.call(0, 0, 2'000).call(0, 3'000, 3'100);
  run.call(1, hour_ns, hour_ns + 100).call(1, hour_ns + 3'000, hour_ns + 3'100);
  const RankFixture fixture(run.maker);
  const auto match = fixture.match();
  REQUIRE(match);
  CHECK(match->figures.matched == 0);
  CHECK(match->figures.unmatched == 4);
  CHECK(match->figures.by_rank.empty());
  CHECK(match->figures.largest_wait_ns == 0);
  REQUIRE(match->figures.long_calls.size() == 1);
  CHECK(match->figures.long_calls[0].dur_ns == 2'000);
}

TEST_CASE("clocks decades apart: every call is unmatched") {
  RankMaker run(2);
  const Ns century_ns = 3'155'760'000'000'000'000;
  run.call(0, 0, 100).call(0, 200, 300);
  run.call(1, century_ns, century_ns + 100);
  const RankFixture fixture(run.maker);
  const auto match = fixture.match();
  REQUIRE(match);
  CHECK(match->figures.matched == 0);
  CHECK(match->figures.unmatched == 3);
}

TEST_CASE("no communication on any rank: nothing to tell") {
  RankMaker run(2);
  run.call(0, 0, 100, "nvjet_tst_64x8").call(1, 0, 100, "nvjet_tst_64x8");
  const RankFixture fixture(run.maker);
  CHECK(!fixture.match());
  CHECK(!match_collectives(fixture.view, {}, 0, {}));
}
