#include "analysis/reports/html/html_assets.h"

#include "analysis/report_assets.h"

namespace stepscope::analysis {

std::string_view report_style() { return kReportStyle; }

std::string_view report_script() { return kReportScript; }

}  // namespace stepscope::analysis
