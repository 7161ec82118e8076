// The kernel-name table that lies beside the repository, against the category rules.
#include <doctest/doctest.h>
#include <re2/re2.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/passes/names/category_rules.h"
#include "analysis/passes/names/kernel_category.h"
#include "tests/shared/shared_folder.h"

using namespace stepscope::analysis;

namespace {

struct Row {
  std::string name;
  std::string category;
};

// Columns: name, category, remark, hardware, source; the first line holds their names.
std::vector<Row> read_rows() {
  std::ifstream in(stepscope::tests::shared_folder() / "kernel-names.tsv");
  std::vector<Row> rows;
  std::string line;
  std::getline(in, line);
  while (std::getline(in, line)) {
    const std::size_t first = line.find('\t');
    REQUIRE(first != std::string::npos);
    const std::size_t second = line.find('\t', first + 1);
    rows.push_back({line.substr(0, first), line.substr(first + 1, second - first - 1)});
  }
  return rows;
}

}  // namespace

TEST_SUITE("kernel_names") {
  TEST_CASE("every shared name falls into the category of the table") {
    const KernelClassifier classifier = KernelClassifier::create("").value();
    const std::vector<Row> rows = read_rows();
    CHECK(rows.size() >= 425);
    for (const Row& row : rows) {
      CAPTURE(row.name);
      const KernelCategory found = classifier.classify(row.name);
      CAPTURE(found.rule);
      CHECK(found.category == row.category);
    }
  }

  // A rule that matches one name alone could be that name learned by heart; its note must say which
  // family it stands for, as "family: what".
  TEST_CASE("no rule matches a single shared name unless its note names a family") {
    CHECK(category_rules().size() <= 150);
    const std::vector<Row> rows = read_rows();
    for (const CategoryRule& rule : category_rules()) {
      const RE2 pattern(re2::StringPiece(rule.pattern.data(), rule.pattern.size()));
      int matches = 0;
      for (const Row& row : rows) matches += RE2::PartialMatch(row.name, pattern) ? 1 : 0;
      CAPTURE(rule.pattern);
      const bool names_family = rule.note.find(": ") != std::string_view::npos;
      CHECK((matches != 1 || names_family));
    }
  }

}  // TEST_SUITE
