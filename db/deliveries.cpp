#include "db/deliveries.h"

namespace stepscope::db {

bool Deliveries::known(std::string_view guid) {
  return database_.prepare("SELECT 1 FROM delivery WHERE guid = ?1").bind(1, guid).step();
}

void Deliveries::record(std::string_view guid, std::string_view event, std::string_view action,
                        std::string_view outcome, std::int64_t now_ms) {
  database_
      .prepare(
          "INSERT INTO delivery (guid, event, action, outcome, at_ms) "
          "VALUES (?1, ?2, ?3, ?4, ?5) ON CONFLICT (guid) DO NOTHING")
      .bind(1, guid)
      .bind(2, event)
      .bind(3, action)
      .bind(4, outcome)
      .bind(5, now_ms)
      .run();
}

void Deliveries::prune(std::int64_t older_than_ms) {
  database_.prepare("DELETE FROM delivery WHERE at_ms < ?1").bind(1, older_than_ms).run();
}

}  // namespace stepscope::db
