#include "analysis/passes/roles/sibling_roles.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <utility>
#include <vector>

namespace stepscope::analysis {
namespace {

// What the layers of one make have in common wherever collectives and norms stand.
bool is_counted(KernelKind kind) {
  switch (kind) {
    case KernelKind::attention:
    case KernelKind::gemm:
    case KernelKind::expert_gemm:
    case KernelKind::routing:
    case KernelKind::activation:
    case KernelKind::quantize:
      return true;
    default:
      return false;
  }
}

struct CountedLayer {
  std::vector<std::uint32_t> positions;
  // MoE or not, then the kinds in order.
  std::pair<bool, std::vector<KernelKind>> key;
  bool decided = true;
};

CountedLayer counted_layer(const RoleDraft& draft, const LayerMap& layers, std::size_t layer) {
  CountedLayer found;
  found.key.first = layers.kinds[layers.kind_of[layer]].moe;
  for (std::size_t i = layers.bounds[layer]; i < layers.bounds[layer + 1]; ++i) {
    const std::uint32_t at = layers.sequence[i];
    const KernelKind kind = draft.kind(at);
    if (!is_counted(kind)) continue;
    found.positions.push_back(at);
    found.key.second.push_back(kind);
    if (kind == KernelKind::gemm && draft.role(at) == Role::none) found.decided = false;
  }
  return found;
}

}  // namespace

void assign_like_siblings(RoleDraft& draft, const LayerMap& layers) {
  std::map<std::pair<bool, std::vector<KernelKind>>, std::size_t> decided;
  std::vector<std::size_t> open;
  for (std::size_t layer = 0; layer < layers.count(); ++layer) {
    CountedLayer found = counted_layer(draft, layers, layer);
    if (found.decided) {
      decided.try_emplace(std::move(found.key), layer);
    } else {
      open.push_back(layer);
    }
  }
  for (const std::size_t layer : open) {
    const CountedLayer own = counted_layer(draft, layers, layer);
    const auto sibling = decided.find(own.key);
    if (sibling == decided.end()) continue;
    const CountedLayer like = counted_layer(draft, layers, sibling->second);
    const std::uint32_t place =
        draft.place(fmt::format("as in layer {}, with the same GEMMs", sibling->second + 1));
    for (std::size_t i = 0; i < own.positions.size(); ++i) {
      const Role role = draft.role(like.positions[i]);
      if (draft.role(own.positions[i]) != Role::none || role == Role::none) continue;
      draft.give(own.positions[i], role, place);
    }
  }
}

}  // namespace stepscope::analysis
