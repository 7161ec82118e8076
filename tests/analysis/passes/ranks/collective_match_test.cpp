#include "analysis/passes/ranks/collective_match.h"

#include <doctest/doctest.h>

#include "tests/analysis/passes/rank_fixture.h"

using namespace stepscope::analysis;
using namespace stepscope::tests;

namespace {

// Starts of the matched calls, match after match; the only queue of the trace.
struct Outcome {
  std::vector<Ns> starts_ns;
  std::int64_t unmatched = 0;
  bool operator==(const Outcome&) const = default;
};

Outcome match(const RankMaker& run, std::vector<Ns> offsets_ns = {}) {
  const RankFixture fixture(run.maker);
  const CallQueues queues = queue_calls(fixture.view, fixture.ranks);
  REQUIRE(queues.queues.size() == 1);
  offsets_ns.resize(fixture.ranks.size());
  const MatchedCalls matched = match_calls({fixture.view, offsets_ns}, queues.queues[0]);
  Outcome outcome{{}, matched.unmatched};
  for (const EventIndex event : matched.events) {
    outcome.starts_ns.push_back(fixture.view.event(event).start_ns);
  }
  return outcome;
}

}  // namespace

TEST_CASE("calls that share an instant match in order") {
  RankMaker run(2);
  run.call(0, 100, 200).call(0, 300, 400).call(1, 150, 200).call(1, 310, 400);
  CHECK(match(run) == Outcome{{100, 150, 300, 310}, 0});
}

TEST_CASE("a call that ended before the last arrival of the others has no partner") {
  // Rank 1 has an extra call at the start, rank 0 one in the middle.
  RankMaker run(2);
  run.call(1, 0, 50);
  run.call(0, 100, 200).call(1, 150, 200);
  run.call(0, 220, 250);
  run.call(0, 300, 400).call(1, 310, 400);
  CHECK(match(run) == Outcome{{100, 150, 300, 310}, 2});
}

TEST_CASE("a call that ends at the instant of the last arrival still shares it") {
  RankMaker touching(2);
  touching.call(0, 0, 100).call(1, 100, 150);
  CHECK(match(touching) == Outcome{{0, 100}, 0});
  RankMaker apart(2);
  apart.call(0, 0, 99).call(1, 100, 150);
  CHECK(match(apart) == Outcome{{}, 2});
}

TEST_CASE("one dropped call uncovers the next, on any rank") {
  // Last arrival 500 drops rank 0's first; its next starts at 600, which drops rank 1's first, and
  // that uncovers 610.
  RankMaker run(3);
  run.call(0, 0, 400).call(0, 600, 700);
  run.call(1, 500, 590).call(1, 610, 700);
  run.call(2, 450, 700);
  CHECK(match(run) == Outcome{{600, 610, 450}, 2});
}

TEST_CASE("calls without duration match at their instant") {
  RankMaker run(2);
  run.call(0, 100, 100).call(1, 100, 100).call(0, 200, 200).call(1, 201, 201);
  CHECK(match(run) == Outcome{{100, 100}, 2});
}

TEST_CASE("times are compared after the offset is taken off") {
  RankMaker run(2);
  run.call(0, 100, 200).call(1, 1'150, 1'200);
  CHECK(match(run) == Outcome{{}, 2});
  CHECK(match(run, {0, 1'000}) == Outcome{{100, 1'150}, 0});
}

TEST_CASE("two calls of one rank in flight at a time are both matched") {
  RankMaker run(2);
  run.call(0, 0, 1'000).call(0, 10, 1'000).call(1, 900, 1'000).call(1, 910, 1'000);
  CHECK(match(run) == Outcome{{0, 900, 10, 910}, 0});
}
