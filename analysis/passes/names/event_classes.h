#pragma once
// Joins the names of a trace with their categories: the classifier is asked once for every name
// that a device event carries. Owns its tables; does not keep the trace or the classifier.

#include <cstdint>
#include <functional>
#include <string_view>
#include <vector>

#include "analysis/passes/names/kernel_category.h"
#include "analysis/reading/event_table.h"

namespace stepscope::analysis {

class EventClasses {
 public:
  using Classify = std::function<KernelCategory(std::string_view)>;

  EventClasses(const Trace& trace, const Classify& classify);

  // R1: gpu_memcpy and gpu_memset events are copies whatever their name says.
  const KernelCategory& category(const DeviceEvent& event) const {
    return categories_[category_ids_[slot(event.name, event.kind)]];
  }
  DeviceClass device_class(const DeviceEvent& event) const { return category(event).device_class; }

 private:
  static std::size_t slot(NameId name, DeviceKind kind) {
    return std::size_t{name} * 3 + static_cast<std::size_t>(kind);
  }

  std::vector<std::uint32_t> category_ids_;  // three slots a name, one for each kind
  std::vector<KernelCategory> categories_;   // distinct, without the rule
};

}  // namespace stepscope::analysis
