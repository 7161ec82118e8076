#pragma once
// The REST API under /api/v1 and the two health routes: handlers are plumbing between a request,
// one call on a database pool and an answer.

#include <expected>
#include <string>

#include "db/history.h"
#include "runtime/router.h"
#include "server/app.h"

namespace stepscope::server {

// `app` must outlive the router.
void add_api_routes(runtime::Router& router, App& app);

// The filters of GET /api/v1/runs. Error: one line that names the query key.
std::expected<db::RunFilter, std::string> run_filter_of(const runtime::HttpRequest& request);

}  // namespace stepscope::server
