#pragma once
// A Breakdown as a fragment of plain HTML (no script, no style attribute): the same sections, words
// and figures as the Markdown report. The page around it belongs to server/page_routes.

#include <string>

#include "analysis/breakdown.h"
#include "analysis/reports/report_context.h"

namespace stepscope::analysis {

std::string breakdown_html(const Breakdown& breakdown, const ReportContext& context);

}  // namespace stepscope::analysis
