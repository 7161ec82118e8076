// An operator's file of rules, any bytes: it is refused with one printable line that names the
// line, or it classifies. Slow, because the whole table is compiled behind it each time.

#include <algorithm>
#include <string>
#include <string_view>

#include "analysis/passes/names/kernel_category.h"
#include "tests/fuzz/require.h"

namespace {

using namespace stepscope;

bool is_printable(std::string_view line) {
  return std::ranges::all_of(line, [](char c) { return c >= ' ' && c <= '~'; });
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto classifier = analysis::KernelClassifier::create(text);
  if (!classifier) {
    fuzz::require(is_printable(classifier.error()), "the error is one printable line",
                  classifier.error());
    return 0;
  }
  for (const std::string_view name : {std::string_view("void gemm<64>(int)"), text}) {
    const analysis::KernelCategory found = classifier->classify(name);
    fuzz::require(!found.category.empty() && !found.component.empty(), "every name has a category");
  }
  fuzz::require(!classifier->table_version().empty(), "the table has a version");
  return 0;
}
