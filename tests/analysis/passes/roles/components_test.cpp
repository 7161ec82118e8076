#include "analysis/passes/roles/components.h"

#include <doctest/doctest.h>

#include <random>

#include "tests/analysis/passes/deepseek_scene.h"

using namespace stepscope::analysis;
using namespace stepscope::tests;
using namespace stepscope::tests::kernel;

namespace {

const KernelRow& row_of(const std::vector<KernelRow>& kernels, const std::string& name) {
  for (const KernelRow& row : kernels) {
    if (row.name == name) return row;
  }
  throw std::out_of_range(name);
}

std::string text(const std::vector<ComponentRow>& rows) {
  std::string out;
  for (const ComponentRow& row : rows) {
    out += row.component + " " + std::to_string(row.calls) + " " + std::to_string(row.charged_ns) +
           " " + std::to_string(row.hidden_ns) + "\n";
  }
  return out;
}

// Sums of every table against the accounting of the same window.
void check_sums(const RoleScene& made) {
  const Accounting accounting = made.accounting();
  Ns charged_ns = accounting.idle_ns;
  std::int64_t calls = 0;
  for (const ComponentRow& row : component_rows(made.scene)) {
    CHECK(row.hidden_ns >= 0);
    charged_ns += row.charged_ns;
    calls += row.calls;
  }
  CHECK(charged_ns == accounting.window_ns);
  CHECK(calls == static_cast<std::int64_t>(made.scene.events.size()));
  std::vector<KernelRow> kernels = accounting.kernels;
  add_kernel_roles(made.scene, kernels);
  for (const KernelRow& kernel : kernels) {
    Ns roles_ns = 0;
    std::int64_t role_calls = 0;
    for (const KernelRole& role : kernel.roles) {
      roles_ns += role.charged_ns;
      role_calls += role.calls;
    }
    CHECK(roles_ns == kernel.charged_ns);
    CHECK(role_calls == kernel.calls);
  }
}

}  // namespace

TEST_CASE("components by place: projections to attention, shared experts to MoE") {
  const StepMaker step = deepseek_step();
  const RoleScene made(step.trace());
  // attention: 4 x (20 + 10 + 10 + 3 + 3 + 30 + 10 + 2 + 20) = 432 in 36 calls; communication:
  // 500 + 8 x 12 = 596; mlp and moe: 2 x 49 each, the routed experts' 12 calls lie wholly under the
  // shared ones, so the union of moe is no longer; norm: 4 x 4 + 4; elementwise: 70 + 1; setup: the
  // copy; other: lm_head.
  CHECK(text(component_rows(made.scene)) ==
        "communication 9 596 0\n"
        "attention 36 432 0\n"
        "mlp 10 98 0\n"
        "moe 22 98 0\n"
        "elementwise 2 71 0\n"
        "other 1 50 0\n"
        "setup 1 30 0\n"
        "norm 5 20 0\n");
  check_sums(made);
}

TEST_CASE("one kernel with several roles: each with its calls and the evidence") {
  const StepMaker step = deepseek_step();
  const RoleScene made(step.trace());
  std::vector<KernelRow> kernels = made.accounting().kernels;
  add_kernel_roles(made.scene, kernels);
  const std::vector<KernelRole>& roles = row_of(kernels, kCutlassFp4).roles;
  REQUIRE(roles.size() == 5);
  CHECK(roles[0].role == "o_proj");
  CHECK(roles[0].component == "attention");
  CHECK(roles[0].calls == 4);
  CHECK(roles[0].charged_ns == 80);
  CHECK(roles[0].evidence == "between attention and all-reduce, 4 calls = 4 layers");
  CHECK(roles[1].role == "down");
  CHECK(roles[1].component == "mlp");
  CHECK(roles[2].role == "gate_up");
  CHECK(roles[2].calls == 2);
  CHECK(roles[2].evidence ==
        "around the activation of the feed-forward part, 2 calls in 2 of 4 layers");
  CHECK(roles[3].role == "shared expert down");
  CHECK(roles[3].component == "moe");
  CHECK(roles[4].role == "shared expert gate_up");
  CHECK(row_of(kernels, kFusedA).roles.at(0).evidence ==
        "between RMSNorm and attention, 4 calls = 4 layers");
}

TEST_CASE("calls without a role have a row of their own, with the reason for GEMMs") {
  StepMaker step;
  step.run(kNvjet, 10).run(kElementwise, 5).run(kElementwise, 0);
  const RoleScene made(step.trace());
  std::vector<KernelRow> kernels = made.accounting().kernels;
  add_kernel_roles(made.scene, kernels);
  const KernelRole& gemm = row_of(kernels, kNvjet).roles.at(0);
  CHECK(gemm.role.empty());
  CHECK(gemm.component == "other");
  CHECK(gemm.evidence == "the place does not tell: no layers were found in this step, 1 call");
  const KernelRole& rest = row_of(kernels, kElementwise).roles.at(0);
  CHECK(rest.calls == 2);
  CHECK(rest.charged_ns == 5);
  CHECK(rest.evidence.empty());
}

TEST_CASE("sums close on random steps") {
  const std::vector<std::string> names{kRmsNorm, kNvjet,  kFlash,    kSilu,       kLamport,
                                       kCvtFp4,  kTopk,   kFusedMoe, kMoeSum,     kElementwise,
                                       kRotary,  kArgMax, kDispatch, kRouterGemm, kSplitReduce};
  for (unsigned seed = 0; seed < 200; ++seed) {
    CAPTURE(seed);
    std::mt19937 random(seed);
    const auto upto = [&](unsigned n) { return random() % n; };
    TraceMaker maker;
    for (int i = 0; i < 60; ++i) {
      maker.add({.name = names[upto(static_cast<unsigned>(names.size()))],
                 .start_ns = static_cast<Ns>(upto(400)),
                 .dur_ns = static_cast<Ns>(upto(12)),
                 .stream = std::to_string(7 + upto(3))});
    }
    const RoleScene made(maker);
    check_sums(made);
  }
}
