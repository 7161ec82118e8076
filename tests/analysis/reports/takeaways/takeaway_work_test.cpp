#include <doctest/doctest.h>

#include "tests/analysis/reports/takeaway_fixture.h"

using namespace stepscope::analysis;
using namespace stepscope::tests;

namespace {

ShownStep with_components() {
  ShownStep shown = bare_step();
  shown.components = {{"communication", 3, 9 * kMs, 9 * kMs, 0},
                      {"attention", 10, 5 * kMs, 5 * kMs, 0},
                      {"moe", 10, 2 * kMs, 4 * kMs, 2 * kMs}};
  KernelRow gemm = kernel("gemm", DeviceClass::compute, 30, 5 * kMs);
  gemm.roles = {{"q/kv projection", "attention", 10, 2 * kMs, ""},
                {"o_proj", "attention", 10, kMs, ""},
                {"", "moe", 10, 2 * kMs, ""}};
  KernelRow core = kernel("fmha", DeviceClass::compute, 10, 2 * kMs);
  core.category = "attention-fmha";
  core.component = "attention";
  shown.accounting.kernels = {gemm, core};
  return shown;
}

}  // namespace

TEST_CASE("the largest component, communication aside, with what it consists of") {
  // Parts of equal size in the order of their names.
  ShownStep shown = with_components();
  CHECK(text_of(shown, {}, "largest_component") ==
        "The largest component is attention: 5.000 ms (20.0 % of the wall), of which "
        "attention-fmha 2.000 ms, q/kv projection 2.000 ms, o_proj 1.000 ms.");
  shown.components = {{"other", 3, 9 * kMs, 9 * kMs, 0}};
  shown.accounting.kernels.clear();
  CHECK(text_of(shown, {}, "largest_component") ==
        "The largest part is kernels whose role is not told: 9.000 ms (36.0 % of the wall).");
  CHECK(text_of(bare_step(), {}, "largest_component").empty());
  KernelRow core = kernel("fmha", DeviceClass::compute, 10, 2 * kMs);
  core.component = "attention";
  core.roles = {{"attention", "attention", 10, 2 * kMs, ""}};
  shown.accounting.kernels = {core};
  shown.components = {{"attention", 10, 2 * kMs, 2 * kMs, 0}};
  CHECK(text_of(shown, {}, "largest_component") ==
        "The largest component is attention: 2.000 ms (8.0 % of the wall), the most in fmha: "
        "2.000 ms.");
}

TEST_CASE("work before the layers, from 5 % of the wall") {
  ShownStep shown = with_components();
  Phase head;
  head.name = "head.setup";
  head.charged = {{"memcpy", "setup", 12, kMs}, {"elementwise/copy", "elementwise", 8, 500 * kUs}};
  shown.phases = {head};
  CHECK(text_of(shown, {}, "head") ==
        "Before the first collective, 20 calls take 1.500 ms (6.0 % of the wall): memcpy 1.000 ms, "
        "elementwise/copy 0.500 ms.");
  shown.phases[0].name = "head";
  CHECK(text_of(shown, {}, "head").starts_with("Before the first layer, 20 calls"));
  shown.phases[0].charged[0].charged_ns = 700 * kUs;  // 4.8 %
  CHECK(text_of(shown, {}, "head").empty());
}

TEST_CASE("idle by its largest cause, with what it is for a layer") {
  // 1.2 ms of idle, 1.0 of it in 50 layers: 20 us for each.
  ShownStep shown = bare_step();
  shown.accounting.idle_ns = kMs + (200 * kUs);
  shown.idle_causes.between_graph_nodes = kMs + (200 * kUs);
  shown.layers = Layers{};
  shown.layers->count = 50;
  Phase layers;
  layers.name = "layers";
  layers.classes.idle = kMs;
  shown.phases = {layers};
  CHECK(text_of(shown, {}, "idle") ==
        "The device idles 1.200 ms (4.8 % of the wall), all of it between nodes of graph launches. "
        "1.000 ms of it are in the 50 layers, 20.0 µs each.");
}

TEST_CASE("waiting for the host comes with the launches, and with what inflates it") {
  ShownStep shown = bare_step();
  Breakdown breakdown;
  breakdown.diagnostics.python_stacks = true;
  shown.accounting.idle_ns = 3 * kMs;
  shown.idle_causes = {.host = 2 * kMs, .latency_or_dependency = kMs};
  shown.launch_stats.launches = 1200;
  shown.launch_stats.graph_launches = 25;
  CHECK(text_of(shown, breakdown, "idle") ==
        "The device idles 3.000 ms (12.0 % of the wall), 2.000 ms of it waiting for the host to "
        "launch. The step has 1 200 launches, 25 of graphs. Python stacks were recorded: "
        "they inflate host gaps.");
  shown.launch_stats.graph_launches = 0;
  CHECK(text_of(shown, breakdown, "idle").contains("1 200 launches, none of graphs."));
  shown.idle_causes = {.unknown = 3 * kMs};
  CHECK(text_of(shown, breakdown, "idle") ==
        "The device idles 3.000 ms (12.0 % of the wall), all of it of unknown cause.");
}
