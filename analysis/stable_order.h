#pragma once
// A stable sort: equals keep their order, so that tables are the same on every run. (The one of
// libstdc++ 12 warns about itself under clang.)

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <utility>
#include <vector>

namespace stepscope::analysis {

template <typename T, typename Less>
void stable_order(std::vector<T>& items, Less less) {
  std::vector<std::size_t> order(items.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::sort(order, [&](std::size_t a, std::size_t b) {
    if (less(items[a], items[b])) return true;
    return !less(items[b], items[a]) && a < b;
  });
  std::vector<T> sorted;
  sorted.reserve(items.size());
  for (const std::size_t i : order) sorted.push_back(std::move(items[i]));
  items = std::move(sorted);
}

}  // namespace stepscope::analysis
