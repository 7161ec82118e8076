#include "analysis/reading/tables/name_table.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

using namespace stepscope::analysis;

TEST_CASE("equal names have one id, in order of first use") {
  NameTable table(100);
  CHECK(table.intern("b") == 0);
  CHECK(table.intern("a") == 1);
  CHECK(table.intern("") == 2);
  CHECK(table.intern("b") == 0);
  CHECK(table.intern(std::string("a\0b", 3)) == 3);
  CHECK(table.size() == 4);
  CHECK_FALSE(table.full());
}

TEST_CASE("many names, also long ones that differ in one place, keep their ids while it grows") {
  NameTable table(10'000);
  std::vector<std::string> names;
  for (int i = 0; i < 5000; ++i) {
    std::string name(static_cast<std::size_t>(i % 100), 'x');
    names.push_back(name + std::to_string(i) + name);
  }
  for (std::size_t i = 0; i < names.size(); ++i) REQUIRE(table.intern(names[i]) == i);
  for (std::size_t i = 0; i < names.size(); ++i) REQUIRE(table.intern(names[i]) == i);
  CHECK(table.size() == 5000);
}

TEST_CASE("the number of names is limited; known ones are still found") {
  NameTable table(2);
  table.intern("a");
  table.intern("b");
  CHECK(table.intern("c") == 0);
  CHECK(table.full());
  CHECK(table.intern("b") == 1);
}

TEST_CASE("names are handed over in byte order with their new ids") {
  NameTable table(100);
  table.intern("beta");
  table.intern("Alpha");
  table.intern("alpha");
  std::vector<NameId> ids;
  CHECK(table.take_sorted(ids) == std::vector<std::string>{"Alpha", "alpha", "beta"});
  CHECK(ids == std::vector<NameId>{2, 0, 1});
  CHECK(table.size() == 0);
}

TEST_CASE("a table may hold less text") {
  NameTable names(100, 4);
  CHECK(names.intern("abcd") == 0);
  CHECK_FALSE(names.full());
  CHECK(names.intern("e") == 0);
  CHECK(names.full());
}

TEST_CASE("without a limit of its own a table ends at 64 MiB of text") {
  NameTable names(1000);
  for (int i = 0; i < 64; ++i)
    names.intern(std::string((1U << 20) - 2, 'x') + std::to_string(10 + i));
  CHECK_FALSE(names.full());
  names.intern("one more");
  CHECK(names.full());
}
