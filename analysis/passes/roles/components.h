#pragma once
// Components of a step refined by place (R14), and the roles of each kernel row. Owns nothing.

#include <span>
#include <vector>

#include "analysis/passes/step_scene.h"
#include "analysis/step_breakdown.h"

namespace stepscope::analysis {

// By charged_ns falling, then name; with idle they sum to the window.
std::vector<ComponentRow> component_rows(const StepScene& scene);

// Fills KernelRow::roles: calls of all roles of a row add up to its calls, charged likewise.
void add_kernel_roles(const StepScene& scene, std::vector<KernelRow>& kernels);

}  // namespace stepscope::analysis
