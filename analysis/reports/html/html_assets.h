#pragma once
// Style sheet and script of a report, compiled in from web/: a report alone in a file holds both,
// the daemon serves them as files of their own. They live as long as the program.

#include <string_view>

namespace stepscope::analysis {

std::string_view report_style();
std::string_view report_script();

}  // namespace stepscope::analysis
