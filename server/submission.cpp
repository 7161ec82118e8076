#include "server/submission.h"

#include <fmt/format.h>

#include <array>
#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>

#include "db/jobs.h"
#include "runtime/crypto.h"
#include "server/answers.h"
#include "webhooks/explanation.h"
#include "webhooks/intake.h"
#include "webhooks/request_reader.h"

namespace stepscope::server {
namespace {

using nlohmann::json;
using runtime::HttpResponse;

constexpr std::size_t kMarkerBytes = 16;

struct Field {
  std::string_view name;
  bool is_number;
  std::string_view before;  // the words around the value
  std::string_view after;
};
constexpr std::array kFields{
    Field{"model", false, " ", ""},       Field{"precision", false, " ", ""},
    Field{"hardware", false, " on ", ""}, Field{"framework", false, " ", ""},
    Field{"conc", true, " conc ", ""},    Field{"isl", true, " isl ", ""},
    Field{"osl", true, " osl ", ""},      Field{"tp", true, " tp ", ""},
    Field{"ep", true, " ep ", ""},        Field{"phase", false, " ", ""},
    Field{"spec", false, " ", ""},        Field{"steps", true, " ", " steps"},
};

bool is_word(const std::string& text) {
  constexpr std::string_view kAllowed =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._+-";
  return !text.empty() && text.size() <= 100 &&
         text.find_first_not_of(kAllowed) == std::string::npos;
}

const Field* field_named(std::string_view name) {
  for (const Field& field : kFields) {
    if (field.name == name) return &field;
  }
  return nullptr;
}

std::expected<std::string, std::string> value_of(const Field& field, const json& value) {
  if (field.is_number) {
    if (!value.is_number_integer()) {
      return std::unexpected(fmt::format("{}: must be a whole number", field.name));
    }
    return value.dump();
  }
  if (!value.is_string() || !is_word(value.get<std::string>())) {
    return std::unexpected(fmt::format("{}: must be one word of the catalog", field.name));
  }
  return value.get<std::string>();
}

nlohmann::ordered_json accepted_json(const db::Enqueued& enqueued, const std::string& understood,
                                     const std::string& note) {
  nlohmann::ordered_json runs = nlohmann::ordered_json::array();
  for (const db::JobId id : enqueued.job_ids) {
    runs.push_back({{"id", id},
                    {"self", fmt::format("/api/v1/runs/{}", id)},
                    {"page", fmt::format("/runs/{}", id)}});
  }
  return {{"request", enqueued.request_id},
          {"runs", std::move(runs)},
          {"understood", understood},
          {"note", note.empty() ? nlohmann::ordered_json(nullptr) : nlohmann::ordered_json(note)}};
}

}  // namespace

std::expected<std::string, std::string> submission_text(const std::string& body) {
  const json parsed = json::parse(body, nullptr, false);
  if (!parsed.is_object()) return std::unexpected("the body must be a JSON object");
  if (parsed.contains("text")) {
    if (!parsed["text"].is_string()) return std::unexpected("text: must be a string");
    if (parsed.size() > 1) return std::unexpected("text: goes alone, without other fields");
    return parsed["text"].get<std::string>();
  }
  for (const auto& [name, value] : parsed.items()) {
    if (field_named(name) == nullptr) {
      return std::unexpected(fmt::format("{:?}: no such field", name));
    }
  }
  std::string text = "profile";
  for (const Field& field : kFields) {
    if (!parsed.contains(field.name)) continue;
    const auto value = value_of(field, parsed[std::string(field.name)]);
    if (!value) return std::unexpected(value.error());
    text += fmt::format("{}{}{}", field.before, *value, field.after);
  }
  return text;
}

boost::asio::awaitable<HttpResponse> submit(App& app, std::string body) {
  const auto text = submission_text(body);
  if (!text) co_return error_answer(400, "bad_request", text.error());
  const std::int64_t now_ms = app.clock.now_ms();
  const webhooks::RequestReader reader(app.catalog, app.config.github.mention);
  const auto accepted = webhooks::accept_text(
      "api", *text, reader, runtime::hex(runtime::random_bytes(kMarkerBytes)), now_ms);
  const std::string words =
      webhooks::explanation(accepted.request, app.catalog, app.config.github.mention);
  if (accepted.configs.empty()) co_return error_answer(422, accepted.request.verb, words);
  auto write = [&app, accepted, now_ms] {
    db::Jobs jobs(app.writer);
    return webhooks::store(jobs, accepted, now_ms);
  };
  const db::Enqueued enqueued = co_await app.db_write.run(std::move(write));
  app.job_queued();
  const auto answer = accepted_json(enqueued, accepted.request.understood, words);
  co_return json_answer(202, answer.dump(2, ' ', false, json::error_handler_t::replace) + "\n");
}

}  // namespace stepscope::server
