#include <doctest/doctest.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/shared/shared_folder.h"

using namespace stepscope::analysis;
using namespace stepscope::tests;
using nlohmann::json;

namespace {

json row_named(const std::string& file) {
  const json table = json::parse(read_text(shared_folder() / "traces" / "structure.json"));
  for (const json& row : table) {
    if (row.at("file") == file) return row;
  }
  FAIL("no row for ", file);
  return {};
}

std::string key_of(const CollectiveRank& rank) {
  return rank.label.empty() ? std::to_string(rank.rank.value()) : rank.label;
}

// The row as we see it, in the words of the table.
json row_of(const Collectives& figures) {
  json late = json::object();
  json wait = json::object();
  json transfer = json::object();
  for (const CollectiveRank& rank : figures.by_rank) {
    CHECK(rank.clock_offset_ns == 0);
    wait[key_of(rank)] = rank.wait_ns;
    transfer[key_of(rank)] = rank.transfer_ns;
    if (rank.late_calls > 0) late[key_of(rank)] = rank.late_calls;
  }
  json kinds = json::array();
  for (const CollectiveCall& call : figures.calls) kinds.push_back(call.kind);
  return {{"ranks", figures.ranks},
          {"world_size", figures.world_size.value()},
          {"complete", figures.complete},
          {"collectives_matched", figures.matched},
          {"unmatched_calls", figures.unmatched},
          {"kinds_in_order", kinds},
          {"late_rank_calls", late},
          {"largest_wait_ns", figures.largest_wait_ns},
          {"largest_release_spread_ns", figures.largest_release_spread_ns},
          {"wait_ns", wait},
          {"transfer_ns", transfer}};
}

Breakdown analyzed(const std::vector<std::filesystem::path>& paths) {
  auto result = analyze(paths, {});
  REQUIRE_MESSAGE(result.has_value(), (result ? "" : result.error().message));
  REQUIRE(result->collectives);
  return *std::move(result);
}

void check_row(const json& want, const Collectives& figures) {
  const json got = row_of(figures);
  for (const auto& [field, value] : got.items()) {
    CAPTURE(field);
    CHECK(value == want.at(field));
  }
}

}  // namespace

TEST_SUITE("collectives") {
  TEST_CASE("eight ranks in eight files, and the same in one merged file") {
    const json of_files = row_named("param-dlrm-8rank");
    std::vector<std::filesystem::path> paths;
    for (const json& file : of_files.at("files")) {
      paths.push_back(shared_folder() / "traces" / file.get<std::string>());
    }
    const Breakdown files = analyzed(paths);
    check_row(of_files, *files.collectives);

    const std::string merged_name = "derived/merged-dlrm-8rank.trace.json.gz";
    const Breakdown merged = analyzed({shared_folder() / "traces" / merged_name});
    check_row(row_named(merged_name), *merged.collectives);

    REQUIRE(merged.collectives->by_rank.size() == files.collectives->by_rank.size());
    for (std::size_t i = 0; i < files.collectives->by_rank.size(); ++i) {
      const CollectiveRank& one = files.collectives->by_rank[i];
      const CollectiveRank& other = merged.collectives->by_rank[i];
      CHECK(one.rank == other.rank);
      CHECK(one.wait_ns == other.wait_ns);
      CHECK(one.transfer_ns == other.transfer_ns);
      CHECK(one.late_calls == other.late_calls);
    }
    REQUIRE(merged.collectives->calls.size() == files.collectives->calls.size());
    for (std::size_t i = 0; i < files.collectives->calls.size(); ++i) {
      const CollectiveCall& one = files.collectives->calls[i];
      const CollectiveCall& other = merged.collectives->calls[i];
      CHECK(one.start_ns == other.start_ns);
      CHECK(one.last_arrival_ns == other.last_arrival_ns);
      CHECK(one.late_rank == other.late_rank);
    }
  }
}
