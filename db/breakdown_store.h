#pragma once
// Writes a finished analysis beside its job: the rendered texts, and one row per kernel with its
// names stored once for all runs. Reading is history.h. For the files of this folder only.

#include <span>

#include "db/database.h"
#include "db/run.h"

namespace stepscope::db {

// Part of the caller's transaction. Rows of the same stream and name are added up. Throws when the
// job has a breakdown already.
void store_breakdown(Database& database, JobId id, const StoredBreakdown& breakdown,
                     std::span<const KernelTotal> kernels);

}  // namespace stepscope::db
