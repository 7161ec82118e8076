#pragma once
// A second, slow accounting, written from the text of R0-R7 instant by instant: the oracle for the
// sweep in analysis/passes. Quadratic; for small sets of events only.

#include <optional>
#include <string>
#include <vector>

#include "analysis/breakdown.h"

namespace stepscope::tests {

struct ReferenceEvent {
  std::string name;
  std::string stream;
  analysis::Ns start_ns = 0;
  analysis::Ns end_ns = 0;
  std::optional<std::int64_t> correlation;
  analysis::DeviceClass device_class = analysis::DeviceClass::compute;
};

// Category and component of the rows stay empty. Rows and streams are in the contract's order.
analysis::Accounting reference_account(const std::vector<ReferenceEvent>& events,
                                       analysis::Ns window_start_ns, analysis::Ns window_end_ns);

}  // namespace stepscope::tests
