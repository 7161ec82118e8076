#pragma once
// Text of traces for tests, in the form that Kineto writes. Times are given as text, because their
// spelling is what many tests are about.

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace stepscope::tests {

struct EventText {
  std::string cat = "kernel";
  std::string name;
  std::string ts;
  std::string dur;
  std::string pid = "0";
  std::string tid = "7";
  std::string args;  // the text between the braces
};

class TraceText {
 public:
  // A top-level member in front of the events, or behind them. `json` is the text of its value.
  TraceText& member(std::string_view key, std::string_view json);
  TraceText& member_behind(std::string_view key, std::string_view json);

  TraceText& add(const EventText& event);
  TraceText& raw(std::string_view element);  // as it stands
  // A kernel on stream 7 of device 0.
  TraceText& kernel(std::string_view name, std::string_view ts, std::string_view dur,
                    int correlation = 0);
  // A call of the runtime, on the CPU.
  TraceText& launch(std::string_view name, std::string_view ts, std::string_view dur,
                    int correlation);
  TraceText& annotation(std::string_view name, std::string_view ts, std::string_view dur);

  std::string object() const;  // {"...": ..., "traceEvents": [...], ...}
  std::string array() const;   // [...]

 private:
  std::string joined() const;

  std::string before_;
  std::string behind_;
  std::vector<std::string> events_;
};

// One gzip member with these bytes.
std::string gzip(std::string_view text);

std::filesystem::path write_file(const std::filesystem::path& folder, std::string_view name,
                                 std::string_view bytes);

}  // namespace stepscope::tests
