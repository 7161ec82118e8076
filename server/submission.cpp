#include "server/submission.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "db/jobs.h"
#include "runtime/crypto.h"
#include "server/answers.h"
#include "webhooks/comment_words.h"
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
  if (field.name == "phase") {
    const std::string phase = value.get<std::string>();
    if (phase == "both") return "decode and prefill";
    if (phase != "decode" && phase != "prefill") {
      return std::unexpected("phase: must be decode, prefill or both");
    }
  }
  return value.get<std::string>();
}

json field_value(const db::RunConfig& config, std::string_view name) {
  if (name == "model") return config.model;
  if (name == "precision") return config.precision;
  if (name == "hardware") return config.hardware;
  if (name == "framework") return config.framework;
  if (name == "phase") return config.phase;
  if (name == "spec") return config.spec;
  if (name == "conc") return config.conc;
  if (name == "isl") return config.isl;
  if (name == "osl") return config.osl;
  if (name == "tp") return config.tp;
  return name == "ep" ? config.ep : config.steps;
}

// The word of the catalog for one that was given: in lower case, another spelling replaced.
json catalog_word(const db::Catalog& catalog, std::string_view field, json value) {
  if (!value.is_string()) return value;
  auto word = value.get<std::string>();
  std::ranges::transform(word, word.begin(), [](unsigned char c) { return std::tolower(c); });
  const auto& aliases = catalog.aliases(field);
  const auto alias = aliases.find(word);
  return alias == aliases.end() ? word : alias->second;
}

// In a comment a word that is not known is passed over. A field must not be: the first one that the
// run would not have as given, in words.
std::string unmet_field(const std::string& body, const db::RunConfig& config,
                        const db::Catalog& catalog) {
  const json parsed = json::parse(body, nullptr, false);
  for (const Field& field : kFields) {
    if (!parsed.contains(field.name)) continue;
    const json& given = parsed[std::string(field.name)];
    const json understood = field_value(config, field.name);
    if (catalog_word(catalog, field.name, given) != understood) {
      return fmt::format("{}: {} can not be had here; it would be {}", field.name, given.dump(),
                         understood.dump());
    }
  }
  return "";
}

nlohmann::ordered_json accepted_json(const db::Enqueued& enqueued,
                                     const webhooks::Accepted& accepted, const std::string& note) {
  nlohmann::ordered_json runs = nlohmann::ordered_json::array();
  for (const db::JobId id : enqueued.job_ids) {
    runs.push_back({{"id", id},
                    {"self", fmt::format("/api/v1/runs/{}", id)},
                    {"page", fmt::format("/runs/{}", id)}});
  }
  std::vector<std::string> understood;
  understood.reserve(accepted.configs.size());
  for (const db::RunConfig& config : accepted.configs) {
    understood.push_back(webhooks::understood_line(config));
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
  for (const db::RunConfig& config : accepted.configs) {
    const std::string unmet = unmet_field(body, config, app.catalog);
    if (!unmet.empty()) co_return error_answer(422, "refuse", unmet);
  }
  auto write = [&app, accepted, now_ms]() -> std::optional<db::Enqueued> {
    db::Jobs jobs(app.writer);
    if (!webhooks::has_room(jobs, accepted, app.config.server.queued_jobs_max)) return std::nullopt;
    return webhooks::store(jobs, accepted, now_ms);
  };
  const auto enqueued = co_await app.db_write.run(std::move(write));
  if (!enqueued) co_return error_answer(429, "queue_full", "too many runs are waiting already");
  app.job_queued();
  const auto answer = accepted_json(*enqueued, accepted, words);
  co_return json_answer(202, answer.dump(2, ' ', false, json::error_handler_t::replace) + "\n");
}

}  // namespace stepscope::server
