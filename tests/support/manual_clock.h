#pragma once
// A clock that stands still until a test moves it.

#include <cstdint>

#include "runtime/clock.h"

namespace stepscope::tests {

class ManualClock final : public runtime::Clock {
 public:
  explicit ManualClock(std::int64_t now_ms = 1'700'000'000'000) : now_ms_(now_ms) {}
  std::int64_t now_ms() const override { return now_ms_; }
  void set(std::int64_t now_ms) { now_ms_ = now_ms; }
  void advance(std::int64_t by_ms) { now_ms_ += by_ms; }

 private:
  std::int64_t now_ms_;
};

}  // namespace stepscope::tests
