#pragma once
// Where the known answers lie, and the analysis of one file there.

#include <cstdlib>
#include <expected>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include "analysis/analyze.h"

namespace stepscope::tests {

inline std::filesystem::path shared_folder() {
  const char* named = std::getenv("STEPSCOPE_SHARED");
  return named != nullptr && *named != '\0' ? named : STEPSCOPE_SHARED_DEFAULT;
}

inline std::string read_text(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  return std::move(text).str();
}

inline std::expected<analysis::Breakdown, analysis::AnalyzeError> analyze_file(
    const std::filesystem::path& path) {
  return analysis::analyze(std::span(&path, 1), {});
}

}  // namespace stepscope::tests
