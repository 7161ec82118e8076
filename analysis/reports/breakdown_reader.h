#pragma once
// Reads the JSON contract `stepscope.breakdown/1` back, as far as a comparison needs it: versions,
// files, what the report says around the figures, and of each shown step the walls, kernels,
// components and layers. What else the JSON holds is left empty.

#include <expected>
#include <string>
#include <string_view>

#include "analysis/breakdown.h"
#include "analysis/reports/report_context.h"

namespace stepscope::analysis {

struct StoredReport {
  Breakdown breakdown;
  ReportContext context;  // title, hardware note, replayed and provenance
};

// Whether the text says that it is of that schema.
bool is_breakdown_json(std::string_view text);

// Error, one line: no JSON, another schema, a figure that is absent or of another type (with its
// path), or figures that do not add up.
std::expected<StoredReport, std::string> read_breakdown_json(std::string_view text);

}  // namespace stepscope::analysis
