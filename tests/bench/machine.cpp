#include <fmt/format.h>

#include <cstdlib>
#include <fstream>
#include <string>
#include <thread>

#include "tests/bench/measures.h"
#include "tests/bench/process_cost.h"

namespace stepscope::bench {

namespace {

std::string processor() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    const std::size_t colon = line.find(": ");
    if (line.starts_with("model name") && colon != std::string::npos) return line.substr(colon + 2);
  }
  return "unknown processor";
}

bool is_sanitized() {
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || \
    __has_feature(memory_sanitizer) || __has_feature(undefined_behavior_sanitizer)
  return true;
#else
  return false;
#endif
}

}  // namespace

void print_machine() {
  double load = 0;
  getloadavg(&load, 1);
  const double nothing_mib = run_process({"true"}, Output::thrown_away).cost.peak_mib;
  fmt::print(
      "{} build; {}, {} cores, load {:.1f}; a program that does nothing peaks at {:.1f} MiB\n",
      STEPSCOPE_BUILD_TYPE, processor(), std::thread::hardware_concurrency(), load, nothing_mib);
  if (is_sanitized()) {
    fmt::print(
        "WARNING: built with sanitizers, which slow down ours and not the others: these "
        "figures only show that the benchmark works\n");
  }
}

}  // namespace stepscope::bench
