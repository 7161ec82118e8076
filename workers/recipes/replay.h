#pragma once
// The recipe "replay": brings a trace that was recorded earlier, from a file or an https URL of the
// operator's catalog, for demonstrations and tests. Whatever comes of it is marked as replayed.

#include <cstdint>
#include <filesystem>
#include <string>

#include "runtime/error.h"

namespace stepscope::workers {

struct ReplayOptions {
  std::string source;            // absolute path, or https URL (http on loopback)
  std::filesystem::path folder;  // gets the trace and result.json
  std::uint64_t bytes_max =
      5ULL << 30;  // of a file; a download is held in memory: kDownloadBytesMax
};

inline constexpr std::uint64_t kDownloadBytesMax = 256ULL << 20;

// Error: the source is missing, too large, or no trace file name can be made of it.
runtime::Result<void> run_replay(const ReplayOptions& options);

}  // namespace stepscope::workers
