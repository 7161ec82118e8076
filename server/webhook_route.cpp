#include "server/webhook_route.h"

#include <fmt/format.h>

#include <expected>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <variant>

#include "db/deliveries.h"
#include "db/jobs.h"
#include "runtime/crypto.h"
#include "runtime/log.h"
#include "server/answers.h"
#include "webhooks/event.h"
#include "webhooks/intake.h"
#include "webhooks/signature.h"

namespace stepscope::server {
namespace {

using boost::asio::awaitable;
using runtime::HttpRequest;
using runtime::HttpResponse;
using runtime::LogLevel;

// GitHub delivers nothing larger.
constexpr std::uint64_t kPayloadBytesMax = 25ULL << 20;
constexpr std::size_t kMarkerBytes = 16;
constexpr std::int64_t kDeliveriesKeptMs = 30LL * 24 * 3600 * 1000;

HttpResponse outcome_answer(int status, std::string_view outcome, std::string_view reason = {}) {
  nlohmann::ordered_json body = {{"outcome", outcome}};
  if (!reason.empty()) body["reason"] = reason;
  return json_answer(status,
                     body.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n");
}

std::string header_or_empty(const HttpRequest& request, std::string_view name) {
  return std::string(runtime::header(request.headers, name).value_or(""));
}

// What is wrong with a delivery before its body is looked into.
std::expected<void, HttpResponse> check_delivery(const Config& config, const HttpRequest& request) {
  const std::string type = header_or_empty(request, "Content-Type");
  if (!type.starts_with("application/json")) {
    return std::unexpected(error_answer(415, "unsupported_media_type",
                                        "set the webhook's content type to application/json; "
                                        "form-encoded deliveries are not read"));
  }
  const std::string signature = header_or_empty(request, "X-Hub-Signature-256");
  if (signature.empty()) {
    return std::unexpected(
        error_answer(401, "unsigned", "X-Hub-Signature-256 is missing: give the webhook a secret"));
  }
  if (!webhooks::signature_valid(config.github.webhook_secrets, signature, request.body)) {
    return std::unexpected(error_answer(
        401, "bad_signature", "X-Hub-Signature-256 does not fit the body and the secret"));
  }
  return {};
}

// Who we are, so that our own comments start nothing. Empty while GitHub does not say.
awaitable<std::string> own_login(WebhookParts parts) {
  const auto account = co_await parts.client.account();
  co_return account ? account->login : std::string();
}

// For the operator to look up; what is older goes. On the writer's pool.
void record(db::Database& writer, const webhooks::Event& event, std::string_view outcome,
            std::int64_t now_ms) {
  if (event.delivery.empty()) return;
  db::Deliveries deliveries(writer);
  deliveries.record(event.delivery, event.name, event.action, outcome, now_ms);
  deliveries.prune(now_ms - kDeliveriesKeptMs);
}

awaitable<HttpResponse> ignore(App& app, webhooks::Event event, std::string reason) {
  const std::int64_t now_ms = app.clock.now_ms();
  auto write = [&app, event = std::move(event), outcome = "ignored: " + reason, now_ms] {
    record(app.writer, event, outcome, now_ms);
  };
  co_await app.db_write.run(std::move(write));
  co_return outcome_answer(202, "ignored", reason);
}

awaitable<HttpResponse> accept(App& app, webhooks::Event event, webhooks::Accepted accepted) {
  const std::int64_t now_ms = app.clock.now_ms();
  auto write = [&app, event, accepted = std::move(accepted), now_ms] {
    db::Jobs jobs(app.writer);
    const bool room = webhooks::has_room(jobs, accepted, app.config.server.queued_jobs_max);
    const db::Enqueued enqueued =
        webhooks::store(jobs, room ? accepted : webhooks::refused_for_room(accepted), now_ms);
    record(app.writer, event, "accepted", now_ms);
    return enqueued;
  };
  const db::Enqueued enqueued = co_await app.db_write.run(std::move(write));
  app.job_queued();
  app.reply_due();
  runtime::log(LogLevel::info,
               enqueued.already_known ? "request was known already" : "request accepted",
               {{"request", std::to_string(enqueued.request_id)},
                {"repository", event.repository},
                {"comment", std::to_string(event.comment_id)},
                {"jobs", std::to_string(enqueued.job_ids.size())}});
  co_return outcome_answer(202, enqueued.already_known ? "known" : "accepted");
}

awaitable<HttpResponse> receive(App& app, WebhookParts parts, HttpRequest request) {
  const auto checked = check_delivery(app.config, request);
  if (!checked) co_return checked.error();
  const std::string name = header_or_empty(request, "X-GitHub-Event");
  const std::string guid = header_or_empty(request, "X-GitHub-Delivery");
  auto read = webhooks::read_event(name, guid, request.body);
  if (!read) co_return error_answer(400, "bad_event", read.error());
  webhooks::Event event = std::move(*read);
  if (event.name == "ping") co_return outcome_answer(200, "pong");

  // Cheap and without GitHub first: most comments are not for us.
  std::string reason = webhooks::reason_to_ignore(event, parts.reader, "");
  if (!reason.empty()) {
    auto ignored = co_await ignore(app, std::move(event), std::move(reason));
    co_return ignored;
  }
  const std::string login = co_await own_login(parts);
  const webhooks::RepositoryRef repository{event.repository, event.installation_id};
  const auto may_write = co_await parts.permission.may_write(repository, event.author);
  if (!may_write) {
    // GitHub counts this delivery as failed, so that it can be delivered again.
    runtime::log(LogLevel::warning, "GitHub did not say who may write",
                 {{"repository", event.repository}, {"error", may_write.error().message}});
    co_return error_answer(503, "github_unavailable",
                           "GitHub did not answer who may write; deliver this again");
  }
  const auto access = *may_write ? webhooks::WriteAccess::granted : webhooks::WriteAccess::denied;
  auto decision =
      webhooks::decide(event, access, parts.reader, login,
                       runtime::hex(runtime::random_bytes(kMarkerBytes)), app.clock.now_ms());
  if (auto* ignored = std::get_if<webhooks::Ignored>(&decision)) {
    auto answer = co_await ignore(app, std::move(event), std::move(ignored->reason));
    co_return answer;
  }
  auto& accepted = std::get<webhooks::Accepted>(decision);
  auto answer = co_await accept(app, std::move(event), std::move(accepted));
  co_return answer;
}

}  // namespace

void add_webhook_route(runtime::Router& router, App& app, WebhookParts parts) {
  const auto handler = [&app, parts](HttpRequest request) {
    return receive(app, parts, std::move(request));
  };
  router.add("POST", "/webhooks/github", handler, {.body_bytes_max = kPayloadBytesMax});
}

}  // namespace stepscope::server
