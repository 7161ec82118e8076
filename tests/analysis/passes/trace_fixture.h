#pragma once
// A trace made in memory together with what the passes need beside it. Owns all of it; not movable,
// because the view points into it.

#include <vector>

#include "analysis/passes/accounting/device_table.h"
#include "tests/support/trace_maker.h"

namespace stepscope::tests {

struct TraceFixture {
  explicit TraceFixture(const TraceMaker& maker)
      : trace(maker.build()),
        classes(trace, test_category),
        table(analysis::devices_of(trace)),
        view{trace, classes, table} {}
  TraceFixture(const TraceFixture&) = delete;
  TraceFixture& operator=(const TraceFixture&) = delete;

  const analysis::Device& device(std::size_t index = 0) const { return table.devices.at(index); }

  analysis::Trace trace;
  analysis::EventClasses classes;
  analysis::DeviceTable table;
  analysis::TraceView view;
};

}  // namespace stepscope::tests
