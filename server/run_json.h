#pragma once
// Runs as the JSON of the REST API. Pure.

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "db/history.h"
#include "db/run.h"

namespace stepscope::server {

// One run; times are Unix milliseconds or null. "links" are paths on this server.
nlohmann::ordered_json run_json(const db::RunSummary& run);
// The same with its events and its place in the queue.
nlohmann::ordered_json run_detail_json(const db::RunSummary& run,
                                       const std::vector<db::JobEvent>& events, int queue_position);

}  // namespace stepscope::server
