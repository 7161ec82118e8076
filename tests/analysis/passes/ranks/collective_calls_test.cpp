#include "analysis/passes/ranks/collective_calls.h"

#include <doctest/doctest.h>

#include "tests/analysis/passes/rank_fixture.h"

using namespace stepscope::analysis;
using namespace stepscope::tests;

namespace {

const std::string kGeneric = "ncclDevKernel_Generic_1(ncclDevKernelArgsStorage<4096ul>)";

KernelArgs group_args(const std::string& group, const std::string& ranks,
                      const std::string& collective = "") {
  KernelArgs args;
  args.group = group;
  args.group_ranks = ranks;
  args.collective = collective;
  return args;
}

std::vector<std::size_t> counts(const CallQueue& queue) {
  std::vector<std::size_t> found;
  for (const auto& calls : queue.calls) found.push_back(calls.size());
  return found;
}

}  // namespace

TEST_CASE("the kind of a call: arguments, else the first word of the name, else the name") {
  KernelArgs args;
  CHECK(collective_kind(args, "ncclDevKernel_AllReduce_Sum_bf16_RING_LL") == "AllReduce");
  CHECK(collective_kind(args, "ncclDevKernel_ReduceScatter_Sum_f32_RING_LL") == "ReduceScatter");
  CHECK(collective_kind(args, "ncclKernel_Reduce_RING_LL_Sum_float") == "Reduce");
  CHECK(collective_kind(args, "ncclKernel_SendRecv_RING_SIMPLE_Sum_int8_t") == "SendRecv");
  CHECK(collective_kind(args, "ncclKernel_Broadcast_then_AllGather") == "Broadcast");
  CHECK(collective_kind(args, "moeAlltoAllKernel") == "AlltoAll");
  CHECK(collective_kind(args,
                        "void allreduce_fusion_kernel_oneshot_lamport<(F::"
                        "AllReduceFusionPattern)1>") == "AllReduce");
  // In lower case the name stays whole: two kernels of one engine are told apart.
  CHECK(collective_kind(args, "cross_device_reduce_2stage") == "cross_device_reduce_2stage");
  args.collective = "allgather_base";
  CHECK(collective_kind(args, "ncclDevKernel_AllReduce") == "allgather_base");
}

