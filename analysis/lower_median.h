#pragma once
// The median that all figures use: of an even count the lower of the two in the middle, so that it
// is one of the values.

#include <algorithm>
#include <cstddef>
#include <vector>

namespace stepscope::analysis {

// Element (n - 1) / 2 of the sorted values, of which there is at least one.
template <typename Value>
Value lower_median(std::vector<Value> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>((values.size() - 1) / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

}  // namespace stepscope::analysis
