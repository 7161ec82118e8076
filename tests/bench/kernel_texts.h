#pragma once
// The names in a generated trace: kernels of a mixture-of-experts decoder as a demangler prints
// them (matrix products have over 1 kB), Python frames and operators. Constant for a program's
// lifetime.

#include <cstdint>
#include <string>
#include <vector>

namespace stepscope::bench {

struct KernelText {
  std::string name;
  std::int64_t dur_ns = 0;  // typical
  int registers = 0;
  int shared_bytes = 0;
  int grid_x = 1;
  int grid_y = 1;
  int block_x = 1;
  bool collective = false;  // ends on all ranks at the same time
};

struct KernelTexts {
  std::vector<KernelText> setup;    // before the layers
  KernelText gather;                // of the data-parallel ranks, on a stream of its own
  std::vector<KernelText> layer;    // of every layer, in order, on the main stream
  std::vector<KernelText> experts;  // of a layer with experts, beside it
};

KernelTexts kernel_texts();

// A few of them are not ASCII and show how a layout writes that. None needs an escape in UTF-8.
std::vector<std::string> python_frames();
std::vector<std::string> operators();

}  // namespace stepscope::bench
