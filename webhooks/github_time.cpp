#include "webhooks/github_time.h"

#include <fmt/format.h>

#include <chrono>

namespace stepscope::webhooks {
namespace {

using std::chrono::sys_days;

// Digits from `at`, exactly `count` of them; -1 when there are others.
int digits(std::string_view text, std::size_t at, std::size_t count) {
  if (at + count > text.size()) return -1;
  int value = 0;
  for (const char letter : text.substr(at, count)) {
    if (letter < '0' || letter > '9') return -1;
    value = value * 10 + (letter - '0');
  }
  return value;
}

std::optional<std::int64_t> moment(int year, int month, int day, int hour, int minute, int second) {
  if (year < 1970 || month < 1 || day < 1) return std::nullopt;
  if (hour < 0 || hour > 23 || minute < 0 || minute > 59) return std::nullopt;
  if (second < 0 || second > 60) return std::nullopt;
  const std::chrono::year_month_day date{std::chrono::year{year},
                                         std::chrono::month{static_cast<unsigned>(month)},
                                         std::chrono::day{static_cast<unsigned>(day)}};
  if (!date.ok()) return std::nullopt;
  const std::int64_t days = sys_days{date}.time_since_epoch().count();
  return (((days * 24 + hour) * 60 + minute) * 60 + second) * 1000;
}

// "Z" or "+02:00" at the end: minutes to subtract.
std::optional<int> offset_minutes(std::string_view text) {
  if (text == "Z" || text == "z") return 0;
  if (text.size() != 6 || (text[0] != '+' && text[0] != '-') || text[3] != ':') return std::nullopt;
  const int hours = digits(text, 1, 2);
  const int minutes = digits(text, 4, 2);
  if (hours < 0 || minutes < 0) return std::nullopt;
  return (text[0] == '-' ? -1 : 1) * (hours * 60 + minutes);
}

}  // namespace

std::string format_iso8601(std::int64_t time_ms) {
  const std::chrono::sys_seconds time = std::chrono::floor<std::chrono::seconds>(
      std::chrono::sys_time<std::chrono::milliseconds>{std::chrono::milliseconds{time_ms}});
  const sys_days day = std::chrono::floor<std::chrono::days>(time);
  const std::chrono::year_month_day date{day};
  const std::chrono::hh_mm_ss clock{time - day};
  return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}Z", static_cast<int>(date.year()),
                     static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()),
                     clock.hours().count(), clock.minutes().count(), clock.seconds().count());
}

std::optional<std::int64_t> parse_iso8601(std::string_view text) {
  if (text.size() < 20 || text[4] != '-' || text[7] != '-' || text[10] != 'T' || text[13] != ':' ||
      text[16] != ':') {
    return std::nullopt;
  }
  std::size_t rest = 19;
  if (text[rest] == '.') {
    rest = text.find_first_not_of("0123456789", rest + 1);
    if (rest == std::string_view::npos) return std::nullopt;
  }
  const std::optional<int> offset = offset_minutes(text.substr(rest));
  const std::optional<std::int64_t> local =
      moment(digits(text, 0, 4), digits(text, 5, 2), digits(text, 8, 2), digits(text, 11, 2),
             digits(text, 14, 2), digits(text, 17, 2));
  if (!offset || !local) return std::nullopt;
  return *local - std::int64_t{*offset} * 60'000;
}

std::optional<std::int64_t> parse_http_date(std::string_view text) {
  static constexpr std::string_view kMonths = "JanFebMarAprMayJunJulAugSepOctNovDec";
  if (text.size() != 29 || text.substr(25) != " GMT") return std::nullopt;
  const std::size_t month = kMonths.find(text.substr(8, 3));
  if (month == std::string_view::npos || month % 3 != 0) return std::nullopt;
  return moment(digits(text, 12, 4), static_cast<int>(month / 3) + 1, digits(text, 5, 2),
                digits(text, 17, 2), digits(text, 20, 2), digits(text, 23, 2));
}

}  // namespace stepscope::webhooks
