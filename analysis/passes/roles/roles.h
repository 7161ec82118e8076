#pragma once
// R14, second half: what the place of a kernel says that its name does not. Gives every event of a
// step a role (q/kv projection, o_proj, gate_up, router, ...) where the evidence decides, and
// Role::none where it does not. Owns nothing of the trace.

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/passes/accounting/device_table.h"
#include "analysis/passes/layers/layers.h"

namespace stepscope::analysis {

enum class Role : std::uint8_t {
  none,
  // attention block
  qkv_proj,           // before attention: q, k, v, q_a, kv_a, q_b, absorb
  attention_prepare,  // rope, cache writes, q/k norms, copies before attention
  attention_core,     // attention itself, its merges, the indexer of sparse attention
  attention_finish,   // gates, norms, copies between attention and o_proj
  o_proj,             // after attention: v up projection, o_proj
  attention_quantize,
  // dense MLP
  gate_up,
  mlp_activation,
  down,
  mlp_quantize,
  // MoE
  router,
  routing,
  dispatch,
  expert_gate_up,
  expert_down,
  expert_gemm,  // gate_up or down is not told
  expert_activation,
  expert_quantize,
  combine,  // finalize, weighted sum, combine over ranks
  shared_gate_up,
  shared_activation,
  shared_down,
  shared_quantize,
  // collectives inside the layers
  attention_collective,  // after o_proj
  mlp_collective,        // at the end of a dense layer
  moe_collective,        // at the end of a MoE layer
  // norms and the rest
  layer_norm,
  final_norm,
  embedding,
  lm_head,
  sampling,
};

// "q/kv projection", "o_proj", "gate_up", "shared expert gate_up", ...; empty for none.
std::string_view role_name(Role role);
// In the vocabulary of the contract; empty: the name's own component holds (dispatch and combine
// are communication, or MoE kernels such as the weighted sum).
std::string_view role_component(Role role);

enum class MoePartKind : std::uint8_t {
  router,
  dispatch,
  routed_experts,
  combine,
  shared_expert,
  collectives
};
std::optional<MoePartKind> moe_part(Role role);

struct RoleMap {
  std::vector<Role> role_of;             // parallel to the events
  std::map<Role, std::string> evidence;  // "between RMSNorm and attention, 61 calls = 61 layers"
  // Parallel to the events, into `places`: "between RMSNorm and attention"; of a GEMM without a
  // role, why not. 0: nothing to say.
  std::vector<std::uint32_t> place_of;
  std::vector<std::string> places{""};
};

// "between RMSNorm and attention, 122 calls = 2 x 61 layers". `layers_with`: layers that hold at
// least one of the calls; 0: none of them lies in a layer.
std::string evidence_text(std::string_view place, std::int64_t calls, std::size_t layers_with,
                          std::size_t layers);

// Without layers only what needs none is told (experts by name, communication that is dispatch or
// combine by name).
RoleMap assign_roles(const TraceView& view, std::span<const EventIndex> events,
                     const LayerMap* layers);

}  // namespace stepscope::analysis