TEST_CASE("the size of a message is the larger end, where count and type are known") {
  KernelArgs args;
  CHECK(!message_bytes(args));
  args.dtype = "BFloat16";
  CHECK(!message_bytes(args));
  args.in_elements = 28'672;
  CHECK(message_bytes(args) == 57'344);
  args.out_elements = 229'376;  // an all-gather over 8 ranks
  CHECK(message_bytes(args) == 458'752);
  args.dtype = "Long";
  CHECK(message_bytes(args) == 1'835'008);
  args.dtype = "of another world";
  CHECK(!message_bytes(args));
  args.dtype = "Double";
  args.in_elements = std::int64_t{1} << 62;  // no message is that large
  CHECK(!message_bytes(args));
  args.in_elements = -1;
  args.out_elements = -5;
  CHECK(!message_bytes(args));
}

TEST_CASE("ranks of a process group, as far as the list is whole") {
  CHECK(listed_ranks("[0, 1, 2, 3]") == std::vector<int>{0, 1, 2, 3});
  CHECK(listed_ranks("[12,7]") == std::vector<int>{12, 7});
  CHECK(listed_ranks("[0, 1, ..., 63]").empty());
  CHECK(listed_ranks("").empty());
  CHECK(listed_ranks("[]").empty());
  CHECK(listed_ranks("0, 1").empty());
  CHECK(listed_ranks("[-1, 2]").empty());
  CHECK(listed_ranks("[99999999999999999999]").empty());
}

TEST_CASE("streams that carry calls compare by their order, whatever their numbers") {
  // Rank 0 has calls on 20, then 30; rank 1 on 41, then 40. A copy and a GEMM come first and do not
  // count.
  RankMaker run(2);
  run.call(0, 0, 1, "nvjet_tst", "10").call(0, 10, 20, kGeneric, "20");
  run.call(0, 12, 22, kGeneric, "30").call(0, 30, 40, kGeneric, "20");
  run.call(1, 10, 20, kGeneric, "41").call(1, 13, 22, kGeneric, "40");
  const RankFixture fixture(run.maker);
  const CallQueues queues = queue_calls(fixture.view, fixture.ranks);
  CHECK(queues.ranks == std::vector<std::size_t>{0, 1});
  REQUIRE(queues.queues.size() == 2);
  CHECK(queues.queues[0].group == "stream 20");
  CHECK(counts(queues.queues[0]) == std::vector<std::size_t>{2, 1});
  CHECK(queues.queues[1].group == "stream 30");
  CHECK(counts(queues.queues[1]) == std::vector<std::size_t>{1, 1});
  CHECK(queues.queues[1].kind == kGeneric);
}

TEST_CASE("RCCL's generic kernel: two kinds by the arguments on one stream") {
  RankMaker run(2);
  for (int rank = 0; rank < 2; ++rank) {
    for (Ns at = 0; at < 400; at += 100) {
      const bool reduce = at % 200 == 0;
      run.call(rank, at, at + 50, kGeneric, "7",
               group_args("", "", reduce ? "allreduce" : "allgather"));
    }
  }
  const RankFixture fixture(run.maker);
  const CallQueues queues = queue_calls(fixture.view, fixture.ranks);
  REQUIRE(queues.queues.size() == 2);
  CHECK(queues.queues[0].kind == "allreduce");
  CHECK(queues.queues[1].kind == "allgather");
  for (const CallQueue& queue : queues.queues) {
    CHECK(queue.group == "stream 7");
    CHECK(counts(queue) == std::vector<std::size_t>{2, 2});
  }
}

TEST_CASE("process groups on one stream are apart, and have only their own ranks as members") {
  RankMaker run(4);
  for (int rank = 0; rank < 4; ++rank) {
    const bool low = rank < 2;
    run.call(rank, 0, 10, kGeneric, "7", group_args("tp", low ? "[0, 1]" : "[2, 3]"));
    run.call(rank, 20, 30, kGeneric, "7", group_args("world", "[0, 1, 2, 3]"));
  }
  const RankFixture fixture(run.maker);
  const CallQueues queues = queue_calls(fixture.view, fixture.ranks);
  REQUIRE(queues.queues.size() == 3);
  CHECK(queues.queues[0].group == "group tp");
  CHECK(queues.queues[0].members == std::vector<std::size_t>{0, 1});
  CHECK(queues.queues[1].members == std::vector<std::size_t>{0, 1, 2, 3});
  CHECK(queues.queues[2].group == "group tp");
  CHECK(queues.queues[2].members == std::vector<std::size_t>{2, 3});
}

TEST_CASE("a member without calls stays a member; a list that contradicts the ranks is not taken") {
  RankMaker run(3);
  run.call(0, 0, 10, kGeneric, "7", group_args("a", "[0, 1]"));  // rank 1 has none of a
  run.call(1, 0, 10, kGeneric, "7", group_args("b", "[5, 6]"));  // numbers of another kind
  run.call(2, 0, 10, kGeneric, "7", group_args("b", "[5, 6]"));
  const RankFixture fixture(run.maker);
  const CallQueues queues = queue_calls(fixture.view, fixture.ranks);
  REQUIRE(queues.queues.size() == 2);
  CHECK(queues.queues[0].members == std::vector<std::size_t>{0, 1});
  CHECK(counts(queues.queues[0]) == std::vector<std::size_t>{1, 0});
  CHECK(queues.queues[1].members == std::vector<std::size_t>{0, 1, 2});
  CHECK(counts(queues.queues[1]) == std::vector<std::size_t>{0, 1, 1});
}
