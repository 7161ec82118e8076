// Any bytes, in blocks of any size, with any vectors: the scanner hands on the same events and the
// same damage, within the text, also when its sink can not read some of the events.

#include <string_view>

#include "tests/fuzz/json_mutator.h"
#include "tests/fuzz/require.h"
#include "tests/fuzz/scan_record.h"

namespace {
using namespace stepscope;
}

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size,
                                               std::size_t size_max, unsigned seed) {
  // Half of the changes leave JSON as it is, the other half break it.
  return fuzz::mutate_json_bytes(data, size, size_max, seed % 2 == 0 ? 0 : seed / 2);
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const std::uint64_t hash = fuzz::content_hash(text);
  const auto readable = [hash](std::string_view event) {
    return (fuzz::content_hash(event) ^ hash) % 8 != 0;
  };
  fuzz::use_vector_target(hash >> 48);
  const fuzz::ScanRecord whole = fuzz::scan_text(text, size + 1, readable);
  for (const std::size_t block :
       {std::size_t{1}, fuzz::block_size_from(hash >> 8), fuzz::block_size_from(hash >> 28)}) {
    fuzz::use_vector_target((hash >> 48) + block);
    fuzz::require(fuzz::scan_text(text, block, readable) == whole,
                  "blocks and vectors of any size give the same");
  }
  return 0;
}
