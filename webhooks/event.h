#pragma once
// A webhook delivery as a plain value: only the fields that are needed, each with a default, since
// real payloads lack fields that GitHub's schema calls required. Nothing here decides who may do
// what.

#include <cstdint>
#include <expected>
#include <string>
#include <string_view>

namespace stepscope::webhooks {

struct Event {
  std::string name;      // X-GitHub-Event
  std::string delivery;  // X-GitHub-Delivery, a GUID that a redelivery repeats
  std::string action;
  std::string repository;  // "owner/name"
  std::int64_t repository_id = 0;
  bool archived = false;
  std::int64_t issue_number = 0;
  bool locked = false;
  std::int64_t comment_id = 0;
  std::string body;  // untrusted, as written
  std::string html_url;
  std::string created_at;   // RFC 3339, as sent
  std::string author;       // who wrote the comment
  std::string author_type;  // User, Bot, Organization
  std::string association;  // informative only; the permission endpoint decides
  std::string sender;       // who caused the event
  std::string sender_type;
  std::int64_t installation_id = 0;  // 0: not sent by an App's webhook
};

// Error: one line that says what is wrong with the body. Absent optional fields are no error, and
// of events that are not acted upon nothing but `action` is required to be well-formed.
std::expected<Event, std::string> read_event(std::string_view name, std::string_view delivery,
                                             std::string_view body);

// Empty when the event may start a request, else the reason why it is ignored: "ping",
// "event_not_handled", "edited", "deleted", "bot_author" or "archived".
std::string ignored_because(const Event& event);

}  // namespace stepscope::webhooks
