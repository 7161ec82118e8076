#include "webhooks/intake.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "webhooks/command.h"
#include "webhooks/comment.h"
#include "webhooks/mention.h"
#include "webhooks/request_json.h"
#include "webhooks/unicode.h"

namespace stepscope::webhooks {
namespace {

// Logins compare without case.
bool same_login(std::string_view a, std::string_view b) {
  return std::ranges::equal(a, b, [](char x, char y) { return lower(x) == lower(y); });
}

// What the reply will be about: a command that can not be obeyed yet is answered with help.
std::string_view stored_verb(Verb verb) {
  switch (verb) {
    case Verb::profile:
    case Verb::refuse:
    case Verb::clarify:
      return to_string(verb);
    default:
      return to_string(Verb::help);
  }
}

Accepted accepted(Command command, std::string marker, std::int64_t now_ms) {
  Accepted result;
  result.request.marker = std::move(marker);
  result.request.verb = stored_verb(command.verb);
  result.request.understood = canonical_json(command);
  result.request.received_ms = now_ms;
  if (command.verb == Verb::profile) result.configs = std::move(command.jobs);
  return result;
}

}  // namespace

std::string reason_to_ignore(const Event& event, const RequestReader& reader,
                             std::string_view own_login) {
  std::string reason = ignored_because(event);
  if (!reason.empty()) return reason;
  // Signed in with a person's token, that person's comments are requests like others.
  const bool own = !own_login.empty() && same_login(event.author, own_login) &&
                   event.body.starts_with(kCommentMarkerStart);
  if (own) return "own_account";
  return find_mentions(event.body, reader.mention()).reason;
}

IntakeDecision decide(const Event& event, WriteAccess access, const RequestReader& reader,
                      std::string_view own_login, std::string marker, std::int64_t now_ms) {
  std::string reason = reason_to_ignore(event, reader, own_login);
  if (!reason.empty()) return Ignored{std::move(reason)};
  Command command;
  if (access == WriteAccess::granted) {
    command = reader.read_comment(event.body);
  } else {
    command.verb = Verb::refuse;
    command.refusal.reason = "not_authorized";
  }
  Accepted result = accepted(std::move(command), std::move(marker), now_ms);
  db::Request& request = result.request;
  request.source = "github";
  request.repository = event.repository;
  request.repository_id = event.repository_id;
  request.issue_number = event.issue_number;
  request.comment_id = event.comment_id;
  request.comment_url = event.html_url;
  request.author = event.author;
  request.installation_id = event.installation_id;
  request.text = event.body;
  result.action = event.action;
  return result;
}

Accepted accept_text(std::string_view source, std::string_view text, const RequestReader& reader,
                     std::string marker, std::int64_t now_ms) {
  Accepted result = accepted(reader.read_text(text), std::move(marker), now_ms);
  result.request.source = source;
  result.request.text = text;
  result.action = "created";
  return result;
}

bool has_room(db::Jobs& jobs, const Accepted& accepted, std::int64_t queued_jobs_max) {
  if (accepted.configs.empty()) return true;
  return jobs.queued_count() + std::ssize(accepted.configs) <= queued_jobs_max;
}

Accepted refused_for_room(Accepted accepted) {
  Command command;
  command.verb = Verb::refuse;
  command.refusal.reason = "queue_full";
  accepted.request.verb = stored_verb(command.verb);
  accepted.request.understood = canonical_json(command);
  accepted.configs.clear();
  return accepted;
}

db::Enqueued store(db::Jobs& jobs, const Accepted& accepted, std::int64_t now_ms) {
  return jobs.enqueue(accepted.request, accepted.action, accepted.configs, now_ms);
}

}  // namespace stepscope::webhooks
