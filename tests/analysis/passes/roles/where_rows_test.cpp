#include "analysis/passes/roles/where_rows.h"

#include <doctest/doctest.h>

#include <random>

#include "analysis/passes/accounting/idle_causes.h"
#include "tests/analysis/passes/deepseek_scene.h"

using namespace stepscope::analysis;
using namespace stepscope::tests;
using namespace stepscope::tests::kernel;

namespace {

std::vector<WhereRow> rows_of(const RoleScene& made, std::span<const EventWait> waits = {}) {
  const IdleCauses idle = idle_causes(made.view, made.links, made.scene.events, made.scene.window);
  return where_rows(made.scene, idle, waits);
}

std::string text(const std::vector<WhereRow>& rows) {
  std::string out;
  for (const WhereRow& row : rows) {
    out += row.key + " | " + row.label + " | " + std::to_string(row.calls) + " | " +
           std::to_string(row.charged_ns) + "\n";
  }
  return out;
}

Ns sum(const std::vector<WhereRow>& rows) {
  Ns ns = 0;
  for (const WhereRow& row : rows) ns += row.charged_ns;
  return ns;
}

std::vector<EventWait> first_all_reduce(const RoleScene& made, Ns last_arrival_ns) {
  for (const EventIndex event : made.scene.events) {
    if (made.view.trace.names[made.view.event(event).name] == kNcclAllReduce) {
      return {{event, last_arrival_ns}};
    }
  }
  return {};
}

}  // namespace

TEST_CASE("a DeepSeek step in the words of the answer") {
  const StepMaker step = deepseek_step();
  const RoleScene made(step.trace());
  // The all-reduce runs from 100 to 600, the last rank arrives at 560. Attention, MLP and shared
  // experts as in the components' test; norms of the layers 4 x 4; idle 4 x 5, no launches.
  const std::vector<WhereRow> rows = rows_of(made, first_all_reduce(made, 560));
  CHECK(text(rows) ==
        "wait | waiting for other ranks, 1 all-reduce | 1 | 460\n"
        "attention | attention, 4 layers | 36 | 432\n"
        "head.setup | set-up before the first layer | 2 | 100\n"
        "mlp | dense MLP, 2 layers | 10 | 98\n"
        "moe.shared_expert | MoE shared experts, 2 layers | 10 | 98\n"
        "comm.layers | all-reduce in the layers, 8 calls | 8 | 96\n"
        "tail.lm_head | lm_head and final norm | 3 | 55\n"
        "head.collective | first all-reduce, transfer | 1 | 40\n"
        "idle.unknown | idle, cause not recorded | 0 | 20\n"
        "norm | norms | 4 | 16\n"
        "moe.routed | MoE router and routed experts, 2 layers, all hidden behind other work | 12 | "
        "0\n");
  CHECK(sum(rows) == made.scene.window.length_ns());
  CHECK(rows[0].wait);
  CHECK(rows[8].idle);
}

TEST_CASE("without waits the collective is one row") {
  const StepMaker step = deepseek_step();
  const RoleScene made(step.trace());
  const std::vector<WhereRow> rows = rows_of(made);
  CHECK(rows[0].key == "head.collective");
  CHECK(rows[0].label == "first all-reduce");
  CHECK(rows[0].charged_ns == 500);
  CHECK(sum(rows) == made.scene.window.length_ns());
}

