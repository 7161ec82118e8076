#include "analysis/passes/accounting/accounting.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <random>

#include "tests/analysis/passes/trace_fixture.h"
#include "tests/support/reference_accounting.h"

using namespace stepscope::analysis;
using namespace stepscope::tests;

namespace {

Accounting account_in(const TraceFixture& fixture, const Interval& window) {
  std::vector<EventIndex> inside;
  for (const EventIndex event : fixture.device().events) {
    if (touches(fixture.view.interval(event), window)) inside.push_back(event);
  }
  return account(fixture.view, fixture.device(), inside, window);
}

const KernelRow& row(const Accounting& accounting, const std::string& name,
                     const std::string& stream = "7") {
  const auto found = std::find_if(
      accounting.kernels.begin(), accounting.kernels.end(),
      [&](const KernelRow& each) { return each.name == name && each.stream == stream; });
  REQUIRE(found != accounting.kernels.end());
  return *found;
}

Ns charged_and_idle(const Accounting& accounting) {
  Ns sum_ns = accounting.idle_ns;
  for (const KernelRow& each : accounting.kernels) sum_ns += each.charged_ns;
  return sum_ns;
}

}  // namespace

TEST_CASE("kernels that overlap on one stream: the one that started first owns the instant") {
  // a 0-10; norm 9-12 starts before a ends; c 11-19 before norm ends; a 20-25.
  // Union 0-19 and 20-25 = 24 of 25, sum 10+3+8+5 = 26. Charged: a 10+5, norm 10-12, c 12-19.
  TraceMaker maker;
  maker.add({"gemm_a", 0, 10}).add({"norm_b", 9, 3}).add({"gemm_c", 11, 8}).add({"gemm_a", 20, 5});
  const Accounting result = account_in(TraceFixture(maker), {0, 25});
  CHECK(result.window_ns == 25);
  CHECK(result.busy_ns == 24);
  CHECK(result.idle_ns == 1);
  CHECK(result.kernel_sum_ns == 26);
  CHECK(row(result, "gemm_a").charged_ns == 15);
  CHECK(row(result, "norm_b").charged_ns == 2);
  CHECK(row(result, "gemm_c").charged_ns == 7);
  CHECK(charged_and_idle(result) == 25);
}

TEST_CASE("communication beside compute is overlapped, the rest exposed; copies come last") {
  // compute 2-10 on 0 and 14-20 on 0; communication 6-15 on 5; copies 10-12 and 12-13 on 6.
  // compute 8+6 = 14; comm 9, of which 6-10 and 14-15 = 5 hidden, 10-14 = 4 exposed; copies 3, all
  // beside the communication, so none exposed. Window 2-20: no idle.
  TraceMaker maker;
  maker.add({"gemm", 2, 8, "0"}).add({"moe", 14, 6, "0"}).add({"nccl", 6, 9, "5"});
  maker.add({"copyBuffer", 10, 2, "6"});
  maker.add({"Memcpy", 12, 1, "6", {}, "0", DeviceKind::memcpy});
  const Accounting result = account_in(TraceFixture(maker), {2, 20});
  CHECK(result.classes.compute == 14);
  CHECK(result.classes.comm_exposed == 4);
  CHECK(result.classes.copy_exposed == 0);
  CHECK(result.classes.idle == 0);
  CHECK(result.comm_total_ns == 9);
  CHECK(result.comm_hidden_ns == 5);
  CHECK(result.copy_total_ns == 3);
  CHECK(result.primary_stream == "0");
  CHECK(result.partition.primary == 14);
  CHECK(result.partition.exposed_other == 4);
  CHECK(result.partition.hidden_other == 5);
  CHECK(row(result, "nccl", "5").charged_ns == 4);
  CHECK(row(result, "nccl", "5").busy_ns == 9);
  CHECK(row(result, "copyBuffer", "6").charged_ns == 0);
  CHECK(row(result, "Memcpy", "6").device_class == DeviceClass::copy);
  CHECK(row(result, "Memcpy", "6").category == "memcpy");
}

TEST_CASE("an event without duration is a call of nothing") {
  TraceMaker maker;
  maker.add({"a", 0, 0}).add({"a", 5, 4}).add({"b", 9, 0});
  const Accounting result = account_in(TraceFixture(maker), {0, 9});
  CHECK(result.busy_ns == 4);
  CHECK(result.idle_ns == 5);
  CHECK(row(result, "a").calls == 2);
  CHECK(row(result, "a").min_ns == 0);
  CHECK(row(result, "a").median_ns == 0);  // lower of 0 and 4
  CHECK(row(result, "a").max_ns == 4);
  CHECK(row(result, "b").calls == 1);
  CHECK(row(result, "b").charged_ns == 0);
}

