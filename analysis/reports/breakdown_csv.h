#pragma once
// One table of a Breakdown as RFC 4180 CSV with a header line, for spreadsheets.

#include <expected>
#include <string>
#include <string_view>

#include "analysis/breakdown.h"
#include "analysis/reports/report_context.h"

namespace stepscope::analysis {

// `table` is kernels, streams, components, idle or steps. Error: one line that names the tables.
std::expected<std::string, std::string> breakdown_csv(const Breakdown& breakdown,
                                                      const ReportContext& context,
                                                      std::string_view table);

}  // namespace stepscope::analysis
