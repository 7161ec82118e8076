#pragma once
// R12: attention groups, of which a layer has one each. Owns nothing.

#include <cstddef>
#include <span>
#include <vector>

#include "analysis/passes/accounting/device_table.h"
#include "analysis/passes/steps/layer_tokens.h"

namespace stepscope::analysis {

// Told the kernels of one stream in start order, says where groups begin: at an attention or
// linear-attention kernel with at least two GEMMs since the last one. Split-K reductions, chunks of
// a prefill and the q projection of a cross attention do not separate.
class GroupCounter {
 public:
  // Whether a group begins with this kernel.
  bool begins(LayerToken token) {
    if (is_gemm_token(token)) {
      if (gemms_ < kGemmsBetween) ++gemms_;
      return false;
    }
    if (!is_attention_token(token)) return false;
    const bool begins = gemms_ == kGemmsBetween;
    gemms_ = 0;
    groups_ += begins ? 1 : 0;
    return begins;
  }
  std::size_t groups() const { return groups_; }

 private:
  static constexpr int kGemmsBetween = 2;
  int gemms_ = kGemmsBetween;  // nothing needs to precede the first group
  std::size_t groups_ = 0;
};

// Positions in `events` (in start order, of one stream) at which a group begins.
std::vector<std::size_t> attention_groups(const TraceView& view,
                                          std::span<const EventIndex> events);

// A graph or a stretch with fewer groups is a piece of a step and no step; a step with fewer has no
// layers.
inline constexpr std::size_t kWholeStepGroups = 3;

}  // namespace stepscope::analysis