TEST_CASE("the window clips what is counted but not who came first") {
  // Both run when the window opens at 10. b started first, so it owns 10-12, then a has 12-14.
  TraceMaker maker;
  maker.add({"b", 2, 10}).add({"a", 4, 10});
  const Accounting result = account_in(TraceFixture(maker), {10, 15});
  CHECK(row(result, "b").charged_ns == 2);
  CHECK(row(result, "a").charged_ns == 2);
  CHECK(row(result, "a").sum_ns == 4);
  CHECK(result.idle_ns == 1);
}

TEST_CASE("events that start together: the one that ends last, then the first name") {
  TraceMaker maker;
  maker.add({"z", 0, 5}).add({"a", 0, 3}).add({"y", 10, 4}).add({"b", 10, 4});
  const Accounting result = account_in(TraceFixture(maker), {0, 14});
  CHECK(row(result, "z").charged_ns == 5);
  CHECK(row(result, "a").charged_ns == 0);
  CHECK(row(result, "b").charged_ns == 4);
  CHECK(row(result, "y").charged_ns == 0);
}

TEST_CASE("rows of equal sums stand by stream as text, then by name") {
  TraceMaker maker;
  maker.add({"b", 0, 5, "7"}).add({"a", 5, 5, "7"}).add({"c", 10, 5, "22"}).add({"d", 15, 6, "9"});
  const Accounting result = account_in(TraceFixture(maker), {0, 21});
  std::vector<std::string> order;
  for (const KernelRow& kernel : result.kernels) order.push_back(kernel.stream + kernel.name);
  CHECK(order == std::vector<std::string>{"9d", "22c", "7a", "7b"});
}

TEST_CASE("primary stream: compute, then busy time, then calls, then the lower number") {
  TraceMaker comm_is_busier;
  comm_is_busier.add({"nccl", 0, 100, "3"}).add({"a", 0, 10, "20"});
  CHECK(account_in(TraceFixture(comm_is_busier), {0, 100}).primary_stream == "20");

  TraceMaker more_calls;
  more_calls.add({"a", 0, 10, "3"}).add({"a", 0, 5, "20"}).add({"a", 5, 5, "20"});
  CHECK(account_in(TraceFixture(more_calls), {0, 10}).primary_stream == "20");

  TraceMaker equal;  // 9 is a lower number than 10, and a word is no number
  equal.add({"a", 0, 10, "10"}).add({"a", 0, 10, "9"}).add({"a", 0, 10, "0x1"});
  CHECK(account_in(TraceFixture(equal), {0, 10}).primary_stream == "9");

  TraceMaker no_compute;
  no_compute.add({"nccl", 0, 10, "3"}).add({"copy", 0, 11, "4"});
  CHECK(account_in(TraceFixture(no_compute), {0, 11}).primary_stream == "4");
}

TEST_CASE("beside the primary stream: class before busy time before stream number") {
  // Stream 1 is primary and silent from 10 on. 10-20: compute of stream 4 although 3 is busier.
  // 20-30: communication of 3. 30-40: copies of 5 and 6 are equally busy, the lower number owns.
  TraceMaker maker;
  maker.add({"a", 0, 10, "1"}).add({"nccl", 10, 20, "3"}).add({"b", 10, 9, "4"});
  maker.add({"copy", 30, 10, "6"}).add({"copy", 30, 10, "5"}).add({"nccl2", 19, 1, "5"});
  const Accounting result = account_in(TraceFixture(maker), {0, 40});
  CHECK(result.primary_stream == "1");
  CHECK(row(result, "b", "4").charged_ns == 9);
  CHECK(row(result, "nccl", "3").charged_ns == 11);
  CHECK(row(result, "nccl2", "5").charged_ns == 0);
  CHECK(row(result, "copy", "5").charged_ns == 10);
  CHECK(row(result, "copy", "6").charged_ns == 0);
}

TEST_CASE("no events: the window is idle") {
  TraceMaker maker;
  maker.add({"a", 0, 1});
  const Accounting result = account_in(TraceFixture(maker), {5, 9});
  CHECK(result.window_ns == 4);
  CHECK(result.idle_ns == 4);
  CHECK(result.partition.idle == 4);
  CHECK(result.classes.idle == 4);
  CHECK(result.primary_stream.empty());
  CHECK(result.kernels.empty());
}

