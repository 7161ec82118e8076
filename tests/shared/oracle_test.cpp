// The exact slow reference beside the repository against the analysis, on traces made here: random
// sets of events for the accounting, model shapes for the structure.

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <nlohmann/json.hpp>
#include <random>
#include <string>
#include <vector>

#include "tests/shared/shared_folder.h"
#include "tests/shared/structure_json.h"
#include "tests/support/golden_step.h"
#include "tests/support/model_traces.h"
#include "tests/support/temp_folder.h"
#include "tests/support/trace_builder.h"

using namespace stepscope::analysis;
using namespace stepscope::tests;
using nlohmann::json;

namespace {

// What the reference says, by name of the run.
std::map<std::string, json> reference(const std::string& kind,
                                      const std::filesystem::path& folder) {
  const std::string command =
      fmt::format("python3 '{}/tests/shared/oracle_driver.py' '{}' {} '{}'", STEPSCOPE_SOURCE_DIR,
                  (shared_folder() / "oracle").string(), kind, folder.string());
  std::FILE* pipe = ::popen(command.c_str(), "r");
  REQUIRE(pipe != nullptr);
  std::string text;
  std::array<char, 65536> block{};
  while (const std::size_t got = std::fread(block.data(), 1, block.size(), pipe)) {
    text.append(block.data(), got);
  }
  REQUIRE_MESSAGE(::pclose(pipe) == 0, "python3 failed");
  std::map<std::string, json> results;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = text.find('\n', at);
    json line = json::parse(text.substr(at, end - at));
    results.emplace(line.at("name"), std::move(line.at("result")));
    at = end + 1;
  }
  return results;
}

int wanted_traces(int otherwise) {
  const char* named = std::getenv("STEPSCOPE_ORACLE_TRACES");
  return named == nullptr ? otherwise : std::atoi(named);
}

// Names of all classes; streams that overlap themselves and each other, equal starts, no duration.
std::string random_trace(unsigned seed) {
  static constexpr std::array kNames = {"nvjet_tst_64x8",
                                        "fmhaSm100",
                                        "ncclDevKernel_AllReduce",
                                        "cross_device_reduce_1stage",
                                        "__amd_rocclr_copyBuffer",
                                        "rms_norm_kernel",
                                        "elementwise"};
  std::minstd_rand random(seed);
  const auto below = [&](unsigned limit) { return static_cast<int>(random() % limit); };
  TraceBuilder builder;
  const int events = 1 + below(40);
  const unsigned streams = 1U + random() % 4;
  for (int i = 0; i < events; ++i) {
    const Ns start_ns = 1000 + below(60);
    const Ns dur_ns = below(5) == 0 ? 0 : below(25);
    const int stream = 7 + below(streams);
    const int correlation = 100 + below(20);
    if (below(8) == 0) {
      builder.copy("Memcpy DtoD (Device -> Device)", stream, start_ns, dur_ns, correlation);
    } else {
      builder.kernel(kNames[random() % kNames.size()], stream, start_ns, dur_ns, correlation);
    }
  }
  return builder.json();
}

json accounting_json(const Accounting& all) {
  json streams = json::object();
  for (const StreamRow& row : all.streams) {
    streams[row.stream] = {{"calls", row.calls}, {"sum_ns", row.sum_ns}, {"busy_ns", row.busy_ns}};
  }
  static constexpr std::array kClasses = {"compute", "comm", "copy"};
  json kernels = json::array();
  for (const KernelRow& row : all.kernels) {
    kernels.push_back({{"stream", row.stream},
                       {"name", row.name},
                       {"calls", row.calls},
                       {"sum_ns", row.sum_ns},
                       {"class", kClasses[static_cast<std::size_t>(row.device_class)]},
                       {"wall_ns", row.charged_ns}});
  }
  return {{"window_ns", all.window_ns},
          {"busy_ns", all.busy_ns},
          {"idle_ns", all.idle_ns},
          {"kernel_sum_ns", all.kernel_sum_ns},
          {"streams", streams},
          {"primary_stream", all.primary_stream},
          {"classes_ns",
           {{"compute", all.classes.compute},
            {"comm_exposed", all.classes.comm_exposed},
            {"copy_exposed", all.classes.copy_exposed},
            {"idle", all.classes.idle}}},
          {"comm_total_ns", all.comm_total_ns},
          {"comm_hidden_ns", all.comm_hidden_ns},
          {"copy_total_ns", all.copy_total_ns},
          {"partition_ns",
           {{"primary", all.partition.primary},
            {"exposed_other", all.partition.exposed_other},
            {"hidden_other", all.partition.hidden_other},
            {"idle", all.partition.idle}}},
          {"kernels", kernels}};
}

json layers_json(const std::optional<Layers>& layers) {
  if (!layers) return nullptr;
  json kinds = json::array();
  for (const LayerKind& kind : layers->kinds) {
    kinds.push_back({{"layers", {kind.first, kind.last}},
                     {"count", kind.count},
                     {"events", kind.events},
                     {"moe", kind.moe},
                     {"median_wall_ns", kind.median_wall_ns}});
  }
  return {{"count", layers->count},
          {"stream", layers->stream},
          {"events_before", layers->events_before},
          {"events_after", layers->events_after},
          {"wall_ns", layers->wall_ns},
          {"kinds", kinds}};
}

