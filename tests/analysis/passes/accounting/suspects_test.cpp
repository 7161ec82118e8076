#include "analysis/passes/accounting/suspects.h"

#include <doctest/doctest.h>

#include "tests/analysis/passes/trace_fixture.h"

using namespace stepscope::analysis;
using namespace stepscope::tests;

namespace {

std::vector<EventIndex> suspects_of(const TraceMaker& maker, Ns window_ns) {
  const TraceFixture fixture(maker);
  std::vector<EventIndex> found;
  for (const Container& each : SuspectFinder(fixture.view, fixture.device()).in_window(window_ns)) {
    found.push_back(each.event);
  }
  return found;
}

// Four calls of k with 10 each; the one at 0 claims `claimed_ns` and has `inside` others after it.
TraceMaker four_calls(Ns claimed_ns, int inside) {
  TraceMaker maker;
  maker.add({"k", 0, claimed_ns});
  for (int i = 0; i < inside; ++i) maker.add({"x", 1 + i * 10, 5});
  for (Ns i = 0; i < 3; ++i) maker.add({"k", 1000 + i * 10, 10});
  return maker;
}

}  // namespace

TEST_CASE("a suspect contains two later events and lasts more than ten times the median") {
  CHECK(suspects_of(four_calls(101, 2), 10'000) == std::vector<EventIndex>{0});
  CHECK(suspects_of(four_calls(100, 2), 10'000).empty());  // ten times is not more than ten times
  CHECK(suspects_of(four_calls(101, 1), 10'000).empty());
}

TEST_CASE("the median is that of the other calls") {
  // Others of the long one: 10, 10, 500. Lower median 10. Of five calls with 500 twice: 10 again.
  TraceMaker maker;
  maker.add({"k", 0, 500}).add({"x", 1, 1}).add({"x", 3, 1});
  maker.add({"k", 1000, 500}).add({"x", 1001, 1}).add({"x", 1003, 1});
  maker.add({"k", 2000, 10}).add({"k", 2010, 10});
  CHECK(suspects_of(maker, 100'000) == std::vector<EventIndex>{0, 3});
  // Three calls of 500 against two of 10: the others' lower median is 10 for none of them, so they
  // are what this kernel takes. Others of a long one: 10, 10, 500, 500 -> 10: suspect after all.
  maker.add({"k", 3000, 500}).add({"x", 3001, 1}).add({"x", 3003, 1});
  CHECK(suspects_of(maker, 100'000).size() == 3);
  // With a fourth the others are 10, 10, 500, 500, 500: median 500.
  maker.add({"k", 4000, 500}).add({"x", 4001, 1}).add({"x", 4003, 1});
  CHECK(suspects_of(maker, 100'000).empty());
}

TEST_CASE("with fewer than three calls: more than half of the window") {
  TraceMaker maker;
  maker.add({"rare", 0, 51}).add({"x", 10, 1}).add({"x", 20, 1}).add({"x", 99, 1});
  CHECK(suspects_of(maker, 100) == std::vector<EventIndex>{0});
  CHECK(suspects_of(maker, 102).empty());
}

TEST_CASE("containment is on one stream, of later events, to the end") {
  TraceMaker other_stream;
  other_stream.add({"rare", 0, 90, "1"}).add({"x", 10, 1, "2"}).add({"x", 20, 1, "2"});
  CHECK(suspects_of(other_stream, 100).empty());
  TraceMaker together;  // starts with it: not later
  together.add({"rare", 0, 90}).add({"x", 0, 1}).add({"x", 20, 1});
  CHECK(suspects_of(together, 100).empty());
  TraceMaker overhang;  // the second ends after it
  overhang.add({"rare", 0, 90}).add({"x", 10, 1}).add({"x", 20, 71});
  CHECK(suspects_of(overhang, 100).empty());
  TraceMaker to_the_end;
  to_the_end.add({"rare", 0, 90}).add({"x", 10, 1}).add({"x", 20, 70});
  CHECK(suspects_of(to_the_end, 100) == std::vector<EventIndex>{0});
  TraceMaker points;  // without duration: inside counts, at its end does not
  points.add({"rare", 0, 90}).add({"x", 10, 0}).add({"x", 90, 0});
  CHECK(suspects_of(points, 100).empty());
  points.add({"x", 89, 0});
  CHECK(suspects_of(points, 100) == std::vector<EventIndex>{0});
}

TEST_CASE("a suspect is clipped to the start of the next event of its stream") {
  TraceMaker maker;
  maker.add({"rare", 0, 90}).add({"y", 2, 5, "8"}).add({"x", 7, 1}).add({"x", 20, 1});
  const TraceFixture fixture(maker);
  const auto found = SuspectFinder(fixture.view, fixture.device()).in_window(100);
  REQUIRE(found.size() == 1);
  CHECK(found[0].next_start_ns == 7);
}

TEST_CASE("within a step a rare event is held against the step") {
  // 60 of a step of 100, but of a file of 10,000: no suspect of the file, one of the step. The
  // call that comes often is judged by its median alone.
  TraceMaker maker;
  maker.add({"rare", 0, 60}).add({"x", 10, 1}).add({"x", 20, 1}).add({"x", 99, 1});
  maker.add({"x", 9'999, 1});
  const TraceFixture fixture(maker);
  const SuspectFinder finder(fixture.view, fixture.device());
  CHECK(finder.in_window(10'000).empty());
  const std::vector<EventIndex> own = {0, 1, 2, 3};
  const auto found = finder.rare_in_step(own, 100);
  REQUIRE(found.size() == 1);
  CHECK(found[0].event == 0);
  CHECK(finder.rare_in_step(own, 120).empty());
}

TEST_CASE("contained events are counted once, zero durations at an end are not inside") {
  TraceMaker maker;
  maker.add({"outer", 0, 10}).add({"in", 2, 3}).add({"deep", 3, 1}).add({"at_end", 10, 0});
  maker.add({"overlap", 9, 5}).add({"together", 20, 5}).add({"together2", 20, 3});
  const TraceFixture fixture(maker);
  CHECK(count_contained(fixture.view, fixture.device()) == 3);  // in, deep, at_end in overlap
  TraceMaker streams;
  streams.add({"outer", 0, 10, "1"}).add({"in", 2, 3, "2"});
  const TraceFixture apart(streams);
  CHECK(count_contained(apart.view, apart.device()) == 0);
}
