#include "analysis/passes/roles/moe.h"

#include <doctest/doctest.h>

#include <random>

#include "tests/analysis/passes/deepseek_scene.h"

using namespace stepscope::analysis;
using namespace stepscope::tests;
using namespace stepscope::tests::kernel;

namespace {

std::string text(const MoePart& part) {
  return part.part + " " + std::to_string(part.calls) + ": charged " +
         std::to_string(part.charged_ns) + ", hidden " + std::to_string(part.hidden_ns) +
         ", exposed " + std::to_string(part.exposed_ns) + ", busy " + std::to_string(part.busy_ns) +
         ", sum " + std::to_string(part.sum_ns);
}

}  // namespace

TEST_CASE("routed experts beside the shared one") {
  const StepMaker step = deepseek_step();
  const RoleScene made(step.trace());
  const std::optional<Moe> moe = moe_figures(made.scene);
  REQUIRE(moe);
  CHECK(moe->layers == 2);
  // Per layer on stream 461: router 4 + 3, experts 2 + 10 + 10, finalize 4, all under the shared
  // expert's 49 on stream 39, of which 16 run alone; then an all-reduce of 12.
  REQUIRE(moe->parts.size() == 5);
  CHECK(text(moe->parts[0]) == "router 4: charged 0, hidden 14, exposed 0, busy 14, sum 14");
  CHECK(text(moe->parts[1]) ==
        "routed_experts 6: charged 0, hidden 44, exposed 0, busy 44, sum 44");
  CHECK(text(moe->parts[2]) == "combine 2: charged 0, hidden 8, exposed 0, busy 8, sum 8");
  CHECK(text(moe->parts[3]) ==
        "shared_expert 10: charged 98, hidden 0, exposed 32, busy 98, sum 98");
  CHECK(text(moe->parts[4]) == "collectives 2: charged 24, hidden 0, exposed 24, busy 24, sum 24");
  CHECK(text(moe->total) == "total 24: charged 122, hidden 0, exposed 122, busy 122, sum 188");
  CHECK(moe->sentence ==
        "Shared experts 0.000 ms on the critical stream, and 0.000 ms for the all-reduces that end "
        "the MoE layers. Routed experts with their router worked 0.000 ms on stream 461, all of it "
        "hidden behind stream 39 in this step (0.000 ms exposed).");
}

TEST_CASE("exposed is when nothing but the part runs, on any stream") {
  // Without layers: experts 0-100 on stream 7, a copy 20-50 beside them, routing 90-130 on 8.
  TraceMaker maker;
  maker.add({.name = kFusedMoe, .start_ns = 0, .dur_ns = 100, .stream = "7"});
  maker.add({.name = kElementwise, .start_ns = 20, .dur_ns = 30, .stream = "9"});
  maker.add({.name = kTopk, .start_ns = 90, .dur_ns = 40, .stream = "8"});
  const RoleScene made(maker);
  const std::optional<Moe> moe = moe_figures(made.scene);
  REQUIRE(moe);
  CHECK(moe->layers == 0);
  REQUIRE(moe->parts.size() == 2);
  CHECK(text(moe->parts[0]) == "router 1: charged 30, hidden 10, exposed 30, busy 40, sum 40");
  CHECK(text(moe->parts[1]) ==
        "routed_experts 1: charged 100, hidden 0, exposed 60, busy 100, sum 100");
  CHECK(text(moe->total) == "total 2: charged 130, hidden 0, exposed 100, busy 130, sum 140");
}

TEST_CASE("a step without MoE kernels has no MoE") {
  StepMaker step;
  step.run(kNvjet, 10).run(kNcclAllReduce, 5);
  const RoleScene made(step.trace());
  CHECK_FALSE(moe_figures(made.scene).has_value());
}

TEST_CASE("MoE figures agree with a walk over every nanosecond") {
  const std::vector<std::string> names{kFusedMoe, kTopk, kNvjet, kMoeSum, kDispatch};
  for (unsigned seed = 0; seed < 100; ++seed) {
    CAPTURE(seed);
    std::mt19937 random(seed);
    TraceMaker maker;
    maker.add({.name = kFusedMoe, .start_ns = 0, .dur_ns = 5, .stream = "7"});
    for (int i = 0; i < 20; ++i) {
      maker.add({.name = names[random() % names.size()],
                 .start_ns = static_cast<Ns>(random() % 100),
                 .dur_ns = static_cast<Ns>(random() % 9),
                 .stream = std::to_string(7 + random() % 3)});
    }
    const RoleScene made(maker);
    const std::optional<Moe> moe = moe_figures(made.scene);
    REQUIRE(moe);
    Ns busy_ns = 0;
    Ns exposed_ns = 0;
    for (Ns now_ns = made.scene.window.start_ns; now_ns < made.scene.window.end_ns; ++now_ns) {
      int inside = 0;
      int outside = 0;
      for (std::uint32_t at = 0; at < made.scene.events.size(); ++at) {
        const Interval span = made.scene.inside(at);
        if (now_ns < span.start_ns || now_ns >= span.end_ns) continue;
        ++(moe_part(made.scene.roles.role_of[at]) ? inside : outside);
      }
      busy_ns += inside > 0 ? 1 : 0;
      exposed_ns += inside > 0 && outside == 0 ? 1 : 0;
    }
    CHECK(moe->total.busy_ns == busy_ns);
    CHECK(moe->total.exposed_ns == exposed_ns);
    CHECK(moe->total.hidden_ns == busy_ns - moe->total.charged_ns);
    Ns charged_ns = 0;
    for (const MoePart& part : moe->parts) charged_ns += part.charged_ns;
    CHECK(moe->total.charged_ns == charged_ns);
  }
}
