#include "webhooks/event.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

namespace stepscope::webhooks {
namespace {

using nlohmann::json;

// The member `key` of `value`, or a null that outlives the call.
const json& member(const json& value, const char* key) {
  static const json kNull;
  if (!value.is_object()) return kNull;
  const auto found = value.find(key);
  return found == value.end() ? kNull : *found;
}

std::string text(const json& value, const char* key) {
  const json& field = member(value, key);
  return field.is_string() ? field.get<std::string>() : std::string();
}

std::int64_t integer(const json& value, const char* key) {
  const json& field = member(value, key);
  return field.is_number_integer() ? field.get<std::int64_t>() : 0;
}

bool flag(const json& value, const char* key) {
  const json& field = member(value, key);
  return field.is_boolean() && field.get<bool>();
}

std::string missing_field(const Event& event) {
  if (event.action.empty()) return "action";
  if (event.repository.empty()) return "repository.full_name";
  if (event.repository_id <= 0) return "repository.id";
  if (event.issue_number <= 0) return "issue.number";
  if (event.comment_id <= 0) return "comment.id";
  if (event.author.empty()) return "comment.user.login";
  return "";
}

}  // namespace

std::expected<Event, std::string> read_event(std::string_view name, std::string_view delivery,
                                             std::string_view body) {
  const json payload = json::parse(body, nullptr, false);
  if (payload.is_discarded()) {
    return std::unexpected("the body is not JSON: set the hook's content type to application/json");
  }
  if (!payload.is_object()) return std::unexpected("the body is JSON but not an object");

  const json& repository = member(payload, "repository");
  const json& issue = member(payload, "issue");
  const json& comment = member(payload, "comment");
  Event event;
  event.name = name;
  event.delivery = delivery;
  event.action = text(payload, "action");
  event.repository = text(repository, "full_name");
  event.repository_id = integer(repository, "id");
  event.archived = flag(repository, "archived");
  event.issue_number = integer(issue, "number");
  event.locked = flag(issue, "locked");
  event.comment_id = integer(comment, "id");
  event.body = text(comment, "body");
  event.html_url = text(comment, "html_url");
  event.created_at = text(comment, "created_at");
  event.author = text(member(comment, "user"), "login");
  event.author_type = text(member(comment, "user"), "type");
  event.association = text(comment, "author_association");
  event.sender = text(member(payload, "sender"), "login");
  event.sender_type = text(member(payload, "sender"), "type");
  event.installation_id = integer(member(payload, "installation"), "id");

  if (event.name == "issue_comment") {
    const std::string missing = missing_field(event);
    if (!missing.empty()) {
      return std::unexpected(
          fmt::format("issue_comment: {} is missing or of a wrong type", missing));
    }
  }
  return event;
}

std::string ignored_because(const Event& event) {
  if (event.name == "ping") return "ping";
  if (event.name != "issue_comment") return "event_not_handled";
  if (event.action == "edited" || event.action == "deleted") return event.action;
  if (event.action != "created") return "event_not_handled";
  if (event.author_type == "Bot" || event.sender_type == "Bot") return "bot_author";
  if (event.archived) return "archived";
  return "";
}

}  // namespace stepscope::webhooks
