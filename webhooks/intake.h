#pragma once
// The decision on a delivery: nothing to do, or a request with its jobs and, for GitHub, a reply to
// be written. Pure but for store(); the caller has checked the signature and asks GitHub for the
// right to write between the two steps.

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "db/jobs.h"
#include "db/run.h"
#include "webhooks/event.h"
#include "webhooks/request_reader.h"

namespace stepscope::webhooks {

struct Ignored {
  std::string reason;
};

struct Accepted {
  db::Request request;
  std::string action;  // part of the key that tells a second delivery of the same comment
  std::vector<db::RunConfig> configs;  // none when the request starts no run
};

using IntakeDecision = std::variant<Ignored, Accepted>;

enum class WriteAccess { granted, denied };

// The first step: empty when somebody speaks to us, so that the right to write is worth a question
// to GitHub; else why the event is ignored. Bots and what we wrote ourselves (by `own_login`,
// empty: unknown) never start anything.
std::string reason_to_ignore(const Event& event, const RequestReader& reader,
                             std::string_view own_login);

// The second step. Whatever speaks to us becomes a request, help and refusals too, so that it is
// answered; `marker` is its random hex.
IntakeDecision decide(const Event& event, WriteAccess access, const RequestReader& reader,
                      std::string_view own_login, std::string marker, std::int64_t now_ms);

// The same for a text without an event: `source` is "api" or "cli". What can not be done comes back
// as a request with verb refuse, clarify or help and no configs.
Accepted accept_text(std::string_view source, std::string_view text, const RequestReader& reader,
                     std::string marker, std::int64_t now_ms);

// False: with these runs more than `queued_jobs_max` would wait.
bool has_room(db::Jobs& jobs, const Accepted& accepted, std::int64_t queued_jobs_max);
// The request answered by a refusal (queue_full) instead of runs.
Accepted refused_for_room(Accepted accepted);

// Request, jobs and reply in one transaction; a second delivery changes nothing.
db::Enqueued store(db::Jobs& jobs, const Accepted& accepted, std::int64_t now_ms);

}  // namespace stepscope::webhooks
