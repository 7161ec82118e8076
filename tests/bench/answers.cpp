#include "tests/bench/answers.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <stdexcept>

namespace stepscope::bench {

namespace {

void check(const std::string& program, std::string_view what, std::optional<std::uint64_t> found,
           std::uint64_t wanted) {
  if (found == wanted) return;
  throw std::runtime_error(fmt::format("{}: {} {}, but the trace has {}: its time does not count",
                                       program, found ? fmt::to_string(*found) : "no", what,
                                       wanted));
}

// Over the devices of the whole file; the shown step has the key as well, further down.
std::uint64_t device_sum_ns(std::string_view report) {
  constexpr std::string_view kKey = "\"kernel_sum_ns\":";
  std::string_view devices = report.substr(0, report.find("\n\"suspects\""));
  std::uint64_t sum_ns = 0;
  for (std::size_t at = 0; (at = devices.find(kKey)) != std::string_view::npos;) {
    devices.remove_prefix(at);
    sum_ns += number_behind(devices, kKey).value_or(0);
    devices.remove_prefix(kKey.size());
  }
  return sum_ns;
}

void check_report(const std::string& program, std::string_view report, const Truth& truth) {
  check(program, "events", number_behind(report, "\"events\":"), truth.events);
  check(program, "device events", number_behind(report, "\"device_events\":"), truth.device_events);
  check(program, "events without a duration", number_behind(report, "\"no_dur\":").value_or(0),
        truth.no_dur);
  check(program, "ns on the device", device_sum_ns(report),
        static_cast<std::uint64_t>(truth.device_sum_ns));
  if (report.find("\"complete\":true") == std::string_view::npos) {
    throw std::runtime_error(program + ": the report says that the trace is not whole");
  }
}

void check_figures(const std::string& program, std::string_view output, const Truth& truth) {
  const Truth found = figures_of(output);
  check(program, "events", found.events, truth.events);
  check(program, "device events", found.device_events, truth.device_events);
  check(program, "events without a duration", found.no_dur, truth.no_dur);
  check(program, "ns on the device", static_cast<std::uint64_t>(found.device_sum_ns),
        static_cast<std::uint64_t>(truth.device_sum_ns));
}

}  // namespace

std::optional<std::uint64_t> number_behind(std::string_view text, std::string_view key) {
  const std::size_t at = text.find(key);
  if (at == std::string_view::npos) return std::nullopt;
  text.remove_prefix(at + key.size());
  text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
  std::uint64_t number = 0;
  const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), number);
  return fault == std::errc() ? std::optional(number) : std::nullopt;
}

std::string figures_text(const Truth& truth) {
  return fmt::format("bytes {}\nevents {}\ndevice_events {}\nno_dur {}\ndevice_sum_ns {}\n",
                     truth.bytes, truth.events, truth.device_events, truth.no_dur,
                     truth.device_sum_ns);
}

Truth figures_of(std::string_view text) {
  const std::string lines = "\n" + std::string(text);
  const auto figure = [&](std::string_view key) {
    return number_behind(lines, fmt::format("\n{} ", key)).value_or(0);
  };
  return {figure("bytes"), figure("events"), figure("device_events"), figure("no_dur"),
          static_cast<std::int64_t>(figure("device_sum_ns"))};
}

void check_answer(const std::string& program, Answer answer, std::string_view output,
                  const Truth& truth) {
  switch (answer) {
    case Answer::none:
      return;
    case Answer::text_bytes:
      return check(program, "bytes", number_behind(output, "bytes"), truth.bytes);
    case Answer::event_count:
      return check(program, "events", number_behind(output, ""), truth.events);
    case Answer::figures:
      return check_figures(program, output, truth);
    case Answer::report:
      return check_report(program, output, truth);
  }
}

}  // namespace stepscope::bench
