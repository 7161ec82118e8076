#include "analysis/passes/accounting/charging.h"

#include <doctest/doctest.h>

#include <array>
#include <utility>
#include <vector>

#include "tests/analysis/passes/trace_fixture.h"

using namespace stepscope::analysis;
using namespace stepscope::tests;

namespace {

// Every event is a row of its own, streams rank as they are numbered.
Charges charge_each(const TraceFixture& fixture, StreamIndex primary, const Interval& window) {
  const std::vector<EventIndex>& events = fixture.device().events;
  const std::vector<std::uint32_t> rows(events.begin(), events.end());
  ChargeOrder order{primary, {}};
  for (std::uint32_t i = 0; i < fixture.device().streams.size(); ++i) {
    order.rank_of_stream.push_back(i);
  }
  return charge_rows(fixture.view, events, rows, static_cast<std::uint32_t>(rows.size()), order,
                     window);
}

}  // namespace

TEST_CASE("a short event inside a longer one of its stream owns nothing") {
  TraceMaker maker;
  maker.add({"long", 0, 10}).add({"inside", 2, 3}).add({"beyond", 8, 5});
  const Charges charges = charge_each(TraceFixture(maker), 0, {0, 20});
  CHECK(charges.row_ns == std::vector<Ns>{10, 0, 3});
  CHECK(charges.idle_ns == 7);
}

TEST_CASE("an event on another stream gets what the primary leaves, before and after") {
  TraceMaker maker;
  maker.add({"side", 0, 30, "2"}).add({"main", 10, 5, "1"}).add({"main", 20, 5, "1"});
  const Charges charges = charge_each(TraceFixture(maker), 0, {0, 30});
  CHECK(charges.row_ns == std::vector<Ns>{20, 5, 5});
  CHECK(charges.idle_ns == 0);
}

TEST_CASE("beside the primary: compute before communication before copy, then the rank") {
  TraceMaker maker;
  // In the order of the table: attn on 5 (0-4), copy on 1 (0-12), nccl on 2 (0-8), gemm on 6 (0-6).
  maker.add({"copy", 0, 12, "1"}).add({"nccl", 0, 8, "2"}).add({"attn", 0, 4, "5"});
  maker.add({"gemm", 0, 6, "6"}).add({"norm", 12, 1, "0"});
  const TraceFixture fixture(maker);
  const Charges charges = charge_each(fixture, 0, {0, 13});
  Ns sum_ns = charges.idle_ns;
  for (const Ns row_ns : charges.row_ns) sum_ns += row_ns;
  CHECK(sum_ns == 13);
  // Sorted by end: attn, gemm, nccl, copy, norm.
  CHECK(charges.row_ns == std::vector<Ns>{4, 2, 2, 4, 1});
}

TEST_CASE("time of communication with compute beside it is told") {
  TraceMaker maker;
  // nccl owns 0-20 as the primary stream. Compute runs in 5-9 and, from two events, in 12-18.
  maker.add({"nccl", 0, 20, "1"}).add({"gemm", 5, 4, "2"});
  maker.add({"gemm", 12, 6, "2"}).add({"gemm", 13, 2, "3"});
  CHECK(charge_each(TraceFixture(maker), 0, {0, 20}).comm_beside_compute_ns == 10);
  // With compute on the primary stream the communication that is hidden there owns nothing.
  CHECK(charge_each(TraceFixture(maker), 1, {0, 20}).comm_beside_compute_ns == 0);
}

TEST_CASE("equal start, end and name: the absent correlation goes first") {
  TraceMaker maker;
  maker.add({"k", 0, 5, "7", 3}).add({"k", 0, 5, "7"}).add({"k", 0, 5, "7", -2});
  TraceFixture fixture(maker);
  std::swap(fixture.trace.device_events.front(), fixture.trace.device_events.back());
  const Charges charges = charge_each(fixture, 0, {0, 5});
  CHECK(fixture.trace.device_events.back().correlation == kNoCorrelation);
  CHECK(charges.row_ns == std::vector<Ns>{0, 0, 5});
}

TEST_CASE("many events under one that outlives them are not kept") {
  // Linear time shows here only as an answer; the claim is that the answer stays right.
  TraceMaker maker;
  maker.add({"main", 0, 100'000, "1"});
  for (Ns i = 0; i < 50'000; ++i) maker.add({"side", 2 * i, 2, "2"});
  maker.add({"side", 100'000, 7, "2"});
  const Charges charges = charge_each(TraceFixture(maker), 0, {0, 100'010});
  Ns sum_ns = charges.idle_ns;
  for (const Ns row_ns : charges.row_ns) sum_ns += row_ns;
  CHECK(sum_ns == 100'010);
  CHECK(charges.row_ns.back() == 7);
  CHECK(charges.idle_ns == 3);
}

TEST_CASE("parts tell instant by instant what the rows tell in sum") {
  TraceMaker maker;
  // side owns 0-10, 15-20 and 25-30; the gap 30-32 is idle; the last part is clipped at 40.
  maker.add({"side", 0, 30, "2"}).add({"main", 10, 5, "1"}).add({"main", 20, 5, "1"});
  maker.add({"late", 32, 20, "1"});
  const TraceFixture fixture(maker);
  const std::vector<ChargedPart> parts =
      charged_parts(fixture.view, fixture.device().events, {0, {0, 1}}, {0, 40});
  using Row = std::array<Ns, 3>;
  std::vector<Row> rows;
  for (const ChargedPart& part : parts) rows.push_back({part.start_ns, part.end_ns, part.at});
  CHECK(rows == std::vector<Row>{
                    {0, 10, 0}, {10, 15, 1}, {15, 20, 0}, {20, 25, 2}, {25, 30, 0}, {32, 40, 3}});
}

TEST_CASE("two stretches of one event without a break are one part") {
  TraceMaker maker;
  maker.add({"long", 0, 10}).add({"inside", 2, 3});
  const TraceFixture fixture(maker);
  const std::vector<ChargedPart> parts =
      charged_parts(fixture.view, fixture.device().events, {0, {0}}, {0, 10});
  REQUIRE(parts.size() == 1);
  CHECK(parts[0].end_ns == 10);
}
