#pragma once
// Trace files on disk: one folder a job under the data folder. A trace is in place completely or
// not at all; numbers in the database outlive it. Blocking; call it on a pool.

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "db/run.h"

namespace stepscope::workers {

struct StoredTrace {
  std::string file;  // relative to the artifact folder: "57/rank0.json.gz", the first of `files`
  std::string name;  // to offer on download
  std::string sha256;
  std::int64_t bytes = 0;                    // of that file
  std::int64_t kept_bytes = 0;               // of all of them
  std::vector<std::filesystem::path> files;  // absolute, all ranks, sorted by name
};

class Artifacts {
 public:
  // Makes the folder. Throws std::filesystem::filesystem_error.
  explicit Artifacts(const std::filesystem::path& folder);

  // An empty folder for an attempt; what a former one left is removed.
  std::filesystem::path scratch(db::JobId id, int attempt) const;
  // What can not be removed now goes at the next start.
  void drop_scratch(db::JobId id, int attempt) const;
  std::filesystem::path scratch_folder() const { return folder_ / "scratch"; }
  // At a start, before anything runs: removes what a killed process has left, and the folders of
  // which `kept` (paths below the artifact folder) names no file.
  void drop_leftovers(std::span<const std::string> kept) const;
  // Moves the traces to where they stay, in place of what a former attempt brought. Throws on I/O
  // errors.
  StoredTrace keep(db::JobId id, std::span<const std::filesystem::path> traces) const;
  std::filesystem::path path_of(const std::string& trace_file) const;
  // Removes the whole folder of a job's traces.
  void drop(db::JobId id) const;

 private:
  std::filesystem::path folder_;
};

}  // namespace stepscope::workers
