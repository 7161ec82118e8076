#pragma once
// Which of the expert GEMMs of one layer and stream are gate_up and which down, and the activations
// between them. Owns nothing; writes into the draft.

#include "analysis/passes/roles/role_draft.h"

namespace stepscope::analysis {

void assign_experts(RoleDraft& draft, Run run);

}  // namespace stepscope::analysis
