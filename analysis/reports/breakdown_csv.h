#pragma once
// One table of a Breakdown as RFC 4180 CSV with a header line, for spreadsheets.

#include <expected>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/breakdown.h"
#include "analysis/reports/report_context.h"

namespace stepscope::analysis {

// kernels, streams, layers, ...
std::vector<std::string> csv_table_names();

// `table` is kernels, streams, layers (one row a layer), layer_rows (kernels of the median layer of
// each kind), components, where, phases, moe, ranks, collectives, idle or steps. Error: one line
// that names the tables.
std::expected<std::string, std::string> breakdown_csv(const Breakdown& breakdown,
                                                      const ReportContext& context,
                                                      std::string_view table);

}  // namespace stepscope::analysis
