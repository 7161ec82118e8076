#pragma once
// Webhook deliveries that were seen, so that a second one of the same GUID is known and an operator
// can see what came in. Rows older than 30 days go.

#include <cstdint>
#include <string>
#include <string_view>

#include "db/database.h"

namespace stepscope::db {

class Deliveries {
 public:
  explicit Deliveries(Database& database) : database_(database) {}

  bool known(std::string_view guid);
  // After what it caused is stored. Recording a GUID twice changes nothing.
  void record(std::string_view guid, std::string_view event, std::string_view action,
              std::string_view outcome, std::int64_t now_ms);
  // Drops what was recorded before `older_than_ms` (Unix time).
  void prune(std::int64_t older_than_ms);

 private:
  Database& database_;
};

}  // namespace stepscope::db
