#include "webhooks/request_json.h"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <utility>

namespace stepscope::webhooks {
namespace {

using nlohmann::json;

json asked_json(const std::map<std::string, Asked>& asked) {
  json object = json::object();
  for (const auto& [field, value] : asked) {
    std::visit([&](const auto& plain) { object[field] = plain; }, value);
  }
  return object;
}

json refusal_json(const Refusal& refusal) {
  json object = {{"reason", refusal.reason}, {"nearest", refusal.nearest}};
  // Who may not ask has asked for nothing that matters.
  if (refusal.reason != "not_authorized") object["asked"] = asked_json(refusal.asked);
  if (!refusal.nearest_conc.empty()) object["nearest_conc"] = refusal.nearest_conc;
  return object;
}

json job_json(const db::RunConfig& job) {
  return {{"assumed", job.assumed},
          {"conc", job.conc},
          {"dp_attn", job.dp_attn},
          {"ep", job.ep},
          {"framework", job.framework},
          {"hardware", job.hardware},
          {"isl", job.isl},
          {"key", job.key},
          {"model", job.model},
          {"osl", job.osl},
          {"phase", job.phase},
          {"precision", job.precision},
          {"spec", job.spec},
          {"steps", job.steps},
          {"tp", job.tp}};
}

void add_profile(json& object, const Command& command) {
  object["ask"] = command.ask;
  object["jobs"] = json::array();
  for (const db::RunConfig& job : command.jobs) object["jobs"].push_back(job_json(job));
  for (const Refusal& refusal : command.rejected) {
    object["rejected"].push_back(refusal_json(refusal));
  }
  if (!command.compare.empty()) object["compare"] = command.compare;
}

void add_control(json& object, const Command& command) {
  object["target"] = command.target ? json(*command.target) : json();
  if (command.avoid_runner) object["avoid_runner"] = true;
  if (command.steps) object["steps"] = *command.steps;
}

void add_analyze(json& object, const Command& command) {
  object["ask"] = command.ask;
  if (!command.phase.empty()) object["phase"] = command.phase;
  if (command.run) object["run"] = *command.run;
  if (!command.source.empty()) object["source"] = command.source;
}

void add_compare(json& object, const Command& command) {
  object["runs"] = command.runs;
  if (!command.ask.empty()) object["ask"] = command.ask;
  if (!command.compare.empty()) object["compare"] = command.compare;
}

void add_members(json& object, const Command& command) {
  switch (command.verb) {
    case Verb::profile:
      return add_profile(object, command);
    case Verb::refuse:
      object.update(refusal_json(command.refusal));
      return;
    case Verb::clarify:
      object["missing"] = command.missing;
      if (!command.options.empty()) object["options"] = command.options;
      return;
    case Verb::ignore:
      object["reason"] = command.reason;
      return;
    case Verb::status:
    case Verb::cancel:
    case Verb::rerun:
      return add_control(object, command);
    case Verb::history:
    case Verb::configs:
      object["filter"] = command.filter;
      return;
    case Verb::compare:
      return add_compare(object, command);
    case Verb::analyze:
      return add_analyze(object, command);
    case Verb::help:
      return;
  }
}

Refusal refusal_from(const json& object) {
  Refusal refusal;
  refusal.reason = object.at("reason").get<std::string>();
  refusal.nearest = object.value("nearest", std::vector<std::string>());
  refusal.nearest_conc = object.value("nearest_conc", std::vector<int>());
  for (const auto& [field, value] : object.value("asked", json::object()).items()) {
    if (value.is_boolean()) {
      refusal.asked[field] = value.get<bool>();
    } else if (value.is_number_integer()) {
      refusal.asked[field] = value.get<std::int64_t>();
    } else {
      refusal.asked[field] = value.get<std::string>();
    }
  }
  return refusal;
}

db::RunConfig job_from(const json& object) {
  db::RunConfig job;
  job.assumed = object.at("assumed").get<std::vector<std::string>>();
  job.key = object.at("key").get<std::string>();
  job.model = object.at("model").get<std::string>();
  job.hardware = object.at("hardware").get<std::string>();
  job.precision = object.at("precision").get<std::string>();
  job.framework = object.at("framework").get<std::string>();
  job.spec = object.at("spec").get<std::string>();
  job.phase = object.at("phase").get<std::string>();
  job.conc = object.at("conc").get<int>();
  job.isl = object.at("isl").get<int>();
  job.osl = object.at("osl").get<int>();
  job.tp = object.at("tp").get<int>();
  job.ep = object.at("ep").get<int>();
  job.steps = object.at("steps").get<int>();
  job.dp_attn = object.at("dp_attn").get<bool>();
  return job;
}

Command command_from(const json& object) {
  Command command;
  const std::optional<Verb> verb = verb_from(object.at("v").get<std::string>());
  if (!verb) throw json::other_error::create(501, "unknown verb", nullptr);
  command.verb = *verb;
  command.ask = object.value("ask", std::vector<std::string>());
  command.compare = object.value("compare", "");
  command.unsupported_ask = object.value("unsupported_ask", false);
  command.ignored_text = object.value("ignored_text", false);
  command.missing = object.value("missing", std::vector<std::string>());
  command.options = object.value("options", std::vector<std::string>());
  command.filter = object.value("filter", std::map<std::string, std::string>());
  command.runs = object.value("runs", std::vector<std::int64_t>());
  command.source = object.value("source", "");
  command.phase = object.value("phase", "");
  command.avoid_runner = object.value("avoid_runner", false);
  if (object.contains("steps")) command.steps = object["steps"].get<int>();
  if (object.contains("run")) command.run = object["run"].get<std::int64_t>();
  if (object.contains("target") && !object["target"].is_null()) {
    command.target = object["target"].get<std::int64_t>();
  }
  if (*verb == Verb::refuse) command.refusal = refusal_from(object);
  if (*verb == Verb::ignore) command.reason = object.at("reason").get<std::string>();
  for (const json& job : object.value("jobs", json::array())) {
    command.jobs.push_back(job_from(job));
  }
  for (const json& refusal : object.value("rejected", json::array())) {
    command.rejected.push_back(refusal_from(refusal));
  }
  return command;
}

// The events that can start something, and the reason why others do not; in step with
// ignored_because (event.h), which the daemon uses for those that it is sent.
std::string ignored_event(const std::string& event) {
  constexpr std::array<std::string_view, 3> kActed = {"issue_comment.created", "issues.opened",
                                                      "pull_request_review_comment.created"};
  if (std::ranges::find(kActed, event) != kActed.end()) return "";
  if (event.ends_with(".edited")) return "edited";
  if (event.ends_with(".deleted")) return "deleted";
  return "event_not_handled";
}

Command ignored(std::string reason) {
  Command command;
  command.verb = Verb::ignore;
  command.reason = std::move(reason);
  return command;
}

}  // namespace

std::string canonical_json(const Command& command) {
  json object = {{"v", to_string(command.verb)}};
  add_members(object, command);
  if (command.unsupported_ask) object["unsupported_ask"] = true;
  if (command.ignored_text) object["ignored_text"] = true;
  // Texts of others may be no UTF-8.
  return object.dump(-1, ' ', false, json::error_handler_t::replace);
}

std::optional<Command> command_from_json(std::string_view text) {
  const json object = json::parse(text, nullptr, false);
  if (!object.is_object()) return std::nullopt;
  try {
    return command_from(object);
  } catch (const json::exception&) {
    return std::nullopt;
  }
}

std::expected<std::string, std::string> request_line(std::string_view context,
                                                     std::string_view text,
                                                     const RequestReader& reader) {
  const json about = json::parse(context, nullptr, false);
  const json body = json::parse(text, nullptr, false);
  if (!about.is_object()) return std::unexpected("the context (column 1) is no JSON object");
  if (!body.is_string()) return std::unexpected("the text (column 2) is no JSON string");
  const auto member = [&about](const char* name, const char* otherwise) {
    const auto found = about.find(name);
    return found != about.end() && found->is_string() ? found->get<std::string>()
                                                      : std::string(otherwise);
  };
  std::string reason = ignored_event(member("event", "issue_comment.created"));
  if (reason.empty() && member("sender_type", "User") == "Bot") reason = "bot_author";
  if (!reason.empty()) return canonical_json(ignored(std::move(reason)));
  Command command = reader.read_comment(body.get<std::string>());
  if (command.verb != Verb::ignore && member("author_association", "") == "NONE") {
    command = Command{};
    command.verb = Verb::refuse;
    command.refusal.reason = "not_authorized";
  }
  return canonical_json(command);
}

}  // namespace stepscope::webhooks
