#include <doctest/doctest.h>

#include "tests/analysis/reports/takeaway_fixture.h"

using namespace stepscope::analysis;
using namespace stepscope::tests;

namespace {

CollectiveCall call(const std::string& kind, const std::string& name, Ns wait_ns, Ns transfer_ns) {
  CollectiveCall made;
  made.kind = kind;
  made.name = name;
  made.shown_wait_ns = wait_ns;
  made.shown_transfer_ns = transfer_ns;
  made.max_wait_ns = wait_ns;
  return made;
}

WhereRow wait_row(Ns ns) { return {"wait", "waiting for other ranks", 1, ns, false, true}; }

// Two NCCL calls, of which the first waits 13 ms, and 100 custom ones of 10 us.
struct Waiting {
  ShownStep shown = bare_step();
  Breakdown breakdown;

  Waiting() {
    shown.where = {wait_row(13 * kMs)};
    shown.accounting.classes.comm_exposed = (14 * kMs) + (100 * kUs);
    shown.accounting.kernels = {kernel("nccl", DeviceClass::comm, 2, (13 * kMs) + (100 * kUs)),
                                kernel("lamport", DeviceClass::comm, 100, kMs)};
    Collectives all;
    all.ranks = 4;
    all.world_size = 4;
    all.complete = true;
    all.matched = 102;
    all.by_rank = {{0, "", 0, 0, 13 * kMs, kMs + (100 * kUs)}, {3, "", 0, 60, 0, kMs}};
    all.calls = {call("AllReduce", "nccl", 13 * kMs, 40 * kUs),
                 call("AllReduce", "nccl", 0, 60 * kUs)};
    for (int i = 0; i < 100; ++i) all.calls.push_back(call("AllReduce", "lamport", 0, 10 * kUs));
    breakdown.collectives = all;
  }
};

}  // namespace

TEST_CASE("one call that waits is skew, and is not named again as exposed") {
  const Waiting made;
  CHECK(text_of(made.shown, made.breakdown, "wait") ==
        "Rank 0 entered the first all-reduce 13.000 ms before the last rank; the transfer itself "
        "took 0.040 ms. This is skew, not bandwidth.");
  // 14.1 exposed - 13 of waiting = 1.1: 4.4 % of 25, 9.2 % of 12. lamport transfers 1 ms in 100
  // calls.
  CHECK(text_of(made.shown, made.breakdown, "exposed_communication") ==
        "Apart from waiting, communication with no compute beside it takes 1.100 ms (4.4 % of the "
        "wall, 9.2 % without the wait) in 102 calls; the most in lamport: 1.000 ms in 100 calls, "
        "10.0 µs each. No communication has compute beside it.");
  const auto all = takeaways_of(made.shown, made.breakdown);
  CHECK(find_rule(all, "wait")->at_stake_ns == 13 * kMs);
  CHECK(find_rule(all, "exposed_communication")->at_stake_ns == kMs + (100 * kUs));
}

TEST_CASE("a later call is not the first, and the rest of the waiting is told") {
  Waiting made;
  made.breakdown.collectives->calls = {call("AllReduce", "nccl", 2 * kMs, 40 * kUs),
                                       call("_allgather_base", "gather", 0, 1),
                                       call("allreduce", "nccl", 11 * kMs, 12 * kMs)};
  CHECK(text_of(made.shown, made.breakdown, "wait") ==
        "Rank 0 entered one all-reduce 11.000 ms before the last rank; the transfer itself took "
        "12.000 ms. The other 101 matched calls wait 2.000 ms in all.");
}

TEST_CASE("waiting spread over many calls names the rank that is late") {
  Waiting made;
  made.breakdown.collectives->calls = {call("AllReduce", "nccl", 3 * kMs, 1),
                                       call("AllReduce", "nccl", 3 * kMs, 1)};
  made.breakdown.collectives->complete = false;
  made.breakdown.collectives->world_size = 8;
  CHECK(text_of(made.shown, made.breakdown, "wait") ==
        "Rank 0 waits 13.000 ms (52.0 % of the wall) for other ranks in 102 matched collectives; "
        "their transfer takes 1.100 ms. Rank 3 arrives last most often, in 60 of 102 calls. It is "
        "a lower bound: 4 of 8 ranks are here.");
}

