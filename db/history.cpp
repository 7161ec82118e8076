#include "db/history.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "db/job_row.h"

namespace stepscope::db {
namespace {

constexpr int kListMax = 200;

std::string summary_query() {
  return fmt::format(
      "SELECT {}, r.source, r.comment_url, b.wall_ns, b.idle_ns FROM job j "
      "JOIN request r ON r.id = j.request_id LEFT JOIN breakdown b ON b.job_id = j.id",
      job_columns());
}

RunSummary read_summary(const Statement& row) {
  const int own = job_column_count();
  return {.job = read_job(row),
          .source = row.text(own),
          .comment_url = row.text(own + 1),
          .wall_ns = row.optional_integer(own + 2),
          .idle_ns = row.optional_integer(own + 3)};
}

}  // namespace

std::vector<RunSummary> History::list(const RunFilter& filter) {
  std::string sql = summary_query() + " WHERE true";
  const auto condition = [&sql](bool set, std::string_view text) {
    if (set) sql += fmt::format(" AND {}", text);
  };
  condition(filter.model.has_value(), "j.model = ?1");
  condition(filter.hardware.has_value(), "j.hardware = ?2");
  condition(filter.precision.has_value(), "j.precision = ?3");
  condition(filter.framework.has_value(), "j.framework = ?4");
  condition(filter.state.has_value(), "j.state = ?5");
  condition(filter.conc.has_value(), "j.conc = ?6");
  condition(filter.before.has_value(), "j.id < ?7");
  // The limit has the highest number, so that the other numbers exist whether used or not.
  Statement rows = database_.prepare(sql + " ORDER BY j.id DESC LIMIT ?8");
  rows.bind(1, filter.model.value_or(""))
      .bind(2, filter.hardware.value_or(""))
      .bind(3, filter.precision.value_or(""))
      .bind(4, filter.framework.value_or(""))
      .bind(5, filter.state.value_or(""))
      .bind(6, filter.conc.value_or(0))
      .bind(7, filter.before.value_or(0))
      .bind(8, std::clamp(filter.limit, 1, kListMax));
  std::vector<RunSummary> runs;
  while (rows.step()) runs.push_back(read_summary(rows));
  return runs;
}

std::optional<RunSummary> History::find(JobId id) {
  Statement row = database_.prepare(summary_query() + " WHERE j.id = ?1");
  if (!row.bind(1, id).step()) return std::nullopt;
  return read_summary(row);
}

std::optional<StoredBreakdown> History::breakdown(JobId id) {
  Statement row = database_.prepare(
      "SELECT json, markdown, html, table_version, wall_ns, idle_ns, complete FROM breakdown "
      "WHERE job_id = ?1");
  if (!row.bind(1, id).step()) return std::nullopt;
  return StoredBreakdown{.json = row.text(0),
                         .markdown = row.text(1),
                         .html = row.text(2),
                         .table_version = row.text(3),
                         .wall_ns = row.integer(4),
                         .idle_ns = row.integer(5),
                         .complete = row.integer(6) != 0};
}

std::vector<TraceToDrop> History::traces_to_drop(std::int64_t older_than_ms,
                                                 std::int64_t bytes_max) {
  // Traces of jobs under way count as well, but only those of final jobs can go.
  Statement all =
      database_.prepare("SELECT coalesce(sum(kept_bytes), 0) FROM job WHERE trace_file <> ''");
  all.step();
  std::int64_t kept_bytes = all.integer(0);
  Statement rows = database_.prepare(
      "SELECT id, trace_file, kept_bytes, finished_ms FROM job WHERE trace_file <> '' "
      "AND finished_ms IS NOT NULL ORDER BY finished_ms, id");
  std::vector<TraceToDrop> drops;
  while (rows.step()) {
    if (rows.integer(3) >= older_than_ms && kept_bytes <= bytes_max) break;
    drops.push_back({.id = rows.integer(0), .trace_file = rows.text(1), .bytes = rows.integer(2)});
    kept_bytes -= rows.integer(2);
  }
  return drops;
}

void History::forget_trace(JobId id) {
  database_.prepare("UPDATE job SET trace_file = '' WHERE id = ?1").bind(1, id).run();
}

std::vector<std::string> History::kept_traces() {
  Statement rows =
      database_.prepare("SELECT trace_file FROM job WHERE trace_file <> '' ORDER BY trace_file");
  std::vector<std::string> files;
  while (rows.step()) files.push_back(rows.text(0));
  return files;
}

}  // namespace stepscope::db
