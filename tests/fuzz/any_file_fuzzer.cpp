// Any bytes as a file: whatever format they claim to be in (gzip, zip, SQLite, JSON of other
// profilers), the answer is a result or an error of one line.

#include <string_view>

#include "tests/fuzz/checked_analysis.h"
#include "tests/fuzz/scan_record.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  stepscope::fuzz::analyze_file(bytes, stepscope::fuzz::content_hash(bytes) >> 8);
  return 0;
}
