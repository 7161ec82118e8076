#include "workers/recipes/op_stream.h"

#include <doctest/doctest.h>

using namespace stepscope::workers;

TEST_CASE("operations of a stream run in the order of their launches, one after the other") {
  OpStream stream(3);
  std::vector<int> order;
  std::vector<TimedLaunch> launches;
  for (int i = 0; i < 50; ++i) {
    launches.push_back(stream.launch("op", i, [&order, i] { order.push_back(i); }));
  }
  stream.record()->wait();
  REQUIRE(order.size() == 50);
  const auto ops = stream.take_ops();
  REQUIRE(ops.size() == 50);
  for (std::size_t i = 0; i < ops.size(); ++i) {
    CHECK(order[i] == static_cast<int>(i));
    CHECK(ops[i].correlation == static_cast<std::int64_t>(i));
    CHECK(ops[i].stream == 3);
    CHECK(ops[i].start_ns >= launches[i].start_ns);
    if (i > 0) CHECK(ops[i].start_ns >= ops[i - 1].start_ns + ops[i - 1].dur_ns);
  }
  CHECK(stream.take_ops().empty());
}

TEST_CASE("a stream that waits for an event starts after what the other stream did before it") {
  OpStream first(1);
  OpStream second(2);
  int value = 0;
  std::latch go(1);
  int seen = 0;
  first.launch("set", 1, [&] {
    go.wait();
    value = 42;
  });
  second.wait(first.record());
  second.launch("read", 2, [&] { seen = value; });
  go.count_down();
  second.record()->wait();
  CHECK(seen == 42);
  // Waiting for an event is no operation: it is not timed.
  CHECK(second.take_ops().size() == 1);
}

TEST_CASE("a stream that goes finishes what was launched") {
  int done = 0;
  {
    OpStream stream(1);
    for (int i = 0; i < 10; ++i) stream.launch("op", i, [&done] { ++done; });
  }
  CHECK(done == 10);
}
