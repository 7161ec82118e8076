#include "tests/bench/event_writer.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

namespace stepscope::bench {

namespace {

constexpr std::size_t kPieceBytes = 1U << 20;

// Of UTF-8 that is whole and below U+10000, which all our names are.
void append_escaped(std::string_view text, std::string& out) {
  for (std::size_t i = 0; i < text.size();) {
    const auto at = [&](std::size_t k) { return static_cast<unsigned char>(text[i + k]); };
    if (at(0) < 0x80) {
      out += text[i++];
    } else if (at(0) < 0xE0) {
      fmt::format_to(std::back_inserter(out), "\\u{:04x}", (at(0) & 0x1FU) << 6 | (at(1) & 0x3FU));
      i += 2;
    } else {
      fmt::format_to(std::back_inserter(out), "\\u{:04x}",
                     (at(0) & 0x0FU) << 12 | (at(1) & 0x3FU) << 6 | (at(2) & 0x3FU));
      i += 3;
    }
  }
}

std::string without_blanks(std::string_view json) {
  std::string out;
  bool in_string = false;
  for (const char c : json) {
    if (c == '"') in_string = !in_string;
    if (in_string || c != ' ') out += c;
  }
  return out;
}

}  // namespace

EventWriter::EventWriter(Layout layout, Sink sink) : layout_(layout), sink_(std::move(sink)) {}

void EventWriter::flush() {
  sink_(text_);
  flushed_bytes_ += text_.size();
  text_.clear();
}

// Python writes the shortest text of a double: no zeros at the end, but one decimal at least.
std::string EventWriter::time(std::int64_t ns) const {
  std::string text = fmt::format("{}.{:03}", ns / 1000, ns % 1000);
  if (layout_ == Layout::lines) return text;
  while (text.ends_with('0') && text[text.size() - 2] != '.') text.pop_back();
  return text;
}

std::string EventWriter::quoted(std::string_view text) const {
  std::string out = "\"";
  if (layout_ == Layout::lines) {
    out += text;
  } else {
    append_escaped(text, out);
  }
  out += '"';
  return out;
}

std::string EventWriter::pid_text(int pid) const {
  return label_.empty() ? fmt::to_string(pid) : fmt::format("\"[{}] {}\"", label_, pid);
}

std::string EventWriter::object(std::vector<Field> fields, std::string_view indent) const {
  const bool lines = layout_ == Layout::lines;
  const bool sorted = layout_ == Layout::sorted;
  if (sorted) std::ranges::sort(fields, {}, &Field::key);
  std::string out = lines ? fmt::format("{{\n{}  ", indent) : "{";
  for (const Field& field : fields) {
    const bool first = &field == fields.data();
    if (!first)
      out += lines && field.new_line ? fmt::format(",\n{}  ", indent) : sorted ? "," : ", ";
    fmt::format_to(
        std::back_inserter(out), "\"{}\":{}{}", field.key, sorted ? "" : " ",
        sorted && field.value.starts_with('[') ? without_blanks(field.value) : field.value);
  }
  out += lines ? fmt::format("\n{}}}", indent) : "}";
  return out;
}

void EventWriter::top_fields(std::span<const Field> fields) {
  const std::string_view between = layout_ == Layout::lines    ? ",\n  "
                                   : layout_ == Layout::sorted ? ","
                                                               : ", ";
  for (const Field& field : fields) {
    fmt::format_to(std::back_inserter(text_), "\"{}\":{}{}{}", field.key,
                   layout_ == Layout::sorted ? "" : " ",
                   layout_ == Layout::sorted ? without_blanks(field.value) : field.value, between);
  }
}

void EventWriter::open(std::vector<Field> top) {
  std::size_t before = top.size() - 1;  // traceName follows the events in Kineto's files
  if (layout_ == Layout::sorted) {
    std::ranges::sort(top, {}, &Field::key);
    const auto behind =
        std::ranges::find_if(top, [](const Field& field) { return field.key > "traceEvents"; });
    before = static_cast<std::size_t>(behind - top.begin());
  } else if (layout_ == Layout::one_line) {
    before = 0;
    const auto devices = std::ranges::find(top, "deviceProperties", &Field::key);
    if (devices != top.end()) std::rotate(devices, devices + 1, top.end());
  }
  text_ += layout_ == Layout::lines ? "{\n  " : "{";
  top_fields(std::span(top).first(before));
  text_ += layout_ == Layout::sorted ? "\"traceEvents\":[" : "\"traceEvents\": [";
  behind_.assign(std::make_move_iterator(top.begin() + static_cast<std::ptrdiff_t>(before)),
                 std::make_move_iterator(top.end()));
}

void EventWriter::close() {
  text_ += layout_ == Layout::lines ? "\n  ],\n  " : layout_ == Layout::sorted ? "]," : "], ";
  top_fields(behind_);
  while (text_.back() == ' ' || text_.back() == ',' || text_.back() == '\n') text_.pop_back();
  text_ += layout_ == Layout::lines ? "\n}\n" : "}";
  flush();
}

void EventWriter::raw(std::string_view event) {
  if (events_ > 0) text_ += layout_ == Layout::one_line ? ", " : ",";
  if (layout_ == Layout::lines) text_ += "\n  ";
  text_ += event;
  ++events_;
  if (text_.size() > kPieceBytes) flush();
}

void EventWriter::event(std::string_view category, std::vector<Field> fields) {
  const std::uint64_t before = bytes();
  raw(object(std::move(fields), "  "));
  auto share = shares_.find(category);
  if (share == shares_.end()) share = shares_.emplace(std::string(category), CategoryShare()).first;
  ++share->second.events;
  share->second.bytes += bytes() - before;
}

void EventWriter::complete(std::string_view category, std::string_view name, Track track, Span span,
                           std::vector<Field> arguments) {
  event(category, {{"ph", "\"X\""},
                   {"cat", fmt::format("\"{}\"", category)},
                   {"name", quoted(name)},
                   {"pid", pid_text(track.pid)},
                   {"tid", fmt::to_string(track.tid)},
                   {"ts", time(span.start_ns), true},
                   {"dur", time(span.dur_ns)},
                   {"args", object(std::move(arguments), "    "), true}});
}

void EventWriter::flow(char phase, std::uint64_t id, Track track, std::int64_t at_ns) {
  std::vector<Field> fields = {{"ph", fmt::format("\"{}\"", phase)},
                               {"id", fmt::to_string(id)},
                               {"pid", pid_text(track.pid)},
                               {"tid", fmt::to_string(track.tid)},
                               {"ts", time(at_ns)},
                               {"cat", "\"ac2g\"", true},
                               {"name", "\"ac2g\""}};
  if (phase == 'f') fields.push_back({"bp", "\"e\""});
  event("ac2g", std::move(fields));
}

void EventWriter::metadata(std::string_view what, Track track, const Field& argument) {
  event("metadata", {{"name", fmt::format("\"{}\"", what)},
                     {"ph", "\"M\""},
                     {"ts", time(0)},
                     {"pid", pid_text(track.pid)},
                     {"tid", fmt::to_string(track.tid)},
                     {"args", object({argument}, "    "), true}});
}

}  // namespace stepscope::bench
