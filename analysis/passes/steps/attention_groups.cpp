#include "analysis/passes/steps/attention_groups.h"

namespace stepscope::analysis {

std::vector<std::size_t> attention_groups(const TraceView& view,
                                          std::span<const EventIndex> events) {
  std::vector<std::size_t> groups;
  GroupCounter counter;
  for (std::size_t i = 0; i < events.size(); ++i) {
    if (counter.begins(layer_token_of(view, events[i]))) groups.push_back(i);
  }
  return groups;
}

}  // namespace stepscope::analysis
