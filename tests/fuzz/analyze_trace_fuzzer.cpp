// Text that mostly is a JSON trace, through the whole analysis into every report.

#include <string_view>

#include "tests/fuzz/checked_analysis.h"
#include "tests/fuzz/json_mutator.h"
#include "tests/fuzz/scan_record.h"

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size,
                                               std::size_t size_max, unsigned seed) {
  return stepscope::fuzz::mutate_json_bytes(data, size, size_max, seed);
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  stepscope::fuzz::analyze_file(text, stepscope::fuzz::content_hash(text) >> 8);
  return 0;
}
