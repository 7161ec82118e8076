#include "db/transition.h"

#include <fmt/format.h>

#include "db/jobs.h"
#include "db/outbox.h"

namespace stepscope::db {
namespace {

constexpr std::string_view kHead =
    "SELECT id, request_id, state, attempt, runner, cancel_requested, restarts FROM job WHERE ";
constexpr std::string_view kUnderWay = "state IN ('assigned', 'running', 'uploading', 'analysing')";

JobHead read_head(const Statement& row) {
  const std::optional<JobState> state = job_state_from(row.text(2));
  if (!state) throw DatabaseError(fmt::format("job {} has an unknown state", row.integer(0)));
  return {.id = row.integer(0),
          .request_id = row.integer(1),
          .state = *state,
          .attempt = static_cast<int>(row.integer(3)),
          .restarts = static_cast<int>(row.integer(6)),
          .runner = row.text(4),
          .cancel_requested = row.integer(5) != 0};
}

std::vector<JobHead> read_heads(Statement& rows) {
  std::vector<JobHead> heads;
  while (rows.step()) heads.push_back(read_head(rows));
  return heads;
}

}  // namespace

std::optional<JobHead> job_head(Database& database, JobId id) {
  Statement row = database.prepare(fmt::format("{} id = ?1", kHead));
  if (!row.bind(1, id).step()) return std::nullopt;
  return read_head(row);
}

std::optional<JobHead> held_job(Database& database, JobId id, std::string_view runner,
                                int attempt) {
  Statement row = database.prepare(
      fmt::format("{} id = ?1 AND runner = ?2 AND attempt = ?3 AND {}", kHead, kUnderWay));
  if (!row.bind(1, id).bind(2, runner).bind(3, attempt).step()) return std::nullopt;
  return read_head(row);
}

std::vector<JobHead> jobs_with_ended_lease(Database& database, std::int64_t now_ms) {
  Statement rows =
      database.prepare(fmt::format("{} lease_until_ms <= ?1 AND {} ORDER BY id", kHead, kUnderWay));
  rows.bind(1, now_ms);
  return read_heads(rows);
}

std::vector<JobHead> jobs_held_by(Database& database, std::string_view runner) {
  Statement rows =
      database.prepare(fmt::format("{} lease_until_ms IS NOT NULL AND runner = ?1 AND {} "
                                   "ORDER BY id",
                                   kHead, kUnderWay));
  rows.bind(1, runner);
  return read_heads(rows);
}

bool may_advance(JobState from, JobState to) {
  return (from == JobState::assigned && to == JobState::running) ||
         (from == JobState::running && to == JobState::uploading) ||
         (from == JobState::uploading && to == JobState::analysing);
}

JobState state_after_failure(const JobHead& job, ErrorKind kind, bool timed_out) {
  if (timed_out) return JobState::timed_out;
  if (kind != ErrorKind::infrastructure) return JobState::failed;
  if (job.cancel_requested) return JobState::cancelled;
  const bool used_up = job.attempt - job.restarts >= kAttemptsMax || job.restarts >= kRestartsMax;
  return used_up ? JobState::failed : JobState::queued;
}

void change_state(Database& database, const JobHead& job, JobState to, std::int64_t now_ms,
                  std::string_view detail, const JobFailure* failure) {
  const bool leased = to != JobState::queued && !is_final(to);
  Statement update = database.prepare(
      "UPDATE job SET state = ?3, lease_until_ms = iif(?4, lease_until_ms, NULL), "
      "analysing_ms = iif(?5, ?6, analysing_ms), finished_ms = iif(?7, ?6, finished_ms), "
      "failure_kind = ?8, failure_layer = ?9, failure_message = ?10 "
      "WHERE id = ?1 AND state = ?2");
  update.bind(1, job.id)
      .bind(2, to_string(job.state))
      .bind(3, to_string(to))
      .bind(4, leased)
      .bind(5, to == JobState::analysing)
      .bind(6, now_ms)
      .bind(7, is_final(to));
  if (failure != nullptr) {
    update.bind(8, to_string(failure->kind)).bind(9, failure->layer).bind(10, failure->message);
  }
  update.run();
  if (database.changes() != 1) {
    throw DatabaseError(fmt::format("job {} is no longer {}", job.id, to_string(job.state)));
  }
  note_change(database, job, to_string(job.state), to, now_ms, detail);
}

void note_change(Database& database, const JobHead& job, std::string_view from, JobState to,
                 std::int64_t now_ms, std::string_view detail) {
  database
      .prepare(
          "INSERT INTO job_event (job_id, at_ms, from_state, to_state, detail) "
          "VALUES (?1, ?2, ?3, ?4, ?5)")
      .bind(1, job.id)
      .bind(2, now_ms)
      .bind(3, from)
      .bind(4, to_string(to))
      .bind(5, detail)
      .run();
  Outbox(database).touch(job.request_id);
}

}  // namespace stepscope::db
