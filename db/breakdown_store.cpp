#include "db/breakdown_store.h"

#include <map>
#include <string>
#include <string_view>

namespace stepscope::db {
namespace {

// Ids of names, asked once per name and call.
class Names {
 public:
  explicit Names(Database& database)
      : database_(database),
        insert_(database.prepare(
            "INSERT INTO kname (name) VALUES (?1) ON CONFLICT (name) DO NOTHING")) {}

  std::int64_t id_of(const std::string& name) {
    const auto known = ids_.find(name);
    if (known != ids_.end()) return known->second;
    insert_.bind(1, name).run();
    Statement select = database_.prepare("SELECT id FROM kname WHERE name = ?1");
    select.bind(1, name).step();
    return ids_[name] = select.integer(0);
  }

 private:
  Database& database_;
  Statement insert_;
  std::map<std::string, std::int64_t> ids_;
};

}  // namespace

void store_breakdown(Database& database, JobId id, const StoredBreakdown& breakdown,
                     std::span<const KernelTotal> kernels) {
  database
      .prepare(
          "INSERT INTO breakdown (job_id, wall_ns, idle_ns, complete, table_version, json, "
          "markdown, html) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)")
      .bind(1, id)
      .bind(2, breakdown.wall_ns)
      .bind(3, breakdown.idle_ns)
      .bind(4, breakdown.complete)
      .bind(5, breakdown.table_version)
      .bind(6, breakdown.json)
      .bind(7, breakdown.markdown)
      .bind(8, breakdown.html)
      .run();
  Names names(database);
  Statement insert = database.prepare(
      "INSERT INTO kern (run, stream, name, category, calls, sum_ns, charged_ns) "
      "VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7) ON CONFLICT (run, stream, name) DO UPDATE SET "
      "calls = calls + excluded.calls, sum_ns = sum_ns + excluded.sum_ns, "
      "charged_ns = charged_ns + excluded.charged_ns");
  for (const KernelTotal& kernel : kernels) {
    insert.bind(1, id)
        .bind(2, kernel.stream)
        .bind(3, names.id_of(kernel.name))
        .bind(4, names.id_of(kernel.category))
        .bind(5, kernel.calls)
        .bind(6, kernel.sum_ns)
        .bind(7, kernel.charged_ns)
        .run();
  }
}

}  // namespace stepscope::db
