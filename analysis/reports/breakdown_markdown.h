#pragma once
// A Breakdown as GitHub Markdown in the order and density of the finished comment: headline, table
// of where the time went, details folded. Foreign text (kernel and file names) is escaped: it can
// not break a table, mention a person or link an issue.

#include <string>

#include "analysis/breakdown.h"
#include "analysis/reports/report_context.h"

namespace stepscope::analysis {

// Starts with a "### " heading (or the PARTIAL line, then the heading); ends with a newline; valid
// UTF-8 of at most context.bytes_max bytes.
std::string breakdown_markdown(const Breakdown& breakdown, const ReportContext& context);

}  // namespace stepscope::analysis
