#pragma once
// The roles of a step while they are being given: the events with their traits, and the map that is
// filled. Refers to the view and the events, which must outlive it.

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "analysis/passes/roles/kernel_traits.h"
#include "analysis/passes/roles/roles.h"

namespace stepscope::analysis {

// Positions of one stream's events in one layer, in start order.
using Run = std::span<const std::uint32_t>;

class RoleDraft {
 public:
  RoleDraft(const TraceView& view, std::span<const EventIndex> events)
      : view_(view), events_(events), traits_(analysis::traits_of(view, events)) {
    map.role_of.resize(events.size());
    map.place_of.resize(events.size());
  }

  RoleMap map;

  std::size_t size() const { return events_.size(); }
  const KernelTraits& traits(std::uint32_t at) const { return traits_[at]; }
  KernelKind kind(std::uint32_t at) const { return traits_[at].kind; }
  Role role(std::uint32_t at) const { return map.role_of[at]; }
  Ns start_ns(std::uint32_t at) const { return view_.event(events_[at]).start_ns; }
  Ns dur_ns(std::uint32_t at) const { return view_.event(events_[at]).dur_ns; }
  StreamIndex stream(std::uint32_t at) const { return view_.stream(events_[at]); }
  NameId name(std::uint32_t at) const { return view_.event(events_[at]).name; }
  std::string_view norm_word(std::uint32_t at) const {
    return analysis::norm_word(view_.trace.names[name(at)]);
  }

  // The number of a place text, for give and leave.
  std::uint32_t place(const std::string& text) {
    const auto next = static_cast<std::uint32_t>(map.places.size());
    const auto [found, added] = numbers_.try_emplace(text, next);
    if (added) map.places.push_back(text);
    return found->second;
  }
  void give(std::uint32_t at, Role role, std::uint32_t place) {
    map.role_of[at] = role;
    map.place_of[at] = place;
  }
  void give(std::uint32_t at, Role role, const std::string& text) { give(at, role, place(text)); }
  // A GEMM whose place does not decide.
  void leave(std::uint32_t at, const std::string& why) {
    give(at, Role::none, place("the place does not tell: " + why));
  }

 private:
  const TraceView& view_;
  std::span<const EventIndex> events_;
  std::vector<KernelTraits> traits_;
  std::map<std::string, std::uint32_t> numbers_;
};

// "1 GEMM", "3 GEMMs".
inline std::string gemms_text(std::size_t count) {
  return std::to_string(count) + (count == 1 ? " GEMM" : " GEMMs");
}

inline bool is_moe_kind(KernelKind kind) {
  return kind == KernelKind::expert_gemm || kind == KernelKind::routing;
}

// DeepEP and its kin say in the name which way they go.
inline std::optional<Role> exchange_by_name(const KernelTraits& traits) {
  if (traits.kind != KernelKind::collective) return {};
  if (traits.says_dispatch) return Role::dispatch;
  if (traits.says_combine) return Role::combine;
  return {};
}

}  // namespace stepscope::analysis
