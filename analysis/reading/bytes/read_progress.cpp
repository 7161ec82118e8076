#include "analysis/reading/bytes/read_progress.h"

namespace stepscope::analysis {

void ReadProgress::expect(std::uint64_t bytes) {
  const std::lock_guard lock(mutex_);
  known_ += bytes;
}

void ReadProgress::advance(std::uint64_t bytes) {
  const std::lock_guard lock(mutex_);
  read_ += bytes;
  if (report_) report_(read_, known_);
}

}  // namespace stepscope::analysis
