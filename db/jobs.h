#pragma once
// The state machine of jobs in SQL: queued -> assigned -> running -> uploading -> analysing ->
// done, failed, cancelled or timed_out. Every change is a conditional update and leaves a row in
// the event log; whoever lost its lease changes nothing. Functions that write open their own
// transaction unless they say otherwise and mark the request's reply as due (outbox.h) in the same
// one.

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "db/database.h"
#include "db/run.h"

namespace stepscope::db {

// What the request became. Accepted twice (same repository, issue, comment and action): the first
// one's id.
struct Enqueued {
  RequestId request_id = 0;
  std::vector<JobId> job_ids;
  bool already_known = false;
};

inline constexpr int kAttemptsMax = 3;
// How often a job may see its runner started anew; beyond that the job is taken to be what ends it.
inline constexpr int kRestartsMax = 100;

// A kind of work that a runner can do: one recipe on one hardware.
struct Capability {
  std::string hardware;
  std::string recipe;
  bool operator==(const Capability&) const = default;
};

class Jobs {
 public:
  // `database` must outlive this; a read-only one serves the reading functions.
  explicit Jobs(Database& database) : database_(database) {}

  // Request, its jobs and (source "github") the reply's outbox row, in one transaction. `action` is
  // part of the key that makes a second delivery of the same comment find the first.
  Enqueued enqueue(const Request& request, std::string_view action,
                   std::span<const RunConfig> configs, std::int64_t now_ms);

  // The oldest queued job of one of these kinds, now assigned to `runner` until `lease_until_ms`;
  // attempt is counted up. A job that this runner has failed or lost is left to another one while
  // such a one has polled within two minutes. Nothing when there is none.
  std::optional<Job> claim(std::string_view runner, std::span<const Capability> capabilities,
                           std::int64_t now_ms, std::int64_t lease_until_ms);
  // False: the lease is gone (another runner, another attempt, or the job is final).
  bool renew(JobId id, std::string_view runner, int attempt, std::int64_t lease_until_ms);
  // assigned -> running -> uploading -> analysing. False as above, or when the step is not allowed.
  bool advance(JobId id, std::string_view runner, int attempt, JobState to, std::int64_t now_ms,
               std::string_view detail = {});
  // The trace that the runner delivered; kept also when the analysis fails. `bytes` is the named
  // file's, `kept_bytes` what all ranks' files take (0: the same).
  bool attach_trace(JobId id, std::string_view runner, int attempt, std::string_view trace_file,
                    std::string_view trace_name, std::string_view sha256, std::int64_t bytes,
                    std::string_view runner_note, std::int64_t kept_bytes = 0);
  // analysing -> done with its breakdown (history.h reads it), in one transaction. True also when
  // this attempt's result stands already: nothing is written twice.
  bool finish(JobId id, std::string_view runner, int attempt, const StoredBreakdown& breakdown,
              std::span<const KernelTotal> kernels, std::int64_t now_ms);
  // Infrastructure failures go back to queued until kAttemptsMax attempts are used; all others, and
  // timed_out, are final. After request_cancel() an infrastructure failure ends as cancelled.
  // `partial` is stored beside a final failure where there is one.
  bool fail(JobId id, std::string_view runner, int attempt, const JobFailure& failure,
            std::int64_t now_ms, bool timed_out = false, const StoredBreakdown* partial = nullptr);
  // queued: cancelled at once; under way: cancel_requested, which the runner sees; false: final.
  bool request_cancel(JobId id, std::int64_t now_ms);
  // The runner stopped it as asked.
  bool cancelled(JobId id, std::string_view runner, int attempt, std::int64_t now_ms);
  // Jobs whose lease has ended go back to queued, or fail after the last attempt. Returns their
  // ids.
  std::vector<JobId> expire_leases(std::int64_t now_ms);
  // A runner that has just started owns nothing: its leases from before end at once, and those
  // attempts do not count against the job. Returns ids.
  std::vector<JobId> release_runner(std::string_view runner, std::int64_t now_ms);

  std::optional<Job> find(JobId id);
  bool cancel_requested(JobId id);
  std::vector<Job> of_request(RequestId id);
  std::optional<Request> request(RequestId id);
  std::vector<JobEvent> events(JobId id);
  // Place in the queue among jobs of the same hardware, from 1; 0 when not queued.
  int queue_position(JobId id);
  // When a runner last claimed or polled for this kind of work; nothing when never (note_poll,
  // which writes at most every ten seconds).
  std::optional<std::int64_t> runner_seen_ms(std::string_view hardware, std::string_view recipe);
  void note_poll(std::string_view runner, std::span<const Capability> capabilities,
                 std::int64_t now_ms);
  // How many jobs are queued.
  std::int64_t queued_count();

 private:
  Database& database_;
};

}  // namespace stepscope::db
