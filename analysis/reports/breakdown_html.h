#pragma once
// A Breakdown as HTML: the sections, words and figures of the Markdown report with longer tables,
// and above them what a page can do beyond text: bars, strips, a timeline. Nothing in it is loaded
// from elsewhere.

#include <string>

#include "analysis/breakdown.h"
#include "analysis/reports/report_context.h"

namespace stepscope::analysis {

// A page of its own, with style and script in it: works from a file.
std::string breakdown_html(const Breakdown& breakdown, const ReportContext& context);

// Its body alone (an article), without style, script or style attributes, for a page that brings
// report_style() and report_script() of html_assets.h. Its only script element is a block of JSON.
std::string breakdown_html_fragment(const Breakdown& breakdown, const ReportContext& context);

}  // namespace stepscope::analysis
