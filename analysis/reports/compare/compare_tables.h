#pragma once
// The tables of a comparison: rows of one list of deltas, folded beyond a number of rows, with
// columns that add up as printed.

#include <cstddef>
#include <vector>

#include "analysis/compare.h"
#include "analysis/reports/document.h"

namespace stepscope::analysis {

// Categories, components or kernels with idle: the columns A, B and delta add up to the walls.
Table wall_table(const Comparison& comparison, const std::vector<Delta>& deltas,
                 const std::string& title, std::size_t rows_max);

// What only one side has, largest first.
Table one_side_table(const std::vector<Delta>& deltas, bool appeared, std::size_t rows_max);
bool has_one_sided(const std::vector<Delta>& deltas, bool appeared);

// The median layer of one kind in µs; the columns add up to its wall.
Table layer_table(const Comparison& comparison, const Delta& kind);

}  // namespace stepscope::analysis
