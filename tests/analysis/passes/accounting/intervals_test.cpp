#include "analysis/passes/accounting/intervals.h"

#include <doctest/doctest.h>

using namespace stepscope::analysis;

TEST_CASE("an event counts in a window when they share an instant") {
  const Interval window{10, 20};
  CHECK(touches({5, 11}, window));
  CHECK(touches({19, 25}, window));
  CHECK_FALSE(touches({5, 10}, window));
  CHECK_FALSE(touches({20, 25}, window));
  CHECK(touches({10, 10}, window));  // without duration: on the edge is inside
  CHECK(touches({20, 20}, window));
  CHECK_FALSE(touches({21, 21}, window));
}

TEST_CASE("clipping leaves the part inside the window") {
  CHECK(clipped({5, 25}, {10, 20}) == Interval{10, 20});
  CHECK(clipped({12, 15}, {10, 20}) == Interval{12, 15});
}

TEST_CASE("a running union counts what overlaps once") {
  RunningUnion sum;
  sum.add({0, 10});
  sum.add({2, 5});    // inside
  sum.add({8, 12});   // 2 more
  sum.add({12, 12});  // nothing
  sum.add({20, 23});  // 3 more
  CHECK(sum.total_ns() == 15);
}

TEST_CASE("a union works on negative and on absolute times") {
  RunningUnion sum;
  sum.add({-20, -10});
  sum.add({1'700'000'000'000'000'000, 1'700'000'000'000'000'004});
  CHECK(sum.total_ns() == 14);
}

TEST_CASE("a union in parts joins what touches") {
  std::vector<Interval> parts;
  append_to_union(parts, {0, 5});
  append_to_union(parts, {5, 7});
  append_to_union(parts, {6, 6});
  append_to_union(parts, {9, 12});
  append_to_union(parts, {10, 11});
  CHECK(parts == std::vector<Interval>{{0, 7}, {9, 12}});
}
