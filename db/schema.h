#pragma once
// The tables, as a list of numbered migrations that is only ever added to. migrate() brings a file
// of any earlier version to the newest in one transaction and refuses a newer one.

#include "db/database.h"

namespace stepscope::db {

int schema_version();  // the newest that this build knows
void migrate(Database& database);

}  // namespace stepscope::db
