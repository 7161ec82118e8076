#pragma once
// The files that are measured: made by this program in a process of its own (so that the measuring
// one stays small), in a folder that was given and keeps them, or in a temporary one that goes.

#include <cstdint>
#include <filesystem>
#include <string>

#include "tests/bench/trace_generator.h"

namespace stepscope::bench {

class TraceFolder {
 public:
  // An empty path makes a temporary folder. Throws std::runtime_error when the folder has less
  // space than packed traces of `text_bytes` in all can need.
  TraceFolder(const std::filesystem::path& given, std::uint64_t text_bytes);
  ~TraceFolder();
  TraceFolder(const TraceFolder&) = delete;
  TraceFolder& operator=(const TraceFolder&) = delete;

  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
  bool temporary_;
};

struct PackedTrace {
  std::filesystem::path path;
  std::uint64_t packed_bytes = 0;
  Truth truth;
};

// bench-STYLE-TP-RANK.trace.json.gz, over an older one.
PackedTrace make_trace(const TraceShape& shape, const std::filesystem::path& folder);

}  // namespace stepscope::bench
