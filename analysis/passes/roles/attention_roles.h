#pragma once
// The roles of one layer up to its feed-forward part: projections, attention, o_proj and what
// stands between them. Owns nothing; writes into the draft.

#include <cstddef>

#include "analysis/passes/roles/role_draft.h"

namespace stepscope::analysis {

// `run` is the layer on its own stream, `attention` where its attention group begins in it. Returns
// where the feed-forward part begins in it.
std::size_t assign_attention(RoleDraft& draft, Run run, std::size_t attention);

// When the parts of a layer begin on its own stream.
struct LayerTimes {
  Ns first_gemm_ns = 0;
  Ns attention_ns = 0;
  Ns feed_forward_ns = 0;
};

// Events of another stream that start before the feed-forward part.
void assign_beside_attention(RoleDraft& draft, Run run, const LayerTimes& times);

}  // namespace stepscope::analysis
