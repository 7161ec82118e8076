// The published report of one decode step, made again by
// tests/support/golden_step.h: what the rows must say once they add up.

#include "tests/support/golden_step.h"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <vector>

#include "analysis/analyze.h"
#include "tests/support/temp_folder.h"
#include "tests/support/trace_text.h"

using namespace stepscope::analysis;
using namespace stepscope::tests;

namespace {

Breakdown golden(int first_rank, int last_rank) {
  const TempFolder folder;
  std::vector<std::filesystem::path> files;
  for (int rank = first_rank; rank <= last_rank; ++rank) {
    files.push_back(write_file(folder.path(), fmt::format("golden-TP-{}.trace.json", rank),
                               golden_step_trace(rank)));
  }
  auto result = analyze(files, {});
  REQUIRE_MESSAGE(result.has_value(), (result ? "" : result.error().message));
  REQUIRE(result->shown.size() == 1);
  return *std::move(result);
}

const Phase& phase(const ShownStep& shown, std::string_view name) {
  const auto found = std::ranges::find(shown.phases, name, &Phase::name);
  REQUIRE(found != shown.phases.end());
  return *found;
}

Ns charged(const Phase& phase) {
  Ns sum_ns = 0;
  for (const ChargedCategory& row : phase.charged) sum_ns += row.charged_ns;
  return sum_ns;
}

const MoePart& part(const Moe& moe, std::string_view name) {
  const auto found = std::ranges::find(moe.parts, name, &MoePart::part);
  REQUIRE(found != moe.parts.end());
  return *found;
}

Ns where_ns(const ShownStep& shown, std::string_view key) {
  const auto found = std::ranges::find(shown.where, key, &WhereRow::key);
  REQUIRE_MESSAGE(found != shown.where.end(), key);
  return found->charged_ns;
}

}  // namespace

TEST_CASE("golden step: wall, phases and idle") {
  const ShownStep shown = golden(0, 3).shown[0];
  CHECK(shown.accounting.window_ns == 24'976'000);
  CHECK(shown.accounting.idle_ns == 1'120'000);
  CHECK(shown.idle_causes.between_graph_nodes == 1'120'000);
  REQUIRE(shown.phases.size() == 4);  // no rest between the collectives and the layers
  CHECK(phase(shown, "head.setup").wall_ns == 3'140'000);
  CHECK(phase(shown, "head.collective").wall_ns == 13'725'000);
  const Phase& layers = phase(shown, "layers");
  const Phase& tail = phase(shown, "tail");
  CHECK(layers.wall_ns + tail.wall_ns == 8'111'000);
  CHECK(charged(layers) + charged(tail) == 6'991'000);
  CHECK(layers.classes.idle + tail.classes.idle == 1'120'000);
  CHECK(shown.step.source == "graph_launch");
  CHECK(shown.spread.only_first);
}

TEST_CASE("golden step: the second stream is hidden, wholly") {
  const ShownStep shown = golden(0, 3).shown[0];
  Ns charged_ns = 0;
  Ns busy_ns = 0;
  std::int64_t calls = 0;
  for (const KernelRow& row : shown.accounting.kernels) {
    if (row.stream != "461") continue;
    charged_ns += row.charged_ns;
    busy_ns += row.busy_ns;
    calls += row.calls;
  }
  CHECK(charged_ns == 0);
  CHECK(busy_ns == 3'677'000);
  CHECK(calls == 61 + 58 * 7);
}