TEST_CASE("without rows of where, the rank's own sum of waiting") {
  Waiting made;
  made.shown.where.clear();
  CHECK(text_of(made.shown, made.breakdown, "wait").starts_with("Rank 0 entered the first"));
  made.breakdown.collectives.reset();
  CHECK(text_of(made.shown, made.breakdown, "wait").empty());
}

TEST_CASE("a long call on one rank is suspected, not told") {
  Waiting made;
  made.shown.where.clear();
  Collectives alone;
  alone.ranks = 1;
  alone.long_calls = {{"nccl", "7", 0, 13 * kMs, 60 * kUs}};
  made.breakdown.collectives = alone;
  CHECK(text_of(made.shown, made.breakdown, "suspected_wait") ==
        "One call of nccl lasts 13.000 ms, against a median of 0.060 ms of its kind. How much of "
        "it is waiting cannot be told from one rank.");
  // 14.1 - 12.94 = 1.16: 4.6 % of 25, 9.6 % of 12.06. nccl is suspected, so lamport is named.
  made.shown.accounting.comm_hidden_ns = 300 * kUs;
  CHECK(text_of(made.shown, made.breakdown, "exposed_communication") ==
        "Apart from waiting, communication with no compute beside it takes 1.160 ms (4.6 % of the "
        "wall, 9.6 % without the suspected wait) in 102 calls; the most in lamport: 1.000 ms in "
        "100 calls, 10.0 µs each. Compute runs beside 0.300 ms more.");
  made.breakdown.collectives->long_calls.push_back({"lamport", "7", 0, 2 * kMs, kMs});
  CHECK(text_of(made.shown, made.breakdown, "suspected_wait") ==
        "One call of nccl lasts 13.000 ms, against a median of 0.060 ms of its kind; 2 such calls "
        "in all last 13.940 ms longer than their medians. How much of it is waiting cannot be told "
        "from one rank.");
}

TEST_CASE("where single calls are not known, no kernel is named: its charge holds the waiting") {
  Waiting made;
  made.breakdown.collectives->calls.clear();
  CHECK(text_of(made.shown, made.breakdown, "exposed_communication") ==
        "Apart from waiting, communication with no compute beside it takes 1.100 ms (4.4 % of the "
        "wall, 9.2 % without the wait) in 102 calls. No communication has compute beside it.");
}

TEST_CASE("one kernel of communication, nothing waits") {
  ShownStep shown = bare_step();
  shown.accounting.classes.comm_exposed = 2 * kMs;
  shown.accounting.kernels = {kernel("nccl", DeviceClass::comm, 4, 2 * kMs)};
  CHECK(text_of(shown, {}, "exposed_communication") ==
        "Communication with no compute beside it takes 2.000 ms (8.0 % of the wall) in 4 calls; "
        "the most in nccl: 2.000 ms in 4 calls, 500.0 µs each. No communication has compute "
        "beside it.");
  shown.accounting.classes.comm_exposed = 124 * kUs;  // below 0.5 %
  CHECK(text_of(shown, {}, "exposed_communication").empty());
}

TEST_CASE("several ranks and no communication: a warning, though nothing is at stake") {
  Breakdown breakdown;
  breakdown.trace.world_size = 8;
  ShownStep shown = bare_step();
  shown.accounting.kernels = {kernel("gemm", DeviceClass::compute, 4, 2 * kMs)};
  CHECK(text_of(shown, breakdown, "no_communication") ==
        "The run has 8 ranks, yet no kernel of this step is known as communication.");
  breakdown.trace.world_size = 1;
  CHECK(text_of(shown, breakdown, "no_communication").empty());
}
