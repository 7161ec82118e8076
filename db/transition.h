#pragma once
// One step of the state machine: which states may follow, and the conditional update, event row and
// due reply that belong to every change. For the files of this folder only; all of it is part of
// the caller's transaction.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "db/database.h"
#include "db/run.h"

namespace stepscope::db {

// What a transition must know of a job, read inside its transaction.
struct JobHead {
  JobId id = 0;
  RequestId request_id = 0;
  JobState state = JobState::queued;
  int attempt = 0;
  int restarts = 0;  // of its attempts, those that ended because the runner was started anew
  std::string runner;
  bool cancel_requested = false;
};

std::optional<JobHead> job_head(Database& database, JobId id);
// The job while `runner` holds it in this attempt; nothing when the lease is gone or the job is
// final.
std::optional<JobHead> held_job(Database& database, JobId id, std::string_view runner, int attempt);
// Jobs under way whose lease has ended, and those that `runner` holds; oldest first.
std::vector<JobHead> jobs_with_ended_lease(Database& database, std::int64_t now_ms);
std::vector<JobHead> jobs_held_by(Database& database, std::string_view runner);

// assigned -> running -> uploading -> analysing, one step at a time.
bool may_advance(JobState from, JobState to);
// Where a failed job goes. A runner that is started anew is not the job's fault: those attempts do
// not count, until they are kRestartsMax. Queued again, failed, timed_out, or cancelled when
// somebody asked for that and the runner only broke off.
JobState state_after_failure(const JobHead& job, ErrorKind kind, bool timed_out);

// job.state -> to. `failure` is what the job shows from now on; none clears it.
void change_state(Database& database, const JobHead& job, JobState to, std::int64_t now_ms,
                  std::string_view detail, const JobFailure* failure = nullptr);
// The event row and the due reply of a change whose update the caller has made.
void note_change(Database& database, const JobHead& job, std::string_view from, JobState to,
                 std::int64_t now_ms, std::string_view detail);

}  // namespace stepscope::db
