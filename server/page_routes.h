#pragma once
// The pages for people: the newest runs, and one page a run with the report of its comment. Only a
// page with a report has a script, a file of the daemon; a page of a run under way loads itself
// again.

#include <string>
#include <vector>

#include "db/history.h"
#include "db/run.h"
#include "runtime/router.h"
#include "server/app.h"

namespace stepscope::server {

// `app` must outlive the router.
void add_page_routes(runtime::Router& router, App& app);

// The insides of the pages; pure.
std::string runs_page(const std::vector<db::RunSummary>& runs);
struct RunPage {
  db::RunSummary run;
  std::vector<db::JobEvent> events;
  std::optional<db::StoredBreakdown> breakdown;
  std::string comment_refusal;  // why GitHub did not take the comment
  std::string link_suffix;      // keeps a signed link's right on the page's own links
};
std::string run_page(const RunPage& page);

}  // namespace stepscope::server
