#pragma once
// What the structure of the sample's step says: where the time went, 61 layers (3 dense, 58 MoE),
// phases, MoE, communication of two ranks, launches. Closes with the rows of sample_breakdown.cpp.

#include "analysis/breakdown.h"

namespace stepscope::tests {

// `shown` has its accounting; everything else of the step's structure is filled in.
void add_sample_structure(analysis::ShownStep& shown);
analysis::Collectives sample_collectives();

}  // namespace stepscope::tests
