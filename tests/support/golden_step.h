#pragma once
// One decode step of DeepSeek-R1 FP4 on four GPUs, made from the counts and totals of a published
// report: two streams, 61 layers, a first all-reduce in which rank 0 waits 13.625 ms for the
// others. No markers; the layers are one graph replay.

#include <string>

namespace stepscope::tests {

inline constexpr int kGoldenRanks = 4;

// The trace of one rank, as Kineto writes it.
std::string golden_step_trace(int rank);

}  // namespace stepscope::tests
