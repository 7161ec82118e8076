#include "tests/bench/odd_events.h"

#include <fmt/format.h>

#include <string_view>

namespace stepscope::bench {

namespace {

constexpr std::size_t kLongStringBytes = 3'000'000;
constexpr std::int64_t kDropped = -1;

struct OddEvent {
  std::string_view text;  // $D, $C: process id of device and CPU; $T: start in us, without decimals
  bool device = false;
  std::int64_t dur_ns = 0;
};

constexpr OddEvent kEvents[] = {
    // Braces, brackets, quotes and backslashes in strings, and decoys of a category.
    {R"({"ph": "X", "cat": "cpu_op", "name": "} ], { [ \"q\" \\", "pid": $C, "tid": 1, "ts": $T.001,
 "dur": 1, "args": {"path": "C:\\", "text": "}, {\"cat\": \"kernel\", \"ph\": \"X\"}",
 "list": [{"cat": "kernel"}, [[]], {}]}})"},
    // Escapes of every kind, a pair of surrogates, a lambda of the demangler.
    {R"({"ph": "X", "cat": "kernel", "name": "run<{lambda()#1}>(\"a\") \u00fc\ud83d\ude80\t\/ \\",
 "pid": $D, "tid": 9, "ts": $T.5, "dur": 1.75, "args": {"stream": 9, "correlation": 101}})",
     true, 1750},
    // Everything a string, and the category last, behind arguments that look like another event.
    {R"({"args": {"correlation": "102", "stream": "9", "device": "0", "cat": "cpu_op", "dur": 66,
 "name": "decoy", "ph": "M"}, "dur": "2.125", "ts": "$T.250", "tid": "stream 9", "pid": $D,
 "name": "numbers as strings", "ph": "X", "cat": "kernel"})",
     true, 2125},
    {R"({"ph": "X", "cat": "kernel", "name": "no duration", "pid": $D, "tid": 9, "ts": $T,
 "args": {"stream": 9, "correlation": 103}})",
     true, kDropped},
    {R"({"ph": "X", "cat": "kernel", "name": "exponents", "pid": $D, "tid": 9, "ts": $T0E-1,
 "dur": 3.75e+1, "args": {"stream": 9, "correlation": 104, "blocks per SM": 1e400}})",
     true, 37'500},
    // The category is "kernel" all the same.
    {R"({"ph": "X", "cat": "\u006bernel", "name": "escaped category", "pid": $D, "tid": 9,
 "ts": $T.1239, "dur": 4.0004, "args": {"stream": 9, "correlation": 105}})",
     true, 4000},
    // 12.5 ns and 13.5 ns: half to even.
    {R"({"ph":"X","cat":"kernel","name":"half down","ts":$T.7,"dur":0.0125,"pid":$D,"tid":9,
"args":{"stream":9,"correlation":106,"graph node id":9007199254740993}})",
     true, 12},
    {R"({"ph":"X","cat":"kernel","name":"half up","ts":$T.8,"dur":0.0135,"pid":$D,"tid":9,
"args":{"stream":9,"correlation":18446744073709551615}})",
     true, 14},
    {R"( { "ph" : "X" , "cat" : "gpu_memcpy" , "name" : "blanks" , "pid" : $D , "tid" : 9 ,
 "ts" : $T.900 , "dur" : 5.000 , "args" : { "stream" : 9 , "correlation" : 107 } } )",
     true, 5000},
    {R"({"ph": "i", "cat": "kernel", "name": "an instant is no work", "s": "t", "pid": $D, "tid": 9,
 "ts": $T, "args": {}})"},
};

}  // namespace

OddEvents odd_events(const std::string& device_pid, const std::string& cpu_pid,
                     std::int64_t start_us) {
  OddEvents odd;
  const auto filled = [&](std::string_view text, std::int64_t at_us) {
    std::string out;
    for (std::size_t i = 0; i < text.size(); ++i) {
      if (text[i] != '$') {
        if (text[i] != '\n') out += text[i];  // the table's own line breaks
        continue;
      }
      const char what = text[++i];
      out += what == 'D' ? device_pid : what == 'C' ? cpu_pid : fmt::to_string(at_us);
    }
    return out;
  };
  for (const OddEvent& event : kEvents) {
    odd.events.push_back(filled(event.text, start_us));
    start_us += 10;  // they do not overlap
    if (!event.device) continue;
    if (event.dur_ns == kDropped) {
      ++odd.no_dur;
    } else {
      ++odd.device_events;
      odd.device_sum_ns += event.dur_ns;
    }
  }
  odd.events.push_back(
      filled(
          R"({"ph": "X", "cat": "cpu_op", "name": "long", "pid": $C, "tid": 1, "ts": $T, "dur": 1,
 "args": {"text": ")",
          start_us) +
      std::string(kLongStringBytes, '{') + "\"}}");
  return odd;
}

}  // namespace stepscope::bench
