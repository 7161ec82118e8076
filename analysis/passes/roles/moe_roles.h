#pragma once
// The roles of the feed-forward part of a MoE layer: router, routing, experts, shared expert, and
// the exchange between ranks. Owns nothing; writes into the draft.

#include <span>
#include <vector>

#include "analysis/passes/roles/role_draft.h"

namespace stepscope::analysis {

// One run for each stream, the layer's own first: the events that belong to the feed-forward part.
void assign_moe_feed_forward(RoleDraft& draft, std::span<const std::vector<std::uint32_t>> runs);

}  // namespace stepscope::analysis
