#include "analysis/reading/bytes/byte_source.h"

#include <doctest/doctest.h>

#include <fstream>
#include <string>

#include "tests/support/temp_folder.h"

using stepscope::tests::TempFolder;
using namespace stepscope::analysis;

TEST_CASE("a file's bytes come whole, and its size is known before") {
  const TempFolder folder;
  std::ofstream(folder.path() / "a") << "0123456789";
  auto source = open_file(folder.path() / "a");
  REQUIRE(source.has_value());
  CHECK((*source)->size() == 10);
  std::string text(7, '\0');
  std::span<unsigned char> room(reinterpret_cast<unsigned char*>(text.data()), text.size());
  CHECK((*source)->read(room) == 7);
  CHECK(text == "0123456");
  CHECK((*source)->read(room) == 3);
  CHECK(text == "7893456");
  CHECK((*source)->read(room) == 0);
}

TEST_CASE("what can not be opened says why") {
  const TempFolder folder;
  CHECK(open_file(folder.path()).error() == "it is a folder");
  CHECK(open_file(folder.path() / "none").error() == "No such file or directory");
}
