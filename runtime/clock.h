#pragma once
// The wall clock as an interface, so that tests own the time. Times are Unix milliseconds.

#include <cstdint>

namespace stepscope::runtime {

class Clock {
 public:
  virtual ~Clock() = default;
  virtual std::int64_t now_ms() const = 0;
};

class SystemClock final : public Clock {
 public:
  std::int64_t now_ms() const override;
};

}  // namespace stepscope::runtime
