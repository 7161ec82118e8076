#pragma once
// One run of kernels for tests of the roles of a single part of a layer. Owns the trace; not
// movable, because the draft points into it.

#include <numeric>
#include <string>
#include <vector>

#include "analysis/passes/roles/role_draft.h"
#include "tests/analysis/passes/role_scene.h"

namespace stepscope::tests {

class RoleRun {
 public:
  // Kernels of 10 ns, one behind the other.
  explicit RoleRun(const std::vector<std::string>& names)
      : trace_(make(names)),
        classes_(trace_, real_category),
        table_(analysis::devices_of(trace_)),
        view_{trace_, classes_, table_},
        draft(view_, table_.devices.at(0).events) {
    run.resize(names.size());
    std::iota(run.begin(), run.end(), 0U);
  }
  RoleRun(const RoleRun&) = delete;
  RoleRun& operator=(const RoleRun&) = delete;

  std::string roles() const {
    std::string out;
    for (const std::uint32_t at : run) {
      const std::string_view name = role_name(draft.role(at));
      if (!out.empty()) out += " | ";
      out += name.empty() ? "-" : name;
    }
    return out;
  }
  const std::string& place(std::uint32_t at) const {
    return draft.map.places.at(draft.map.place_of.at(at));
  }

 private:
  static analysis::Trace make(const std::vector<std::string>& names) {
    StepMaker maker;
    for (const std::string& name : names) maker.run(name, 10);
    return maker.trace().build();
  }

  analysis::Trace trace_;
  analysis::EventClasses classes_;
  analysis::DeviceTable table_;
  analysis::TraceView view_;

 public:
  analysis::RoleDraft draft;
  std::vector<std::uint32_t> run;
};

}  // namespace stepscope::tests
