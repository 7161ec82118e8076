#pragma once
// How a fuzzer says that a property does not hold: one line on stderr, then the trap that libFuzzer
// takes as a find.

#include <cstdio>
#include <string_view>

namespace stepscope::fuzz {

inline void require(bool holds, std::string_view what, std::string_view detail = {}) {
  if (holds) return;
  std::fprintf(stderr, "property violated: %.*s: %.*s\n", static_cast<int>(what.size()),
               what.data(), static_cast<int>(detail.size()), detail.data());
  __builtin_trap();
}

}  // namespace stepscope::fuzz
