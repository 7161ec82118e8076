#include "runtime/http_wire.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

namespace stepscope::runtime {

namespace {

constexpr std::uint64_t slowest_bytes_per_s = 64 << 10;

struct Reason {
  int status;
  std::string_view text;
};
constexpr std::array<Reason, 29> reasons{{{200, "OK"},
                                          {201, "Created"},
                                          {202, "Accepted"},
                                          {204, "No Content"},
                                          {206, "Partial Content"},
                                          {301, "Moved Permanently"},
                                          {302, "Found"},
                                          {303, "See Other"},
                                          {304, "Not Modified"},
                                          {307, "Temporary Redirect"},
                                          {308, "Permanent Redirect"},
                                          {400, "Bad Request"},
                                          {401, "Unauthorized"},
                                          {403, "Forbidden"},
                                          {404, "Not Found"},
                                          {405, "Method Not Allowed"},
                                          {406, "Not Acceptable"},
                                          {409, "Conflict"},
                                          {410, "Gone"},
                                          {413, "Content Too Large"},
                                          {415, "Unsupported Media Type"},
                                          {416, "Range Not Satisfiable"},
                                          {417, "Expectation Failed"},
                                          {422, "Unprocessable Content"},
                                          {429, "Too Many Requests"},
                                          {431, "Request Header Fields Too Large"},
                                          {500, "Internal Server Error"},
                                          {502, "Bad Gateway"},
                                          {503, "Service Unavailable"}}};

std::string_view reason_of(int status) {
  const auto* found = std::find_if(reasons.begin(), reasons.end(), [status](const Reason& reason) {
    return reason.status == status;
  });
  return found == reasons.end() ? std::string_view() : found->text;
}

bool is_token_char(char c) {
  constexpr std::string_view marks = "!#$%&'*+-.^_`|~";
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
         marks.contains(c);
}

bool is_value_char(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return c == '\t' || (byte >= 0x20 && byte != 0x7f);
}

bool is_ours(std::string_view name) {
  constexpr std::array<std::string_view, 4> ours{"connection", "content-length", "date",
                                                 "transfer-encoding"};
  constexpr CaseInsensitiveLess less;
  return std::any_of(ours.begin(), ours.end(), [&](std::string_view other) {
    return !less(name, other) && !less(other, name);
  });
}

// RFC 9110 5.6.7, for instance "Sun, 06 Nov 1994 08:49:37 GMT"; names of days are never translated.
std::string http_date(std::time_t now_s) {
  constexpr std::array<std::string_view, 7> days{"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};
  constexpr std::array<std::string_view, 12> months{"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                                    "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
  std::tm utc{};
  if (gmtime_r(&now_s, &utc) == nullptr) {
    return {};
  }
  return fmt::format("{}, {:02} {} {} {:02}:{:02}:{:02} GMT",
                     days.at(static_cast<std::size_t>(utc.tm_wday)), utc.tm_mday,
                     months.at(static_cast<std::size_t>(utc.tm_mon)), utc.tm_year + 1900,
                     utc.tm_hour, utc.tm_min, utc.tm_sec);
}

}  // namespace

bool is_bodyless(int status) { return status == 204 || status == 304; }

bool is_sendable(const HttpResponse& response) {
  return response.status >= 200 && response.status <= 599 &&
         std::all_of(response.headers.begin(), response.headers.end(), [](const auto& field) {
           return !field.first.empty() &&
                  std::all_of(field.first.begin(), field.first.end(), is_token_char) &&
                  std::all_of(field.second.begin(), field.second.end(), is_value_char);
         });
}

std::string answer_head(const HttpResponse& response, std::uint64_t body_bytes,
                        const AnswerShape& shape, std::time_t now_s) {
  std::string head = fmt::format("HTTP/1.1 {} {}\r\nDate: {}\r\n", response.status,
                                 reason_of(response.status), http_date(now_s));
  for (const auto& [name, value] : response.headers) {
    if (!is_ours(name)) {
      head += name;
      head += ": ";
      head += value;
      head += "\r\n";
    }
  }
  if (!is_bodyless(response.status)) {
    head += fmt::format("Content-Length: {}\r\n", body_bytes);
  }
  if (!shape.keep_alive) {
    head += "Connection: close\r\n";
  } else if (shape.http_1_0) {
    head += "Connection: keep-alive\r\n";
  }
  head += "\r\n";
  return head;
}

std::chrono::steady_clock::time_point transfer_deadline(std::chrono::steady_clock::time_point begin,
                                                        std::chrono::steady_clock::time_point now,
                                                        std::chrono::milliseconds pause,
                                                        std::uint64_t moved_bytes) {
  const auto earned = std::chrono::seconds(moved_bytes / slowest_bytes_per_s);
  return std::min(now + pause, begin + pause + earned);
}

}  // namespace stepscope::runtime
