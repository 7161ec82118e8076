// The worked examples of requests that lie beside the repository, read with the real catalog there.
#include <doctest/doctest.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "db/catalog.h"
#include "tests/shared/shared_folder.h"
#include "webhooks/request_json.h"
#include "webhooks/request_reader.h"

using namespace stepscope;
using nlohmann::json;

namespace {

// Rows that are not read as they should be yet; each is a debt, and the list must be exact.
const std::vector<std::string> kKnownOpen = {};

struct Row {
  std::string id;
  std::string context;
  std::string text;
  json expected;
};

// Columns: id, context, text, expected; the first line holds their names.
std::vector<Row> read_rows() {
  std::ifstream in(tests::shared_folder() / "requests.tsv");
  std::vector<Row> rows;
  std::string line;
  std::getline(in, line);
  while (std::getline(in, line)) {
    std::vector<std::string> columns;
    for (std::size_t at = 0; at <= line.size();) {
      const std::size_t tab = std::min(line.find('\t', at), line.size());
      columns.push_back(line.substr(at, tab - at));
      at = tab + 1;
    }
    REQUIRE(columns.size() == 4);
    json expected = json::parse(columns[3]);
    expected.erase("note");  // a comment on the row
    rows.push_back({columns[0], columns[1], columns[2], std::move(expected)});
  }
  return rows;
}

}  // namespace

TEST_SUITE("requests") {
  TEST_CASE("every worked example is understood as its expected column says") {
    const auto catalog =
        db::Catalog::load(tests::shared_folder() / "catalog" / "inferencex-configs.json");
    REQUIRE_MESSAGE(catalog.has_value(), catalog.error());
    const webhooks::RequestReader reader(*catalog, "bot");
    const std::vector<Row> rows = read_rows();
    REQUIRE(rows.size() >= 98);
    std::vector<std::string> open;
    for (const Row& row : rows) {
      const auto line = webhooks::request_line(row.context, row.text, reader);
      REQUIRE_MESSAGE(line.has_value(), row.id);
      // Keys are sorted and nothing is spaced, so equal values are equal bytes.
      if (*line == row.expected.dump()) continue;
      open.push_back(row.id);
      std::printf("%s %s\n  read as  %s\n  expected %s\n", row.id.c_str(), row.text.c_str(),
                  line->c_str(), row.expected.dump().c_str());
    }
    std::printf("%zu of %zu examples\n", rows.size() - open.size(), rows.size());
    CHECK(open == kKnownOpen);
  }

}  // TEST_SUITE
