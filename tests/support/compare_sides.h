#pragma once
// Sides of a comparison with given rows, and random ones whose rows and idle sum to the wall.

#include <random>
#include <string>
#include <utility>
#include <vector>

#include "analysis/compare.h"

namespace stepscope::tests {

inline analysis::ComparedRow compared_row(std::string name, analysis::Ns charged, analysis::Ns busy,
                                          std::string stream = "") {
  analysis::ComparedRow row;
  row.key = row.label = std::move(name);
  row.stream = std::move(stream);
  row.calls = 1;
  row.charged_ns = charged;
  row.busy_ns = busy;
  return row;
}

// One step whose only component, category and kernel has `charged`.
inline analysis::CompareSide plain_side(analysis::Ns charged, analysis::Ns idle) {
  analysis::CompareSide side;
  side.title = "run";
  side.file = "run.json";
  side.table_version = "3";
  side.analyzer_version = "0.1.0";
  side.phase = "decode";
  side.wall_ns = side.min_ns = side.max_ns = charged + idle;
  side.idle_ns = idle;
  side.idle_min_ns = side.idle_max_ns = idle;
  side.steps = 1;
  side.primary_stream = "7";
  side.leading_category = "gemm-dense";
  const auto ranged = [&](analysis::ComparedRow row) {
    row.charged_min_ns = row.charged_max_ns = row.charged_ns;
    return row;
  };
  side.categories = {ranged(compared_row("gemm-dense", charged, charged))};
  side.components = {ranged(compared_row("mlp", charged, charged))};
  side.kernels = {ranged(compared_row("gemm", charged, charged, "7"))};
  return side;
}

// Names come from a small set, so that two sides share some and differ in others.
inline analysis::CompareSide random_side(std::mt19937& random) {
  const auto below = [&](int bound) {
    return std::uniform_int_distribution<int>(0, bound - 1)(random);
  };
  analysis::CompareSide side = plain_side(0, below(5000));
  side.primary_stream = std::to_string(below(3));
  side.kernels.clear();
  std::vector<analysis::Ns> by_category(6);
  for (int kernel = 0; kernel < 12; ++kernel) {
    for (int stream = 0; stream < 3; ++stream) {
      if (below(3) > 0) continue;
      const analysis::Ns charged = below(4) == 0 ? 0 : below(1'000'000);
      side.kernels.push_back(compared_row("kernel " + std::to_string(kernel), charged,
                                          charged + below(1000), std::to_string(stream)));
      by_category[static_cast<std::size_t>(kernel % 6)] += charged;
      side.wall_ns += charged;
    }
  }
  side.categories.clear();
  side.components.clear();
  for (std::size_t i = 0; i < by_category.size(); ++i) {
    const analysis::Ns charged = by_category[i];
    if (charged == 0) continue;
    side.categories.push_back(compared_row("category " + std::to_string(i), charged, charged));
    side.components.push_back(compared_row("component " + std::to_string(i), charged, charged));
  }
  side.min_ns = side.max_ns = side.wall_ns;
  return side;
}

}  // namespace stepscope::tests
