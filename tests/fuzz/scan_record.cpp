#include "tests/fuzz/scan_record.h"

#include <hwy/targets.h>

#include <array>
#include <utility>

#include "analysis/reading/json/trace_scanner.h"
#include "tests/fuzz/require.h"

namespace stepscope::fuzz {

namespace {

class Recorder : public analysis::RawEventSink {
 public:
  Recorder(std::string_view text, const std::function<bool(std::string_view)>& readable)
      : text_(text), readable_(readable) {}

  bool on_event(const analysis::RawEvent& raw) override {
    const std::string_view event = raw.text;
    const std::uint64_t byte = raw.byte;
    require(byte >= free_from_, "events do not overlap", event);
    require(byte <= text_.size() && text_.substr(byte, event.size()) == event,
            "an event stands at its byte", event);
    require(event.starts_with('{') && event.ends_with('}'), "an event is an object", event);
    require(raw.escapes || !event.contains('\\'), "no escapes means no backslash", event);
    require(raw.inner.empty() || (event.contains(raw.inner) && raw.inner.starts_with('{') &&
                                  raw.inner.ends_with('}')),
            "the inner object is one of the event", event);
    entries.push_back({.kind = ScanEntry::Kind::event, .byte = byte, .text = std::string(event)});
    const bool read = readable_(event);
    // A refused event comes back as damage; one that was read ends here.
    if (read) free_from_ = byte + event.size();
    return read;
  }
  void on_other_element() override { entries.push_back({.kind = ScanEntry::Kind::other_element}); }
  bool wants(std::string_view) override { return true; }
  void on_value(std::string_view key, std::string_view value) override {
    entries.push_back(
        {.kind = ScanEntry::Kind::value, .text = std::string(value), .key = std::string(key)});
  }
  void on_damage(std::uint64_t byte, std::string_view reason, bool event_lost) override {
    require(byte <= text_.size(), "damage lies within the text", reason);
    entries.push_back({.kind = ScanEntry::Kind::damage,
                       .byte = byte,
                       .text = std::string(reason),
                       .lost = event_lost});
  }

  std::vector<ScanEntry> entries;

 private:
  std::string_view text_;
  const std::function<bool(std::string_view)>& readable_;
  std::uint64_t free_from_ = 0;  // behind the last event
};

}  // namespace

ScanRecord scan_text(std::string_view text, std::size_t block_bytes,
                     const std::function<bool(std::string_view)>& readable) {
  Recorder recorder(text, readable);
  analysis::TraceScanner scanner(recorder);
  for (std::size_t at = 0; at < text.size(); at += block_bytes) {
    scanner.feed(text.substr(at, block_bytes));
  }
  scanner.finish();
  require(scanner.text_bytes() == text.size(), "every byte is counted");
  return {.entries = std::move(recorder.entries),
          .complete = scanner.complete(),
          .left_open = scanner.left_open(),
          .bare_array = scanner.bare_array(),
          .saw_events = scanner.saw_events()};
}

void use_vector_target(std::uint64_t number) {
  // Targets of the scanner are those that Highway compiles by default, as in here.
  static const std::vector<std::int64_t> targets = hwy::SupportedAndGeneratedTargets();
  hwy::SetSupportedTargetsForTest(targets[number % targets.size()]);
  hwy::GetChosenTarget().Update(hwy::SupportedTargets());
}

std::uint64_t content_hash(std::string_view text) {
  std::uint64_t hash = 14695981039346656037ULL;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211ULL;
  return hash ^ hash >> 29;
}

std::size_t block_size_from(std::uint64_t number) {
  // Around the 64 bytes that the scanner takes at a time, and its powers.
  constexpr std::array<std::size_t, 12> kSizes = {1,  2,   3,   7,   63,   64,
                                                  65, 127, 128, 256, 1024, 4096};
  return number % 2 == 0 ? kSizes[number / 2 % kSizes.size()] : 1 + number / 2 % 4096;
}

}  // namespace stepscope::fuzz
