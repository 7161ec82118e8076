#pragma once
// Writes the JSON of a trace in one of three layouts, event by event, and counts what it wrote. It
// owns the text that was not handed to the sink yet; it does not know what the events mean.

#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace stepscope::bench {

enum class Layout {
  lines,     // as Kineto writes: several lines an event, three decimals
  sorted,    // Python's json.dumps(sort_keys=True, separators=(",", ":")) of that
  one_line,  // as SGLang's merger writes: json.dumps, events first, a rank label in each pid
};

using Sink = std::function<void(std::string_view)>;

struct Field {
  std::string key;
  std::string value;  // JSON, lists with ", "
  bool new_line = false;
};

struct Track {
  int pid = 0;
  int tid = 0;
};

struct Span {
  std::int64_t start_ns = 0;  // relative to baseTimeNanoseconds
  std::int64_t dur_ns = 0;
};

struct CategoryShare {
  std::uint64_t events = 0;
  std::uint64_t bytes = 0;
};

class EventWriter {
 public:
  // `sink` gets the text in pieces of about 1 MB.
  EventWriter(Layout layout, Sink sink);

  // `top` are the keys beside traceEvents, in Kineto's order; the layout puts them before or
  // behind.
  void open(std::vector<Field> top);
  void close();

  // "TP03-EP03": from now on pids are strings with it (one_line only).
  void label(std::string rank_label) { label_ = std::move(rank_label); }

  // `name` is UTF-8 that needs no escape in JSON.
  void complete(std::string_view category, std::string_view name, Track track, Span span,
                std::vector<Field> arguments);
  void flow(char phase, std::uint64_t id, Track track, std::int64_t at_ns);
  void metadata(std::string_view what, Track track, const Field& argument);
  void raw(std::string_view event);  // the text of a whole event, as it is

  std::string pid_text(int pid) const;  // as JSON

  std::uint64_t events() const { return events_; }
  std::uint64_t bytes() const { return flushed_bytes_ + text_.size(); }
  const std::map<std::string, CategoryShare, std::less<>>& shares() const { return shares_; }

 private:
  std::string object(std::vector<Field> fields, std::string_view indent) const;
  std::string quoted(std::string_view text) const;
  std::string time(std::int64_t ns) const;
  void event(std::string_view category, std::vector<Field> fields);
  void top_fields(std::span<const Field> fields);
  void flush();

  Layout layout_;
  Sink sink_;
  std::string label_;
  std::string text_;
  std::vector<Field> behind_;  // keys that follow traceEvents
  std::uint64_t events_ = 0;
  std::uint64_t flushed_bytes_ = 0;
  std::map<std::string, CategoryShare, std::less<>> shares_;
};

}  // namespace stepscope::bench
