#include "tests/bench/bench_trace.h"

#include <fmt/format.h>

#include <cstdlib>
#include <stdexcept>
#include <system_error>
#include <vector>

#include "tests/bench/answers.h"
#include "tests/bench/gzip_writer.h"
#include "tests/bench/process_cost.h"

namespace stepscope::bench {

namespace {

// Packed they have a fourteenth or less; a file system wants some room of its own.
constexpr std::uint64_t kRatioMin = 10;
constexpr std::uint64_t kSpareBytes = 100'000'000;

std::filesystem::path temporary_folder() {
  std::string name = (std::filesystem::temp_directory_path() / "stepscope-bench-XXXXXX").string();
  if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("no temporary folder " + name);
  return name;
}

}  // namespace

TraceFolder::TraceFolder(const std::filesystem::path& given, std::uint64_t text_bytes)
    : path_(given.empty() ? temporary_folder() : given), temporary_(given.empty()) {
  std::filesystem::create_directories(path_);
  const std::uint64_t free_bytes = std::filesystem::space(path_).available;
  const std::uint64_t wanted_bytes = text_bytes / kRatioMin + kSpareBytes;
  if (free_bytes >= wanted_bytes) return;
  if (temporary_) std::filesystem::remove(path_);
  throw std::runtime_error(
      fmt::format("{} has {} MB free, and the traces want {} MB: choose another with --folder",
                  path_.string(), free_bytes / 1'000'000, wanted_bytes / 1'000'000));
}

TraceFolder::~TraceFolder() {
  std::error_code ignored;
  if (temporary_) std::filesystem::remove_all(path_, ignored);
}

PackedTrace make_trace(const TraceShape& shape, const std::filesystem::path& folder) {
  PackedTrace trace;
  trace.path =
      folder / fmt::format("bench-{}-TP-{}.trace.json.gz", name_of(shape.style), shape.rank);
  std::vector<std::string> words = {own_program(),
                                    "pack",
                                    name_of(shape.style),
                                    fmt::to_string(shape.megabytes),
                                    trace.path.string(),
                                    "--seed",
                                    fmt::to_string(shape.seed),
                                    "--rank",
                                    fmt::to_string(shape.rank),
                                    "--world-size",
                                    fmt::to_string(shape.world_size)};
  if (shape.odd) words.emplace_back("--odd");
  trace.truth = figures_of(run_process(words, Output::kept).output);
  trace.packed_bytes = std::filesystem::file_size(trace.path);
  return trace;
}

}  // namespace stepscope::bench
