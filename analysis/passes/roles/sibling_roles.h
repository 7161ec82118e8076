#pragma once
// R14: layers whose place alone does not tell the roles of their GEMMs (a collective or a norm
// between two blocks is missing) take them from a layer with the same kernels otherwise. Owns
// nothing.

#include "analysis/passes/layers/layers.h"
#include "analysis/passes/roles/role_draft.h"

namespace stepscope::analysis {

// Only events of the layer stream that have no role are given one.
void assign_like_siblings(RoleDraft& draft, const LayerMap& layers);

}  // namespace stepscope::analysis
