#include "db/jobs.h"

#include <fmt/format.h>

#include "db/breakdown_store.h"
#include "db/job_row.h"
#include "db/outbox.h"
#include "db/transition.h"

namespace stepscope::db {
namespace {

// A job that failed on one runner waits for another one when such a one has polled this recently.
constexpr std::int64_t kOtherRunnerSeenMs = 120'000;
// Runners poll every second or so; that is not worth a disk write each time.
constexpr std::int64_t kPollSavedEveryMs = 10'000;
constexpr std::int64_t kPollsKeptMs = 30LL * 24 * 3600 * 1000;

// "(?3, ?4), (?5, ?6)"
std::string placeholder_pairs(std::size_t first, std::size_t count) {
  std::string text;
  for (std::size_t index = first; index < first + 2 * count; index += 2) {
    text += fmt::format("{}(?{}, ?{})", text.empty() ? "" : ", ", index, index + 1);
  }
  return text;
}

std::optional<Enqueued> known_request(Database& database, const Request& request,
                                      std::string_view action) {
  Statement row = database.prepare(
      "SELECT id FROM request WHERE source = 'github' AND repository_id = ?1 AND comment_id = ?2 "
      "AND action = ?3 AND issue_number = ?4");
  row.bind(1, request.repository_id)
      .bind(2, request.comment_id)
      .bind(3, action)
      .bind(4, request.issue_number);
  if (!row.step()) return std::nullopt;
  Enqueued known{.request_id = row.integer(0), .job_ids = {}, .already_known = true};
  Statement jobs = database.prepare("SELECT id FROM job WHERE request_id = ?1 ORDER BY id");
  jobs.bind(1, known.request_id);
  while (jobs.step()) known.job_ids.push_back(jobs.integer(0));
  return known;
}

RequestId insert_request(Database& database, const Request& request, std::string_view action) {
  database
      .prepare(
          "INSERT INTO request (source, action, marker, repository, repository_id, issue_number, "
          "comment_id, comment_url, author, installation_id, text, verb, understood, received_ms) "
          "VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14)")
      .bind(1, request.source)
      .bind(2, action)
      .bind(3, request.marker)
      .bind(4, request.repository)
      .bind(5, request.repository_id)
      .bind(6, request.issue_number)
      .bind(7, request.comment_id)
      .bind(8, request.comment_url)
      .bind(9, request.author)
      .bind(10, request.installation_id)
      .bind(11, request.text)
      .bind(12, request.verb)
      .bind(13, request.understood)
      .bind(14, request.received_ms)
      .run();
  return database.last_insert_id();
}

// The oldest queued job that `runner` may take.
std::optional<JobId> oldest_queued(Database& database, std::string_view runner,
                                   std::span<const Capability> capabilities, std::int64_t now_ms) {
  if (capabilities.empty()) return std::nullopt;
  Statement row = database.prepare(
      fmt::format("SELECT id FROM job WHERE state = 'queued' AND (hardware, recipe) IN (VALUES {}) "
                  "AND (runner <> ?1 OR NOT EXISTS (SELECT 1 FROM runner_poll p WHERE "
                  "p.hardware = job.hardware AND p.recipe = job.recipe AND p.runner <> ?1 AND "
                  "p.seen_ms > ?2)) ORDER BY id LIMIT 1",
                  placeholder_pairs(3, capabilities.size())));
  row.bind(1, runner).bind(2, now_ms - kOtherRunnerSeenMs);
  int index = 3;
  for (const Capability& one : capabilities) {
    row.bind(index++, one.hardware);
    row.bind(index++, one.recipe);
  }
  if (!row.step()) return std::nullopt;
  return row.integer(0);
}

void save_poll(Database& database, std::string_view runner, std::string_view hardware,
               std::string_view recipe, std::int64_t now_ms, std::int64_t every_ms) {
  database
      .prepare(
          "INSERT INTO runner_poll (runner, hardware, recipe, seen_ms) VALUES (?1, ?2, ?3, ?4) "
          "ON CONFLICT (hardware, recipe, runner) DO UPDATE SET seen_ms = excluded.seen_ms "
          "WHERE excluded.seen_ms >= seen_ms + ?5")
      .bind(1, runner)
      .bind(2, hardware)
      .bind(3, recipe)
      .bind(4, now_ms)
      .bind(5, every_ms)
      .run();
}

// Queued -> assigned. The last attempt's times, failure and trace go: they are not this one's.
void assign(Database& database, const JobHead& job, std::string_view runner, std::int64_t now_ms,
            std::int64_t lease_until_ms) {
  database
      .prepare(
          "UPDATE job SET state = 'assigned', runner = ?2, attempt = attempt + 1, "
          "started_ms = ?3, lease_until_ms = ?4, analysing_ms = NULL, failure_kind = NULL, "
          "failure_layer = NULL, failure_message = NULL, trace_file = '', trace_name = '', "
          "trace_sha256 = '', trace_bytes = 0, kept_bytes = 0, runner_note = '' "
          "WHERE id = ?1 AND state = 'queued'")
      .bind(1, job.id)
      .bind(2, runner)
      .bind(3, now_ms)
      .bind(4, lease_until_ms)
      .run();
  if (database.changes() != 1) {
    throw DatabaseError(fmt::format("job {} is no longer queued", job.id));
  }
  note_change(database, job, "queued", JobState::assigned, now_ms,
              fmt::format("attempt {} on {}", job.attempt + 1, runner));
}

std::string event_detail(const JobFailure& failure) {
  return fmt::format("{}: {}", failure.layer, failure.message);
}

// Only a failed or timed-out job shows its failure; one that waits again shows what the last try
// hit.
void move_after_failure(Database& database, const JobHead& job, JobState to, std::int64_t now_ms,
                        const JobFailure& failure) {
  change_state(database, job, to, now_ms, event_detail(failure),
               to == JobState::cancelled ? nullptr : &failure);
}

std::vector<JobId> lose_leases(Database& database, const std::vector<JobHead>& jobs,
                               std::string_view reason, std::int64_t now_ms) {
  std::vector<JobId> ids;
  for (const JobHead& job : jobs) {
    const JobFailure failure{.kind = ErrorKind::infrastructure,
                             .layer = "runner",
                             .message = fmt::format("{} {}", job.runner, reason)};
    move_after_failure(database, job, state_after_failure(job, failure.kind, false), now_ms,
                       failure);
    ids.push_back(job.id);
  }
  return ids;
}

}  // namespace

Enqueued Jobs::enqueue(const Request& request, std::string_view action,
                       std::span<const RunConfig> configs, std::int64_t now_ms) {
  Transaction transaction(database_);
  const bool github = request.source == "github";
  if (github) {
    if (std::optional<Enqueued> known = known_request(database_, request, action)) return *known;
  }
  Enqueued result;
  result.request_id = insert_request(database_, request, action);
  if (github) Outbox(database_).add(result.request_id);
  for (const RunConfig& config : configs) {
    const JobId id = insert_job(database_, result.request_id, config, now_ms);
    JobHead job;
    job.id = id;
    job.request_id = result.request_id;
    note_change(database_, job, "", JobState::queued, now_ms, "");
    result.job_ids.push_back(id);
  }
  transaction.commit();
  return result;
}

std::optional<Job> Jobs::claim(std::string_view runner, std::span<const Capability> capabilities,
                               std::int64_t now_ms, std::int64_t lease_until_ms) {
  // Without work there is no write: runners ask often.
  if (!oldest_queued(database_, runner, capabilities, now_ms)) return std::nullopt;
  Transaction transaction(database_);
  const std::optional<JobId> id = oldest_queued(database_, runner, capabilities, now_ms);
  if (!id) return std::nullopt;
  const std::optional<JobHead> head = job_head(database_, *id);
  if (!head) return std::nullopt;
  assign(database_, *head, runner, now_ms, lease_until_ms);
  std::optional<Job> job = find(*id);
  if (job) save_poll(database_, runner, job->config.hardware, job->config.recipe, now_ms, 0);
  transaction.commit();
  return job;
}

bool Jobs::renew(JobId id, std::string_view runner, int attempt, std::int64_t lease_until_ms) {
  database_
      .prepare(
          "UPDATE job SET lease_until_ms = ?4 WHERE id = ?1 AND runner = ?2 AND attempt = ?3 "
          "AND lease_until_ms IS NOT NULL")
      .bind(1, id)
      .bind(2, runner)
      .bind(3, attempt)
      .bind(4, lease_until_ms)
      .run();
  return database_.changes() == 1;
}

bool Jobs::advance(JobId id, std::string_view runner, int attempt, JobState to, std::int64_t now_ms,
                   std::string_view detail) {
  Transaction transaction(database_);
  const std::optional<JobHead> job = held_job(database_, id, runner, attempt);
  if (!job || !may_advance(job->state, to)) return false;
  change_state(database_, *job, to, now_ms, detail);
  transaction.commit();
  return true;
}

bool Jobs::attach_trace(JobId id, std::string_view runner, int attempt, std::string_view trace_file,
                        std::string_view trace_name, std::string_view sha256, std::int64_t bytes,
                        std::string_view runner_note, std::int64_t kept_bytes) {
  database_
      .prepare(
          "UPDATE job SET trace_file = ?4, trace_name = ?5, trace_sha256 = ?6, trace_bytes = ?7, "
          "runner_note = ?8, kept_bytes = max(?7, ?9) WHERE id = ?1 AND runner = ?2 AND attempt = "
          "?3 "
          "AND lease_until_ms IS NOT NULL")
      .bind(1, id)
      .bind(2, runner)
      .bind(3, attempt)
      .bind(4, trace_file)
      .bind(5, trace_name)
      .bind(6, sha256)
      .bind(7, bytes)
      .bind(8, runner_note)
      .bind(9, kept_bytes)
      .run();
  return database_.changes() == 1;
}

bool Jobs::finish(JobId id, std::string_view runner, int attempt, const StoredBreakdown& breakdown,
                  std::span<const KernelTotal> kernels, std::int64_t now_ms) {
  Transaction transaction(database_);
  const std::optional<JobHead> job = job_head(database_, id);
  if (!job || job->runner != runner || job->attempt != attempt) return false;
  // The result stands already: the answer to the first delivery was lost.
  if (job->state == JobState::done) return true;
  if (job->state != JobState::analysing) return false;
  store_breakdown(database_, id, breakdown, kernels);
  change_state(database_, *job, JobState::done, now_ms, "");
  transaction.commit();
  return true;
}

bool Jobs::fail(JobId id, std::string_view runner, int attempt, const JobFailure& failure,
                std::int64_t now_ms, bool timed_out, const StoredBreakdown* partial) {
  Transaction transaction(database_);
  const std::optional<JobHead> job = held_job(database_, id, runner, attempt);
  if (!job) return false;
  const JobState to = state_after_failure(*job, failure.kind, timed_out);
  if (is_final(to) && partial != nullptr) store_breakdown(database_, id, *partial, {});
  move_after_failure(database_, *job, to, now_ms, failure);
  transaction.commit();
  return true;
}

bool Jobs::request_cancel(JobId id, std::int64_t now_ms) {
  Transaction transaction(database_);
  const std::optional<JobHead> job = job_head(database_, id);
  if (!job || is_final(job->state)) return false;
  if (job->state == JobState::queued) {
    change_state(database_, *job, JobState::cancelled, now_ms, "before it was assigned");
  } else if (!job->cancel_requested) {
    database_
        .prepare("UPDATE job SET cancel_requested = 1 WHERE id = ?1 AND lease_until_ms IS NOT NULL")
        .bind(1, id)
        .run();
    Outbox(database_).touch(job->request_id);
  }
  transaction.commit();
  return true;
}

bool Jobs::cancelled(JobId id, std::string_view runner, int attempt, std::int64_t now_ms) {
  Transaction transaction(database_);
  const std::optional<JobHead> job = held_job(database_, id, runner, attempt);
  if (!job || !job->cancel_requested) return false;
  change_state(database_, *job, JobState::cancelled, now_ms, "stopped by " + job->runner);
  transaction.commit();
  return true;
}

std::vector<JobId> Jobs::expire_leases(std::int64_t now_ms) {
  if (jobs_with_ended_lease(database_, now_ms).empty()) return {};
  Transaction transaction(database_);
  const std::vector<JobHead> jobs = jobs_with_ended_lease(database_, now_ms);
  std::vector<JobId> ids = lose_leases(database_, jobs, "was not heard of any more", now_ms);
  transaction.commit();
  return ids;
}

std::vector<JobId> Jobs::release_runner(std::string_view runner, std::int64_t now_ms) {
  Transaction transaction(database_);
  std::vector<JobHead> jobs = jobs_held_by(database_, runner);
  for (JobHead& job : jobs) {
    ++job.restarts;
    database_.prepare("UPDATE job SET restarts = restarts + 1 WHERE id = ?1").bind(1, job.id).run();
  }
  std::vector<JobId> ids = lose_leases(database_, jobs, "was started anew", now_ms);
  transaction.commit();
  return ids;
}

void Jobs::note_poll(std::string_view runner, std::span<const Capability> capabilities,
                     std::int64_t now_ms) {
  Transaction transaction(database_);
  for (const Capability& one : capabilities) {
    save_poll(database_, runner, one.hardware, one.recipe, now_ms, kPollSavedEveryMs);
  }
  database_.prepare("DELETE FROM runner_poll WHERE seen_ms < ?1")
      .bind(1, now_ms - kPollsKeptMs)
      .run();
  transaction.commit();
}

}  // namespace stepscope::db
