#pragma once
// Puts a whole report together: headline, first paragraphs, the table of where the time went, and
// the sections in the order in which they were asked for.

#include "analysis/breakdown.h"
#include "analysis/reports/document.h"
#include "analysis/reports/report_context.h"
#include "analysis/reports/report_sections.h"

namespace stepscope::analysis {

bool is_asked(const ReportContext& context, std::string_view ask);

// One shown step: its report. Several (all_steps): a table of them, each folded below. None: what
// the trace holds instead.
Document report_document(const Breakdown& breakdown, const ReportContext& context,
                         const Detail& detail);

}  // namespace stepscope::analysis