TEST_CASE("a wait as long as the call leaves no transfer, one before it takes nothing") {
  const StepMaker step = deepseek_step();
  const RoleScene made(step.trace());
  const std::vector<WhereRow> all = rows_of(made, first_all_reduce(made, 10'000));
  CHECK(all[0].key == "wait");
  CHECK(all[0].charged_ns == 500);
  CHECK(std::ranges::none_of(all, [](const auto& row) { return row.key == "head.collective"; }));
  const std::vector<WhereRow> none = rows_of(made, first_all_reduce(made, 50));
  CHECK(none[0].key == "head.collective");
  CHECK(none[0].charged_ns == 500);
}

TEST_CASE("what follows lm_head is sampling when there is any; GEMMs without a role say so") {
  StepMaker step;
  step.run(kEmbedding, 5).run(kElementwise, 2);
  for (int i = 0; i < 3; ++i) {
    step.run(kRmsNorm, 3).run(kNvjet, 10).run(kFlash, 20).run(kNvjet, 8).run(kLamport, 6);
    step.run(kNvjet, 2).run(kRmsNorm, 3).run(kNvjet, 15).run(kSilu, 2).run(kNvjet, 12);
    step.run(kElementwise, 1);
  }
  step.run(kRmsNorm, 3).run(kNvjetBig, 40).run(kNcclAllGather, 7).run(kElementwise, 2);
  step.run(kArgMax, 5);
  const RoleScene made(step.trace());
  CHECK(text(rows_of(made)) ==
        "attention | attention, 3 layers | 9 | 114\n"
        "mlp | dense MLP, 3 layers | 9 | 87\n"
        "tail.lm_head | lm_head and final norm | 2 | 43\n"
        "comm.layers | all-reduce in the layers, 3 calls | 3 | 18\n"
        "norm | norms | 6 | 18\n"
        "comm.tail | all-gather after the layers, 1 call | 1 | 7\n"
        "sampling | sampling and what follows lm_head | 2 | 7\n"
        "gemm.unknown | GEMM, role not told, 3 calls | 3 | 6\n"
        "embedding | embedding | 1 | 5\n"
        "elementwise | elementwise | 3 | 3\n"
        "head.setup | set-up before the first layer | 1 | 2\n");
}

TEST_CASE("dispatch and combine have rows of their own") {
  StepMaker step;
  for (int i = 0; i < 3; ++i) {
    step.run(kRmsNorm, 3).run(kNvjet, 10).run(kFlash, 20).run(kNvjet, 8).run(kRmsNorm, 3);
    step.run(kNvjet, 4).run(kTopk, 2).run(kDispatch, 9).run(kFusedMoe, 30).run(kSilu, 4);
    step.run(kFusedMoe, 20).run(kCombine, 11);
  }
  const RoleScene made(step.trace());
  CHECK(text(rows_of(made)) ==
        "moe.routed | MoE routed experts, 3 layers | 9 | 162\n"
        "attention | attention, 3 layers | 9 | 114\n"
        "comm.combine | MoE combine, all-to-all, 3 calls | 3 | 33\n"
        "comm.dispatch | MoE dispatch, all-to-all, 3 calls | 3 | 27\n"
        "moe.router | MoE router, 3 layers | 6 | 18\n"
        "norm | norms | 6 | 18\n");
}

TEST_CASE("without layers the rows are the components") {
  StepMaker step;
  step.run(kFlash, 20).run(kNvjet, 10).run(kNcclAllReduce, 5).idle(4).run(kElementwise, 3);
  step.copy("Memcpy DtoH (Device -> Pinned)", 2).run("something_else", 1).run(kFusedMoe, 6);
  const RoleScene made(step.trace());
  CHECK(text(rows_of(made)) ==
        "attention | attention | 1 | 20\n"
        "gemm.unknown | GEMM, role not told, 1 call | 1 | 10\n"
        "moe.routed | MoE routed experts | 1 | 6\n"
        "comm | all-reduce, 1 call | 1 | 5\n"
        "idle.unknown | idle, cause not recorded | 0 | 4\n"
        "elementwise | elementwise | 1 | 3\n"
        "copy | copies | 1 | 2\n"
        "other | not classified | 1 | 1\n");
}

TEST_CASE("rows and idle sum to the window, calls to the events, on random steps") {
  const std::vector<std::string> names{kRmsNorm, kNvjet,  kFlash,    kSilu,     kLamport,
                                       kTopk,    kCvtFp4, kFusedMoe, kMoeSum,   kElementwise,
                                       kRotary,  kArgMax, kDispatch, kEmbedding};
  for (unsigned seed = 0; seed < 200; ++seed) {
    CAPTURE(seed);
    std::mt19937 random(seed);
    TraceMaker maker;
    // Layers at the start, so that most steps have some; then noise beside and behind them.
    Ns now_ns = 20;
    for (int layer = 0; layer < 4; ++layer) {
      for (const std::string& name : {kRmsNorm, kNvjet, kFlash, kNvjet, kRmsNorm, kNvjet, kNvjet}) {
        maker.add({.name = name, .start_ns = now_ns, .dur_ns = 8, .stream = "7"});
        now_ns += 8 + static_cast<Ns>(random() % 3);
      }
    }
    for (int i = 0; i < 30; ++i) {
      maker.add({.name = names[random() % names.size()],
                 .start_ns = static_cast<Ns>(random() % 320),
                 .dur_ns = 1 + static_cast<Ns>(random() % 20),
                 .stream = std::to_string(8 + random() % 3)});
    }
    const RoleScene made(maker);
    std::vector<EventWait> waits;
    for (const EventIndex event : made.scene.events) {
      if (made.view.category(event).device_class != DeviceClass::comm) continue;
      waits.push_back({event, static_cast<Ns>(random() % 340)});
    }
    const std::vector<WhereRow> rows = rows_of(made, waits);
    CHECK(sum(rows) == made.scene.window.length_ns());
    for (std::size_t i = 0; i + 1 < rows.size(); ++i) {
      CHECK(rows[i].charged_ns >= rows[i + 1].charged_ns);
    }
  }
}
