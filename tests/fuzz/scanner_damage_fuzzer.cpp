// A trace of which one event is broken in up to four bytes: what stands before it and what stands
// behind its neighbour is handed on as if nothing had happened. The neighbour may be lost where the
// damage hides its start; how often that is so is printed at the end.

#include <fmt/format.h>
#include <fuzzer/FuzzedDataProvider.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/reading/json/json_walker.h"
#include "tests/fuzz/require.h"
#include "tests/fuzz/scan_record.h"

namespace {

using namespace stepscope;
using Kind = fuzz::ScanEntry::Kind;

struct Losses {
  unsigned long runs = 0;
  unsigned long bad_events = 0;
  unsigned long neighbours = 0;
};
Losses losses;

void print_losses() {
  std::fprintf(stderr, "of %lu broken events %lu were lost, and %lu of their neighbours\n",
               losses.runs, losses.bad_events, losses.neighbours);
}

std::string event_text(FuzzedDataProvider& input, int index) {
  switch (input.ConsumeIntegralInRange(0, 4)) {
    case 0:
      return fmt::format(
          "{{\n    \"ph\": \"X\", \"cat\": \"kernel\", \"name\": \"void f<{{0}}>(int, "
          "\\\"{0}\\\")\","
          " \"pid\": 0, \"tid\": 7,\n    \"ts\": {0}.001, \"dur\": 1.5,\n    \"args\": {{\n      "
          "\"stream\": 7, \"grid\": [1, {0}, 3], \"correlation\": {0}\n    }}\n  }}",
          index);
    case 1:
      return fmt::format("{{\"ph\": \"f\", \"id\": {}, \"name\": \"ac2g\", \"bp\": \"e\"}}", index);
    case 2:
      return fmt::format("{{\"args\":{{\"list\":[{{\"a\":{}}}]}},\"cat\":\"cpu_op\",\"dur\":1}}",
                         index);
    case 3:
      return fmt::format("{{\"name\": \"\xC3\xA9{}\", \"cat\": \"x\", \"ts\": 1}}",
                         std::string(input.ConsumeIntegralInRange<std::size_t>(0, 130), 'n'));
    default:
      return fmt::format("{{\"ts\": {}}}", index);
  }
}

// Bytes that mean something to JSON, mostly. Brackets are left out: a list that another bracket
// closes may hold what follows as legal values.
char odd_byte(FuzzedDataProvider& input) {
  const char byte =
      input.ConsumeBool()
          ? input.ConsumeIntegral<char>()
          : input.PickValueInArray({'"', '\\', '{', '}', ',', ':', ' ', '\n', '0', 'x'});
  return byte == '[' || byte == ']' ? '"' : byte;
}

std::string broken(std::string event, FuzzedDataProvider& input) {
  const int changes = input.ConsumeIntegralInRange(1, 4);
  for (int i = 0; i < changes && !event.empty(); ++i) {
    const auto at = input.ConsumeIntegralInRange<std::size_t>(0, event.size() - 1);
    switch (input.ConsumeIntegralInRange(0, 2)) {
      case 0:
        event[at] = odd_byte(input);
        break;
      case 1:
        event.insert(at, 1, odd_byte(input));
        break;
      default:
        event.erase(at, 1);
        break;
    }
  }
  return event;
}

bool handed_on(const fuzz::ScanRecord& scan, std::uint64_t byte, std::string_view event) {
  return std::ranges::any_of(scan.entries, [&](const fuzz::ScanEntry& entry) {
    return entry.kind == Kind::event && entry.byte == byte && entry.text == event;
  });
}

// From a brace of the broken event on the text is one legal value that ends beyond the neighbour: a
// list that the trace's own bracket closes holds what follows, and no reader can tell.
bool swallowed(std::string_view from_broken, std::size_t broken_bytes, std::size_t neighbour_end) {
  for (std::size_t brace = from_broken.find('{'); brace < broken_bytes;
       brace = from_broken.find('{', brace + 1)) {
    analysis::JsonWalker walker;
    std::size_t pos = brace;
    if (walker.walk(from_broken, pos) == analysis::JsonWalker::Outcome::done &&
        pos > neighbour_end) {
      return true;
    }
  }
  return false;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (losses.runs++ == 0) std::atexit(print_losses);
  FuzzedDataProvider input(data, size);
  const bool bare = input.ConsumeBool();
  const auto count = input.ConsumeIntegralInRange<std::size_t>(3, 9);
  const auto bad = input.ConsumeIntegralInRange<std::size_t>(0, count - 1);
  const std::uint64_t block = input.ConsumeIntegral<std::uint16_t>();
  std::string text = bare ? "[" : "{\"schemaVersion\": 1, \"traceEvents\": [\n";
  std::vector<std::string> events;
  std::vector<std::size_t> bytes;
  for (std::size_t i = 0; i < count; ++i) {
    events.push_back(event_text(input, static_cast<int>(i)));
    if (i == bad) events.back() = broken(events.back(), input);
    bytes.push_back(text.size());
    text += events.back() + (i + 1 < count ? ",\n" : "");
  }
  text += bare ? "]\n" : "\n], \"traceName\": \"x\"}\n";

  if (bad + 2 < count && swallowed(std::string_view(text).substr(bytes[bad]), events[bad].size(),
                                   bytes[bad + 2] - bytes[bad]))
    return 0;
  // The fast way leaves it to the sink to see what is no JSON.
  const fuzz::ScanRecord scan =
      fuzz::scan_text(text, fuzz::block_size_from(block),
                      [](std::string_view event) { return nlohmann::json::accept(event); });
  for (std::size_t i = 0; i < count; ++i) {
    const bool found = handed_on(scan, bytes[i], events[i]);
    if (i == bad) {
      losses.bad_events += found ? 0 : 1;
    } else if (i == bad + 1) {
      losses.neighbours += found ? 0 : 1;
    } else {
      fuzz::require(found, "an event far from the broken one is handed on",
                    fmt::format("event {} of {}, broken {}\n{}", i, count, bad, text));
    }
  }
  return 0;
}