namespace {

void check_equal(const Accounting& got, const Accounting& want) {
  CHECK(got.window_ns == want.window_ns);
  CHECK(got.busy_ns == want.busy_ns);
  CHECK(got.idle_ns == want.idle_ns);
  CHECK(got.kernel_sum_ns == want.kernel_sum_ns);
  CHECK(got.primary_stream == want.primary_stream);
  CHECK(got.classes.compute == want.classes.compute);
  CHECK(got.classes.comm_exposed == want.classes.comm_exposed);
  CHECK(got.classes.copy_exposed == want.classes.copy_exposed);
  CHECK(got.comm_total_ns == want.comm_total_ns);
  CHECK(got.comm_hidden_ns == want.comm_hidden_ns);
  CHECK(got.comm_beside_compute_ns == want.comm_beside_compute_ns);
  CHECK(got.copy_total_ns == want.copy_total_ns);
  CHECK(got.partition.primary == want.partition.primary);
  CHECK(got.partition.exposed_other == want.partition.exposed_other);
  CHECK(got.partition.hidden_other == want.partition.hidden_other);
  REQUIRE(got.streams.size() == want.streams.size());
  for (std::size_t i = 0; i < got.streams.size(); ++i) {
    CHECK(got.streams[i].stream == want.streams[i].stream);
    CHECK(got.streams[i].calls == want.streams[i].calls);
    CHECK(got.streams[i].sum_ns == want.streams[i].sum_ns);
    CHECK(got.streams[i].busy_ns == want.streams[i].busy_ns);
  }
  REQUIRE(got.kernels.size() == want.kernels.size());
  for (std::size_t i = 0; i < got.kernels.size(); ++i) {
    const KernelRow& a = got.kernels[i];
    const KernelRow& b = want.kernels[i];
    CHECK(a.stream == b.stream);
    CHECK(a.name == b.name);
    CHECK(a.device_class == b.device_class);
    CHECK(a.calls == b.calls);
    CHECK(a.sum_ns == b.sum_ns);
    CHECK(a.busy_ns == b.busy_ns);
    CHECK(a.charged_ns == b.charged_ns);
    CHECK(a.min_ns == b.min_ns);
    CHECK(a.median_ns == b.median_ns);
    CHECK(a.max_ns == b.max_ns);
  }
}

// Few distinct times, so that ties, touching edges and zero durations are common.
std::vector<DeviceEventSpec> random_events(std::mt19937& random) {
  static const std::vector<std::string> kStreams = {"7", "10", "9", "-1", "default", "0x2"};
  static const std::vector<std::string> kNames = {"a", "b", "nccl", "nccl2", "copy", "gemm"};
  const auto below = [&](std::size_t bound) { return static_cast<Ns>(random() % bound); };
  const auto streams = 1 + random() % kStreams.size();
  const std::size_t horizon = 1 + random() % 60;
  std::vector<DeviceEventSpec> events(1 + random() % 25);
  for (DeviceEventSpec& event : events) {
    event.name = kNames[random() % kNames.size()];
    event.stream = kStreams[random() % streams];
    event.start_ns = 1'700'000'000'000'000'000 + below(horizon);
    event.dur_ns = random() % 4 == 0 ? 0 : below(1 + horizon / 2);
    if (random() % 2 == 0) event.correlation = below(4);
  }
  return events;
}

}  // namespace

TEST_CASE("the sweep equals the slow accounting on random sets of events") {
  std::mt19937 random(20240607);
  for (int round = 0; round < 4000; ++round) {
    CAPTURE(round);
    TraceMaker maker;
    std::vector<ReferenceEvent> reference;
    Ns first_ns = std::numeric_limits<Ns>::max();
    Ns last_ns = std::numeric_limits<Ns>::min();
    for (const DeviceEventSpec& event : random_events(random)) {
      maker.add(event);
      const Ns end_ns = event.start_ns + event.dur_ns;
      reference.push_back({event.name, event.stream, event.start_ns, end_ns, event.correlation,
                           test_category(event.name).device_class});
      first_ns = std::min(first_ns, event.start_ns);
      last_ns = std::max(last_ns, end_ns);
    }
    Interval window{first_ns, last_ns};
    if (round % 2 == 1) {  // half of them cut somewhere
      window.start_ns += static_cast<Ns>(random() % 10);
      window.end_ns = std::max(window.start_ns, window.end_ns - static_cast<Ns>(random() % 10));
    }
    const TraceFixture fixture(maker);
    const Accounting got = account_in(fixture, window);
    check_equal(got, reference_account(reference, window.start_ns, window.end_ns));
    CHECK(charged_and_idle(got) == window.length_ns());
    CHECK(got.classes.compute + got.classes.comm_exposed + got.classes.copy_exposed +
              got.classes.idle ==
          window.length_ns());
    CHECK(got.partition.primary + got.partition.exposed_other + got.partition.idle ==
          window.length_ns());
    const auto primary =
        primary_stream(fixture.view, fixture.device(), fixture.device().events, window);
    if (round % 2 == 0) CHECK(fixture.device().streams[primary.value()] == got.primary_stream);
  }
}
