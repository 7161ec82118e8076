#include "server/trace_download.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <system_error>

#include "server/answers.h"

namespace stepscope::server {
namespace {

std::optional<std::uint64_t> whole_number(std::string_view text) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

// A name that is safe between quotes in a header.
std::string header_safe(std::string name) {
  std::ranges::replace_if(
      name,
      [](unsigned char c) { return std::isalnum(c) == 0 && c != '.' && c != '-' && c != '_'; },
      '_');
  return name;
}

std::string_view trimmed(std::string_view text) {
  const auto first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

// A list of tags; one that a proxy made weak (W/) fits as well.
bool is_current(const runtime::HttpRequest& request, std::string_view etag) {
  const auto given = runtime::header(request.headers, "If-None-Match");
  if (!given) return false;
  for (std::string_view rest = *given;;) {
    const auto comma = rest.find(',');
    std::string_view tag = trimmed(rest.substr(0, comma));
    if (tag == "*") return true;
    if (tag.starts_with("W/")) tag.remove_prefix(2);
    if (tag == etag) return true;
    if (comma == std::string_view::npos) return false;
    rest.remove_prefix(comma + 1);
  }
}

// Ranges are defined for GET alone. One that continues another version of the file would glue two
// files together.
bool range_applies(const runtime::HttpRequest& request, std::string_view etag) {
  if (request.method != "GET") return false;
  const auto condition = runtime::header(request.headers, "If-Range");
  return !condition || *condition == etag;
}

}  // namespace

RangeKind parse_range(std::string_view header, std::uint64_t size, ByteRange& range) {
  constexpr std::string_view kUnit = "bytes=";
  range = {0, size};
  if (!header.starts_with(kUnit)) return RangeKind::whole;
  header.remove_prefix(kUnit.size());
  const auto dash = header.find('-');
  if (dash == std::string_view::npos || header.find(',') != std::string_view::npos) {
    return RangeKind::whole;
  }
  const std::string_view first_text = header.substr(0, dash);
  const std::string_view last_text = header.substr(dash + 1);
  if (first_text.empty()) {  // the last so many bytes
    const auto count = whole_number(last_text);
    if (!count) return RangeKind::whole;
    if (*count == 0 || size == 0) return RangeKind::unsatisfiable;
    range.length = std::min(*count, size);
    range.first = size - range.length;
    return RangeKind::part;
  }
  const auto first = whole_number(first_text);
  const auto last = last_text.empty() ? std::optional(UINT64_MAX) : whole_number(last_text);
  if (!first || !last || *last < *first) return RangeKind::whole;
  if (*first >= size) return RangeKind::unsatisfiable;
  range.first = *first;
  range.length = std::min(*last, size - 1) - *first + 1;
  return RangeKind::part;
}

runtime::HttpResponse trace_answer(const db::Job& job, const std::filesystem::path& file,
                                   const runtime::HttpRequest& request) {
  if (job.trace_sha256.empty()) {
    return error_answer(404, "no_trace", fmt::format("run {} has no trace", job.id));
  }
  std::error_code error;
  const auto size = job.trace_file.empty() ? 0 : std::filesystem::file_size(file, error);
  if (job.trace_file.empty() || error) {
    return error_answer(410, "trace_gone",
                        fmt::format("the trace of run {} was removed when its time was over; its "
                                    "figures are kept",
                                    job.id));
  }
  const std::string etag = fmt::format("\"{}\"", job.trace_sha256);
  runtime::HttpResponse response;
  response.headers.emplace("ETag", etag);
  response.headers.emplace("Accept-Ranges", "bytes");
  response.headers.emplace("X-Content-Type-Options", "nosniff");
  response.headers.emplace("Cache-Control", "private, no-cache");
  if (is_current(request, etag)) {
    response.status = 304;
    return response;
  }
  const bool gzip = job.trace_name.ends_with(".gz");
  response.headers.emplace("Content-Type", gzip ? "application/gzip" : "application/json");
  response.headers.emplace("Content-Disposition", fmt::format("attachment; filename=\"run-{}-{}\"",
                                                              job.id, header_safe(job.trace_name)));
  const auto header = runtime::header(request.headers, "Range");
  ByteRange range{0, size};
  RangeKind kind = RangeKind::whole;
  if (header && range_applies(request, etag)) kind = parse_range(*header, size, range);
  if (kind == RangeKind::unsatisfiable) {
    response = error_answer(416, "bad_range", fmt::format("the trace has {} bytes", size));
    response.headers.emplace("Content-Range", fmt::format("bytes */{}", size));
    return response;
  }
  if (kind == RangeKind::part) {
    response.status = 206;
    response.headers.emplace("Content-Range", fmt::format("bytes {}-{}/{}", range.first,
                                                          range.first + range.length - 1, size));
  }
  response.file = runtime::FileBody{file, range.first, range.length};
  return response;
}

}  // namespace stepscope::server
