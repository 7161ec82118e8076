#include "analysis/passes/roles/moe_sentence.h"

#include <doctest/doctest.h>

using namespace stepscope::analysis;

namespace {

MoePart part(std::string name, Ns charged_ns, Ns hidden_ns, Ns exposed_ns) {
  return {.part = std::move(name),
          .calls = 1,
          .charged_ns = charged_ns,
          .hidden_ns = hidden_ns,
          .exposed_ns = exposed_ns,
          .busy_ns = charged_ns + hidden_ns,
          .sum_ns = charged_ns + hidden_ns};
}

}  // namespace

TEST_CASE("shared experts charged, routed experts hidden beside them") {
  const std::vector<MoePart> parts{part("shared_expert", 1'401'000, 0, 0),
                                   part("collectives", 714'000, 0, 714'000)};
  CHECK(moe_sentence({.parts = parts,
                      .routed = part("routed", 0, 3'542'000, 0),
                      .behind_critical = true,
                      .critical_stream = "39",
                      .shared_stream = "39",
                      .routed_stream = "461",
                      .collectives = "all-reduces"}) ==
        "Shared experts 1.401 ms on the critical stream, and 0.714 ms for the all-reduces that end "
        "the MoE layers. Routed experts worked 3.542 ms on stream 461, all of it hidden behind "
        "stream 39 in this step (0.000 ms exposed).");
}

TEST_CASE("one stream: nothing is hidden") {
  const std::vector<MoePart> parts{part("combine", 100'000, 0, 100'000),
                                   part("collectives", 900'000, 0, 900'000)};
  CHECK(moe_sentence({.parts = parts,
                      .routed = part("routed", 2'000'000, 0, 2'000'000),
                      .critical_stream = "7",
                      .shared_stream = "",
                      .routed_stream = "7",
                      .collectives = "all-reduces"}) ==
        "Routed experts worked 2.000 ms on the critical stream, all of it charged to the step "
        "(0.000 ms hidden, 2.000 ms exposed). The all-reduces that end the MoE layers: 0.900 ms "
        "charged and 0.000 ms hidden.");
}

TEST_CASE("dispatch and combine, partly hidden") {
  const std::vector<MoePart> parts{part("dispatch", 100'000, 50'000, 100'000),
                                   part("combine", 0, 70'000, 0)};
  CHECK(moe_sentence({.parts = parts,
                      .routed = part("routed", 1'000'000, 500'000, 200'000),
                      .exchanges = true,
                      .critical_stream = "7",
                      .shared_stream = "",
                      .routed_stream = "",
                      .collectives = "all-reduces"}) ==
        "Routed experts worked 1.500 ms, 1.000 ms of it charged to the step and 0.500 ms hidden "
        "behind other work (0.200 ms exposed). Dispatch 0.100 ms charged and 0.050 ms hidden. "
        "Combine 0.000 ms charged and 0.070 ms hidden.");
}
