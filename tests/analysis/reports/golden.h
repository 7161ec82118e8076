#pragma once
// Compares a text with a file of tests/golden/. With STEPSCOPE_UPDATE_GOLDEN set in the environment
// the file is written first; read the difference before you commit it.

#include <doctest/doctest.h>

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>

namespace stepscope::tests {

inline void check_golden(std::string_view name, const std::string& text) {
  const std::string path = std::string(STEPSCOPE_SOURCE_DIR "/tests/golden/") + std::string(name);
  if (std::getenv("STEPSCOPE_UPDATE_GOLDEN") != nullptr) {
    std::ofstream(path, std::ios::binary) << text;
  }
  std::ifstream file(path, std::ios::binary);
  const std::string expected{std::istreambuf_iterator<char>(file), {}};
  INFO("golden file: ", path);
  CHECK_FALSE(expected.empty());
  CHECK(text == expected);
}

}  // namespace stepscope::tests
