#include "webhooks/responder.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/asio/error.hpp>
#include <boost/system/system_error.hpp>
#include <chrono>
#include <set>
#include <stdexcept>
#include <utility>

#include "db/history.h"
#include "db/jobs.h"
#include "runtime/crypto.h"
#include "runtime/log.h"
#include "webhooks/comment.h"

namespace stepscope::webhooks {
namespace {

using boost::asio::awaitable;
using Kind = GitHubError::Kind;

// An edit that has to wait is looked at again this often, so that a last one overtakes the wait.
constexpr std::int64_t kLookAgainMs = 2'000;
// What a rate limit without a time costs: GitHub asks for a minute, then twice as long each time.
constexpr runtime::RetryPolicy kUnnamedLimit{
    .first_ms = 60'000, .longest_ms = 3'600'000, .attempts_max = 48};
constexpr std::size_t kInstallationsMax = 10'000;
constexpr std::chrono::seconds kPauseAfterFault{1};

JobView view_of(db::Database& database, db::Job job) {
  db::Jobs jobs(database);
  JobView view;
  view.events = jobs.events(job.id);
  if (job.state == db::JobState::queued) {
    view.queue_position = jobs.queue_position(job.id);
    view.runner_seen_ms = jobs.runner_seen_ms(job.config.hardware, job.config.recipe);
  }
  if (db::is_final(job.state)) {
    std::optional<db::StoredBreakdown> breakdown = db::History(database).breakdown(job.id);
    if (breakdown) view.report = std::move(breakdown->markdown);
  }
  view.job = std::move(job);
  return view;
}

IssueRef issue_of(const db::Request& request) {
  return {
      .repository = {.full_name = request.repository, .installation_id = request.installation_id},
      .number = request.issue_number};
}

std::optional<std::int64_t> delay_ms(const ResponderLimits& limits, const GitHubError& error,
                                     int attempts_made) {
  if (error.kind == Kind::retry_after) {
    if (!error.wait_is_a_guess) return error.wait_ms;
    return runtime::retry_delay_ms(kUnnamedLimit, attempts_made);
  }
  const bool outage = error.kind == Kind::unauthorized || error.transient;
  return runtime::retry_delay_ms(outage ? limits.outage : limits.refusal, attempts_made);
}

bool is_cancellation(const boost::system::system_error& error) {
  return error.code() == boost::asio::error::operation_aborted;
}

}  // namespace

Responder::Responder(ResponderParts parts, ResponderSettings settings)
    : parts_(std::move(parts)), settings_(std::move(settings)), wakeup_(parts_.executor) {}

Responder::Turn Responder::render(const db::PendingReply& reply, std::int64_t now_ms) const {
  db::Jobs jobs(parts_.database);
  std::optional<db::Request> request = jobs.request(reply.request_id);
  if (!request) throw std::runtime_error("the reply's request is not in the database");
  CommentInput input;
  input.request = std::move(*request);
  for (db::Job& job : jobs.of_request(reply.request_id)) {
    input.jobs.push_back(view_of(parts_.database, std::move(job)));
    JobView& view = input.jobs.back();
    if (settings_.link_suffix) view.link_suffix = settings_.link_suffix(view.job.id);
  }
  if (settings_.explain) input.explanation = settings_.explain(input.request);
  input.public_url = settings_.public_url;
  input.mention = settings_.mention;
  input.now_ms = now_ms;
  Turn turn;
  turn.reply = reply;
  turn.body = compose_comment(input);
  turn.body_sha256 = runtime::hex(runtime::sha256(turn.body));
  turn.is_final = is_final(input);
  turn.request = std::move(input.request);
  return turn;
}

std::int64_t Responder::ready_at_ms(const Turn& turn) const {
  std::int64_t ready_ms = 0;
  const auto installation = next_write_ms_.find(turn.request.installation_id);
  if (installation != next_write_ms_.end()) ready_ms = installation->second;
  if (!turn.is_final && turn.reply.comment_id && turn.reply.last_sent_ms) {
    ready_ms = std::max(ready_ms, *turn.reply.last_sent_ms + settings_.limits.edit_interval_ms);
  }
  return ready_ms;
}

void Responder::note_write(const Turn& turn) {
  const std::int64_t now_ms = parts_.clock.now_ms();
  if (next_write_ms_.size() >= kInstallationsMax) {
    std::erase_if(next_write_ms_, [&](const auto& entry) { return entry.second <= now_ms; });
  }
  std::int64_t& next_ms = next_write_ms_[turn.request.installation_id];
  next_ms = std::max(next_ms, now_ms + settings_.limits.write_interval_ms);
}

awaitable<bool> Responder::step() {
  const std::int64_t now_ms = parts_.clock.now_ms();
  auto take = [this, now_ms] { return db::Outbox(parts_.database).next(now_ms); };
  const std::optional<db::PendingReply> reply = co_await parts_.db_pool.run(std::move(take));
  if (!reply) co_return false;
  GitHubError fault;
  try {
    co_await handle(*reply);
    co_return true;
  } catch (const boost::system::system_error& error) {
    if (is_cancellation(error)) throw;
    fault.message = error.what();
  } catch (const std::exception& error) {
    fault.message = error.what();
  }
  fault.transient = true;
  co_await store_failure(*reply, fault);
  co_return true;
}

awaitable<void> Responder::handle(db::PendingReply reply) {
  const std::int64_t now_ms = parts_.clock.now_ms();
  auto work = [this, reply, now_ms] { return render(reply, now_ms); };
  const Turn turn = co_await parts_.db_pool.run(std::move(work));
  if (reply.comment_id && turn.body_sha256 == reply.last_body_sha256) {
    co_await store_sent(turn, *reply.comment_id, false);
    co_return;
  }
  const std::int64_t ready_ms = ready_at_ms(turn);
  if (ready_ms > now_ms) {
    co_await postpone(reply.request_id, std::min(ready_ms, now_ms + kLookAgainMs));
    co_return;
  }
  const GitHubResult<std::int64_t> written = co_await write(turn);
  if (written) {
    co_await store_sent(turn, *written, true);
    co_return;
  }
  const GitHubError& error = written.error();
  if (error.kind == Kind::retry_after) {
    // A limit holds for all that the installation does, not for this comment alone.
    next_write_ms_[turn.request.installation_id] = parts_.clock.now_ms() + error.wait_ms;
  }
  if (error.kind == Kind::gone_for_good) {
    co_await refuse(turn, error);
  } else if (error.kind == Kind::not_found && reply.comment_id) {
    // Deleted: the next step searches and posts.
    const db::RequestId id = reply.request_id;
    auto forget = [this, id] { db::Outbox(parts_.database).forget_comment(id); };
    co_await parts_.db_pool.run(std::move(forget));
  } else {
    co_await store_failure(reply, error);
  }
}

awaitable<GitHubResult<std::int64_t>> Responder::write(Turn turn) {
  if (turn.reply.comment_id) {
    const std::int64_t comment_id = *turn.reply.comment_id;
    co_return co_await edit(std::move(turn), comment_id);
  }
  co_return co_await find_or_post(std::move(turn));
}

awaitable<GitHubResult<std::int64_t>> Responder::edit(Turn turn, std::int64_t comment_id) {
  note_write(turn);
  const RepositoryRef repository = issue_of(turn.request).repository;
  const GitHubResult<void> edited =
      co_await parts_.client.update_comment(repository, comment_id, turn.body);
  if (!edited) co_return std::unexpected(edited.error());
  co_return comment_id;
}

awaitable<GitHubResult<std::int64_t>> Responder::find_or_post(Turn turn) {
  const GitHubResult<GitHubAccount> own = co_await parts_.client.account();
  if (!own) co_return std::unexpected(own.error());
  const IssueRef issue = issue_of(turn.request);
  const std::int64_t since_ms = turn.request.received_ms - settings_.limits.search_margin_ms;
  const GitHubResult<std::vector<IssueComment>> comments =
      co_await parts_.client.list_comments(issue, since_ms);
  if (!comments) co_return std::unexpected(comments.error());
  const std::string marker = comment_marker(turn.request.marker);
  // Anyone can copy a marker; only what our own account wrote is ours.
  const auto ours = std::ranges::find_if(*comments, [&](const IssueComment& comment) {
    return comment.login == own->login && comment.body_start.starts_with(marker);
  });
  if (ours != comments->end()) {
    const std::int64_t comment_id = ours->id;
    co_return co_await edit(std::move(turn), comment_id);
  }
  const db::RequestId id = turn.reply.request_id;
  auto note = [this, id] { db::Outbox(parts_.database).note_post_attempt(id); };
  co_await parts_.db_pool.run(std::move(note));
  note_write(turn);
  co_return co_await parts_.client.create_comment(issue, turn.body);
}

awaitable<void> Responder::store_sent(Turn turn, std::int64_t comment_id, bool edited) {
  const std::int64_t now_ms = parts_.clock.now_ms();
  const std::int64_t sent_ms = edited ? now_ms : turn.reply.last_sent_ms.value_or(now_ms);
  auto work = [this, turn, comment_id, sent_ms, now_ms] {
    db::Outbox(parts_.database)
        .sent(turn.reply.request_id, turn.reply.wanted, comment_id, turn.body_sha256, sent_ms,
              now_ms);
  };
  co_await parts_.db_pool.run(std::move(work));
}

awaitable<void> Responder::postpone(db::RequestId id, std::int64_t until_ms) {
  auto work = [this, id, until_ms] { db::Outbox(parts_.database).postpone(id, until_ms); };
  co_await parts_.db_pool.run(std::move(work));
}

awaitable<void> Responder::store_failure(db::PendingReply reply, GitHubError error) {
  const std::optional<std::int64_t> wait_ms = delay_ms(settings_.limits, error, reply.attempts + 1);
  const std::int64_t now_ms = parts_.clock.now_ms();
  runtime::log(runtime::LogLevel::warning, wait_ms ? "reply put off" : "reply given up",
               {{"request", fmt::to_string(reply.request_id)},
                {"wait_ms", fmt::to_string(wait_ms.value_or(0))},
                {"error", error.message}});
  const std::string message = error.message;
  const db::RequestId id = reply.request_id;
  const int attempts = reply.attempts + 1;
  auto work = [this, id, message, wait_ms, now_ms, attempts] {
    db::Outbox outbox(parts_.database);
    if (wait_ms) {
      outbox.failed(id, message, now_ms + *wait_ms);
    } else {
      outbox.refuse(id, fmt::format("given up after {} attempts: {}", attempts, message));
    }
  };
  co_await parts_.db_pool.run(std::move(work));
}

awaitable<void> Responder::refuse(Turn turn, GitHubError error) {
  runtime::log(runtime::LogLevel::warning, "reply refused by GitHub",
               {{"request", fmt::to_string(turn.reply.request_id)}, {"error", error.message}});
  const db::RequestId id = turn.reply.request_id;
  const std::string reason = error.reason;
  auto work = [this, id, reason] { db::Outbox(parts_.database).refuse(id, reason); };
  co_await parts_.db_pool.run(std::move(work));
  // On a locked issue a reaction is all that can be said; whether it goes through changes nothing.
  if (reason != kReasonLocked || turn.request.comment_id == 0) co_return;
  const RepositoryRef repository = issue_of(turn.request).repository;
  const std::int64_t comment_id = turn.request.comment_id;
  static_cast<void>(co_await parts_.client.add_reaction(repository, comment_id, "eyes"));
}

awaitable<void> Responder::refresh_queued() {
  auto work = [this] {
    db::RunFilter filter;
    filter.state = db::to_string(db::JobState::queued);
    filter.limit = 200;
    std::set<db::RequestId> waiting;
    for (const db::RunSummary& run : db::History(parts_.database).list(filter)) {
      if (run.source == "github") waiting.insert(run.job.request_id);
    }
    db::Outbox outbox(parts_.database);
    for (const db::RequestId id : waiting) outbox.touch(id);
  };
  co_await parts_.db_pool.run(std::move(work));
}

awaitable<void> Responder::turn_or_rest() {
  const std::int64_t now_ms = parts_.clock.now_ms();
  if (now_ms >= next_refresh_ms_) {
    next_refresh_ms_ = now_ms + settings_.limits.queue_refresh_ms;
    co_await refresh_queued();
  }
  const bool busy = co_await step();
  if (busy) co_return;
  auto look = [this] { return db::Outbox(parts_.database).next_due_ms(); };
  const std::optional<std::int64_t> due_ms = co_await parts_.db_pool.run(std::move(look));
  const std::int64_t until_due_ms = due_ms.value_or(now_ms + settings_.limits.idle_ms) - now_ms;
  const std::chrono::milliseconds rest(
      std::clamp<std::int64_t>(until_due_ms, 1, settings_.limits.idle_ms));
  co_await wakeup_.sleep(rest);
}

awaitable<void> Responder::run() {
  for (;;) {
    std::string fault;
    try {
      co_await turn_or_rest();
    } catch (const boost::system::system_error& error) {
      if (is_cancellation(error)) throw;
      fault = error.what();
    } catch (const std::exception& error) {
      fault = error.what();
    }
    if (fault.empty()) continue;
    runtime::log(runtime::LogLevel::error, "the responder failed", {{"error", fault}});
    co_await wakeup_.sleep(kPauseAfterFault);
  }
}

}  // namespace stepscope::webhooks