TEST_CASE("golden step: the first all-reduce is wait, not bandwidth") {
  const Breakdown result = golden(0, 3);
  REQUIRE(result.collectives.has_value());
  const Collectives& found = *result.collectives;
  CHECK(found.ranks == 4);
  CHECK(found.complete);
  CHECK(found.matched == 123);
  CHECK(found.unmatched == 0);
  REQUIRE(found.by_rank.size() == 4);
  CHECK(found.by_rank[0].wait_ns == 13'625'000);
  CHECK(found.by_rank[1].wait_ns == 0);
  for (const CollectiveRank& rank : found.by_rank) {
    CHECK(rank.transfer_ns == 1'590'000);
    CHECK(rank.clock_offset_ns == 0);
  }
  CHECK(found.calls[0].max_wait_ns == 13'625'000);
  CHECK(found.calls[0].shortest_ns == 40'000);
  CHECK(found.calls[0].late_rank == 1);  // of the three that come together, the lowest
  const ShownStep& shown = result.shown[0];
  CHECK(shown.head_wait_ns == 13'625'000);
  REQUIRE(shown.ranks.size() == 4);
  CHECK(shown.ranks[0].wall_ns == 24'976'000);
  CHECK(shown.ranks[3].wall_ns == 11'351'000);
}

TEST_CASE(
    "golden step: 3 dense and 58 MoE layers, though the critical stream "
    "looks alike") {
  const ShownStep shown = golden(0, 3).shown[0];
  REQUIRE(shown.layers.has_value());
  const Layers& layers = *shown.layers;
  CHECK(layers.count == 61);
  CHECK(layers.stream == "39");
  CHECK(layers.events_before == 2);
  CHECK(layers.events_after == 6);
  REQUIRE(layers.kinds.size() == 3);
  CHECK_FALSE(layers.kinds[0].moe);
  CHECK(layers.kinds[0].count == 1);
  CHECK(layers.kinds[0].events == 17);
  CHECK_FALSE(layers.kinds[1].moe);
  CHECK(layers.kinds[1].count == 2);
  CHECK(layers.kinds[2].moe);
  CHECK(layers.kinds[2].count == 58);
  CHECK(layers.kinds[2].first == 3);
  CHECK(layers.kinds[2].last == 60);
  CHECK(layers.kinds[2].events == 18);
  CHECK(layers.kinds[2].side_events == 8);
}

// The report's component column, by place: shares of the totals in
// golden_step.cpp. Each kernel's total is shared out evenly, so the parts of a
// total are told to a microsecond.
TEST_CASE("golden step: roles, components and MoE") {
  const ShownStep shown = golden(0, 3).shown[0];
  const auto is_near = [](Ns got_ns, Ns want_ns) { return std::abs(got_ns - want_ns) <= 1000; };
  // Absorb 1.207, two of three and the third nvjet 0.851 x 183 / 184, rope,
  // cache, FMHA, and one of three converts and FP4 GEMMs.
  CHECK(is_near(where_ns(shown, "attention"), 3'704'000));
  CHECK(is_near(where_ns(shown, "moe.shared_expert"),
                1'401'000));                       // 58 / 61 of what is left
  CHECK(is_near(where_ns(shown, "mlp"), 72'000));  // 3 / 61
  CHECK(where_ns(shown, "wait") == 13'625'000);
  CHECK(where_ns(shown, "head.setup") == 3'140'000);
  CHECK(where_ns(shown, "head.collective") == 100'000);
  CHECK(where_ns(shown, "comm.layers") == 1'490'000);
  Ns sum_ns = 0;
  for (const WhereRow& row : shown.where) sum_ns += row.charged_ns;
  CHECK(sum_ns == 24'976'000);
  Ns components_ns = shown.accounting.idle_ns;
  for (const ComponentRow& row : shown.components) components_ns += row.charged_ns;
  CHECK(components_ns == 24'976'000);

  REQUIRE(shown.moe.has_value());
  const Moe& moe = *shown.moe;
  CHECK(moe.layers == 58);
  CHECK(part(moe, "routed_experts").charged_ns == 0);
  CHECK(part(moe, "routed_experts").calls == 58 * 3);  // quantize and two expert GEMMs
  CHECK(part(moe, "shared_expert").calls == 58 * 5);
  CHECK(is_near(part(moe, "shared_expert").charged_ns, 1'401'000));
  CHECK(part(moe, "collectives").calls == 58);
  CHECK(is_near(part(moe, "collectives").charged_ns, 714'000));
}

TEST_CASE("golden step: one rank alone can not tell the wait") {
  const Breakdown result = golden(0, 0);
  const ShownStep& shown = result.shown[0];
  CHECK(shown.accounting.window_ns == 24'976'000);
  CHECK_FALSE(shown.head_wait_ns.has_value());
  REQUIRE(result.collectives.has_value());
  CHECK(result.collectives->matched == 0);
  REQUIRE(result.collectives->long_calls.size() == 1);
  CHECK(result.collectives->long_calls[0].dur_ns == 13'665'000);
}
