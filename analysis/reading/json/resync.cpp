#include "analysis/reading/json/resync.h"

#include <algorithm>
#include <array>

#include "analysis/reading/json/json_text.h"

namespace stepscope::analysis {

namespace {

// First keys of an event object. "args" is there for writers that sort their keys.
constexpr std::array<std::string_view, 11> kEventKeys = {"ph",  "cat",  "name", "pid", "tid", "ts",
                                                         "dur", "args", "id",   "bp",  "s"};
// Keys that writers put behind the event array.
constexpr std::array<std::string_view, 12> kTopKeys = {
    "traceName",       "displayTimeUnit", "baseTimeNanoseconds",
    "distributedInfo", "schemaVersion",   "deviceProperties",
    "trace_id",        "otherData",       "with_flops",
    "record_shapes",   "stackFrames",     "metadata"};

std::size_t skip_blanks(std::string_view text, std::size_t pos) {
  while (pos < text.size() && is_json_blank(text[pos])) ++pos;
  return pos;
}

// The name in quotes at text[pos], empty when there is none or no colon follows it.
std::string_view key_at(std::string_view text, std::size_t pos) {
  if (pos >= text.size() || text[pos] != '"') return {};
  std::size_t end = text.find('"', pos + 1);
  if (end == std::string_view::npos) return {};
  std::size_t colon = skip_blanks(text, end + 1);
  if (colon >= text.size() || text[colon] != ':') return {};
  return text.substr(pos + 1, end - pos - 1);
}

// The last byte before `pos` that is no blank; 0 when there is none within the context.
char before(std::string_view text, std::size_t pos) {
  const std::size_t first = pos - std::min(pos, kResyncContext);
  while (pos > first && is_json_blank(text[pos - 1])) --pos;
  return pos == first ? '\0' : text[pos - 1];
}

bool event_start(std::string_view text, std::size_t pos) {
  // An object behind a colon is a value inside of an event ("args").
  if (before(text, pos) == ':') return false;
  std::string_view near = text.substr(0, std::min(text.size(), pos + kResyncContext));
  return std::ranges::find(kEventKeys, key_at(near, skip_blanks(near, pos + 1))) !=
         kEventKeys.end();
}

bool array_end(std::string_view text, std::size_t pos) {
  char c = before(text, pos);
  if (c != '}' && c != ',') return false;
  std::string_view near = text.substr(0, std::min(text.size(), pos + kResyncContext));
  std::size_t comma = skip_blanks(near, pos + 1);
  if (comma >= near.size() || near[comma] != ',') return false;
  return std::ranges::find(kTopKeys, key_at(near, skip_blanks(near, comma + 1))) != kTopKeys.end();
}

}  // namespace

ResyncPoint find_resync(std::string_view text, std::size_t from, bool last) {
  std::size_t pos = from;
  while (true) {
    pos = text.find_first_of("{]", pos);
    if (pos == std::string_view::npos) return {ResyncPoint::Kind::none, text.size()};
    if (!last && text.size() - pos < kResyncContext) return {ResyncPoint::Kind::none, pos};
    if (text[pos] == '{' && event_start(text, pos)) return {ResyncPoint::Kind::event, pos};
    if (text[pos] == ']' && array_end(text, pos)) return {ResyncPoint::Kind::array_end, pos};
    ++pos;
  }
}

bool ends_closed(std::string_view text) {
  char c = before(text, text.size());
  return c == '}' || c == ']';
}

}  // namespace stepscope::analysis
