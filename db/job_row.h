#pragma once
// How a Job lies in the table `job`: its columns and the reading and writing of one row. For the
// files of this folder only.

#include <string_view>

#include "db/database.h"
#include "db/run.h"

namespace stepscope::db {

// For a SELECT that starts with them; the table must be named j.
std::string_view job_columns();
// How many columns that is: where a query's own columns begin.
int job_column_count();
Job read_job(const Statement& row);

// A new queued job without attempts. Part of the caller's transaction.
JobId insert_job(Database& database, RequestId request_id, const RunConfig& config,
                 std::int64_t now_ms);

}  // namespace stepscope::db
