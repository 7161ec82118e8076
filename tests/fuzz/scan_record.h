#pragma once
// All that the TraceScanner hands on of one text, written down so that two scans can be compared.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace stepscope::fuzz {

struct ScanEntry {
  enum class Kind : std::uint8_t { event, other_element, value, damage };
  Kind kind = Kind::event;
  std::uint64_t byte = 0;  // of events and damage
  std::string text;        // of the event or value; the reason of a damage
  std::string key;         // of a value
  bool lost = false;       // a damage that cost an event

  bool operator==(const ScanEntry&) const = default;
};

struct ScanRecord {
  std::vector<ScanEntry> entries;
  bool complete = false;
  bool left_open = false;
  bool bare_array = false;
  bool saw_events = false;

  bool operator==(const ScanRecord&) const = default;
};

// In blocks of this size; `readable` answers for the sink whether it could read an event. Requires
// what must hold of every scan: events stand at their byte, in order, without overlap.
ScanRecord scan_text(
    std::string_view text, std::size_t block_bytes,
    const std::function<bool(std::string_view)>& readable = [](std::string_view) { return true; });

// The scanner goes on with one of the kinds of vectors that this machine has.
void use_vector_target(std::uint64_t number);

// A number made of the content, so that a fuzzer needs no bytes of its input for its choices.
std::uint64_t content_hash(std::string_view text);

// 1 byte to 4 KiB.
std::size_t block_size_from(std::uint64_t number);

}  // namespace stepscope::fuzz
