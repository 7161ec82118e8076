#pragma once
// Bytes read of bytes known over all files of a run, handed to the caller. Files are read by
// several threads; the caller's function is called by one at a time.

#include <cstdint>
#include <functional>
#include <mutex>

namespace stepscope::analysis {

class ReadProgress {
 public:
  using Report = std::function<void(std::uint64_t read, std::uint64_t known)>;

  explicit ReadProgress(Report report) : report_(std::move(report)) {}

  void expect(std::uint64_t bytes);   // they are known of from now on
  void advance(std::uint64_t bytes);  // they were read

 private:
  Report report_;  // may be empty
  std::mutex mutex_;
  std::uint64_t read_ = 0;
  std::uint64_t known_ = 0;
};

}  // namespace stepscope::analysis
