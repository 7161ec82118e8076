#include "analysis/passes/ranks/collective_notes.h"

#include <doctest/doctest.h>

#include "tests/analysis/passes/rank_fixture.h"

using namespace stepscope::analysis;
using namespace stepscope::tests;

namespace {

std::vector<std::string> notes_of(const RankMaker& run, std::optional<int> world_size) {
  const RankFixture fixture(run.maker);
  const auto match = match_collectives(fixture.view, fixture.ranks, 0, world_size);
  REQUIRE(match);
  return match->figures.notes;
}

// Three calls that rank 1 ends `late_ns` after rank 0, at odd nanoseconds.
RankMaker late_by(const std::vector<Ns>& late_ns, Ns dur_ns = 100'003) {
  RankMaker run(2);
  for (std::size_t k = 0; k < late_ns.size(); ++k) {
    const Ns at = static_cast<Ns>(k) * 1'000'001;
    run.call(0, at, at + dur_ns).call(1, at + late_ns[k], at + late_ns[k] + dur_ns);
  }
  return run;
}

using Notes = std::vector<std::string>;

}  // namespace

TEST_CASE("a whole set of ranks with exact times needs no note") {
  CHECK(notes_of(late_by({0, 0, 0}), 2).empty());
}

TEST_CASE("one rank") {
  RankMaker run(1);
  run.call(0, 0, 1'000);
  CHECK(notes_of(run, 8) == Notes{"waiting and transfer cannot be told from one rank"});
}

TEST_CASE("ranks that are missing, unknown or too many") {
  CHECK(notes_of(late_by({0, 0, 0}), 8) ==
        Notes{"2 of 8 ranks are compared: wait is a lower bound"});
  CHECK(notes_of(late_by({0, 0, 0}), {}) ==
        Notes{"the trace does not say how many ranks there are: wait is a lower bound if some are "
              "missing"});
  CHECK(notes_of(late_by({0, 0, 0}), 1) ==
        Notes{"2 ranks are compared, though the trace says that there are 1"});
}

TEST_CASE("a rank without communication is named") {
  RankMaker run(3);
  run.call(0, 0, 1'001).call(1, 0, 1'001).call(2, 0, 1'001, "nvjet_tst_64x8");
  CHECK(notes_of(run, 3) ==
        Notes{"no communication in this step on rank 2: left out of the comparison",
              "2 of 3 ranks are compared: wait is a lower bound"});
}

TEST_CASE("offsets that are taken off, and those that are not") {
  CHECK(notes_of(late_by({2'500'000, 2'500'000, 2'500'000}), 2) ==
        Notes{"clock offsets are taken off: up to 2.500 ms on rank 1; the largest median absolute "
              "deviation is 0.0 µs"});
  // Differences 10, 20, 40 us: median 20, deviations 10, 0, 20: median 10.
  CHECK(notes_of(late_by({10'000, 20'000, 40'000}), 2) ==
        Notes{"the clock of rank 1 seems 20.0 µs off, but the calls differ by 10.0 µs (median "
              "absolute deviation): not corrected"});
}

TEST_CASE("clocks that can not be aligned, with both figures") {
  // Differences 1, 2, 4 s: median 2 s, deviation 1 s: 2 s is not above 3 of them.
  CHECK(notes_of(late_by({1'000'000'000, 2'000'000'000, 4'000'000'000}), 2) ==
        Notes{"the clocks of the ranks can not be aligned: no call shares an instant on all its "
              "ranks (largest offset 2000.000 ms on rank 1, median absolute deviation 1000.000 "
              "ms); wait and transfer are not told"});
  CHECK(notes_of(late_by({1'000'000'000, 2'000'000'000}), 2) ==
        Notes{"no call shares an instant on all its ranks, and fewer than 3 calls pair up to align "
              "the clocks by; wait and transfer are not told"});
  CHECK(notes_of(late_by({3'200'000'000'000'000'000}), 2) ==
        Notes{"the clocks of the ranks can not be aligned: decades lie between them; wait and "
              "transfer are not told"});
}

TEST_CASE("calls without a partner are counted") {
  RankMaker run = late_by({0, 0, 0});
  run.call(0, 9'000'000, 9'000'001);
  CHECK(notes_of(run, 2) == Notes{"1 call has no partner on all the ranks of its communicator"});
}

TEST_CASE("whole microseconds are said, also when a base adds nanoseconds to every time") {
  RankMaker run(2);
  run.call(0, 123, 5'123).call(1, 2'456, 5'456);
  CHECK(notes_of(run, 2) == Notes{"times are whole microseconds: each wait and transfer is ±1 µs"});
}