json shown_json(const ShownStep& shown) {
  json out = {{"index", shown.step.index},
              {"phase", shown.step.phase},
              {"label", shown.step.label},
              {"span_ns", shown.step.span_ns},
              {"period_ns", optional_json(shown.step.period_ns)},
              {"gap_ns", optional_json(shown.step.gap_ns)},
              {"busy_ns", shown.accounting.busy_ns},
              {"idle_ns", shown.accounting.idle_ns},
              {"classes_ns", classes_json(shown.accounting.classes)},
              {"primary_stream", shown.accounting.primary_stream},
              {"foreign_events_in_window", shown.foreign_events},
              {"idle_causes_ns", idle_json(shown.idle_causes)}};
  if (shown.layers) {
    out.update(phases_json(shown));
    out["layers"] = layers_json(shown.layers);
  }
  return out;
}

// Every field that we say must be the reference's; it may say more.
void check_same(const json& got, const json& want) {
  for (const auto& [field, value] : got.items()) {
    CAPTURE(field);
    json wanted = want.contains(field) ? want.at(field) : json(nullptr);
    if (field == "layers") wanted.erase("side_events");
    CHECK(value == wanted);
  }
}

void check_collectives(const Breakdown& result, const json& want) {
  REQUIRE(result.collectives.has_value());
  const Collectives& found = *result.collectives;
  CHECK(found.matched == want.at("matched"));
  CHECK(found.unmatched == want.at("unmatched_calls"));
  CHECK(optional_json(found.release_mad_ns) == want.at("release_mad_ns"));
  for (const CollectiveRank& rank : found.by_rank) {
    const std::string key = std::to_string(rank.rank.value_or(-1));
    CHECK(rank.wait_ns == want.at("wait_ns").at(key));
    CHECK(rank.transfer_ns == want.at("transfer_ns").at(key));
    CHECK(rank.clock_offset_ns == want.at("clock_offset_ns").at(key));
    CHECK(rank.late_calls == want.at("late_rank").value(key, 0));
  }
}

}  // namespace

TEST_SUITE("oracle_accounting") {
  TEST_CASE("random sets of events") {
    const TempFolder folder;
    const int traces = wanted_traces(300);
    for (int i = 0; i < traces; ++i) {
      write_file(folder.path(), fmt::format("{:06}.json", i),
                 random_trace(static_cast<unsigned>(i) + 1));
    }
    const std::map<std::string, json> wanted = reference("breakdown", folder.path());
    REQUIRE(wanted.size() == static_cast<std::size_t>(traces));
    for (const auto& [name, want] : wanted) {
      CAPTURE(name);
      const auto result = analyze_file(folder.path() / name);
      REQUIRE(result.has_value());
      REQUIRE(result->devices.size() == 1);
      CHECK(accounting_json(result->devices[0].accounting) ==
            want.at("devices").at("pid 0 device 0"));
      CHECK(result->trace.duplicates == want.at("dropped").value("duplicate", 0));
    }
  }
}

TEST_SUITE("oracle_structure") {
  TEST_CASE("model shapes, with markers and without") {
    const TempFolder folder;
    std::vector<ModelTraceOptions> models;
    for (const ModelShape shape :
         {ModelShape::dense, ModelShape::gpt_oss, ModelShape::deepseek, ModelShape::hybrid,
          ModelShape::moe_primary, ModelShape::fused_norms}) {
      for (const int variant : {0, 1, 2, 3, 4, 5}) {
        models.push_back({.shape = shape,
                          .steps = 2 + variant % 3,
                          .markers = variant < 4,
                          .graph = variant != 1 && variant != 3,
                          .autotuned = variant >= 2,
                          .seed = static_cast<unsigned>(models.size()) + 1});
      }
      // Without markers and graphs the reference knows steps of at most 600 kernels on the stream.
      const bool short_steps = shape == ModelShape::dense || shape == ModelShape::gpt_oss ||
                               shape == ModelShape::fused_norms;
      if (short_steps) models.push_back({.shape = shape, .markers = false, .graph = false});
    }
    for (std::size_t i = 0; i < models.size(); ++i) {
      write_file(folder.path(), fmt::format("{:03}.json", i), model_trace(models[i]));
    }
    for (const auto& [name, want] : reference("structure", folder.path())) {
      CAPTURE(name);
      const auto result = analyze_file(folder.path() / name);
      REQUIRE(result.has_value());
      const json& device = want.at("devices").at(0);
      json spans = json::array();
      for (const Step& step : result->steps) {
        spans.push_back({{"source", step.source}, {"span_ns", step.span_ns}});
      }
      json wanted_spans = json::array();
      for (const json& step : device.at("steps")) {
        wanted_spans.push_back({{"source", step.at("source")}, {"span_ns", step.at("span_ns")}});
      }
      CHECK(spans == wanted_spans);
      REQUIRE(result->shown.size() == 1);
      check_same(shown_json(result->shown[0]), device.at("chosen"));
    }
  }

  TEST_CASE("the golden step over four ranks") {
    const TempFolder folder;
    std::vector<std::filesystem::path> files;
    for (int rank = 0; rank < kGoldenRanks; ++rank) {
      files.push_back(write_file(folder.path(), fmt::format("golden-TP-{}.json", rank),
                                 golden_step_trace(rank)));
    }
    const std::map<std::string, json> wanted = reference("structure", folder.path());
    const auto result = analyze(files, {});
    REQUIRE(result.has_value());
    const json& want = wanted.at("golden");
    json got = shown_json(result->shown.at(0));
    // The reference counts the wait of rank 0 as work, so that the replay holds less than half of
    // it.
    got.erase("label");
    check_same(got, want.at("devices").at(0).at("chosen"));
    check_collectives(*result, want.at("collectives"));
  }
}
