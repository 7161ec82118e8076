#pragma once
// A stored trace as an HTTP answer: whole, or one byte range of it (RFC 9110), with a strong ETag
// from its SHA-256. Pure but for asking the file's size.

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "db/run.h"
#include "runtime/http_message.h"

namespace stepscope::server {

struct ByteRange {
  std::uint64_t first = 0;
  std::uint64_t length = 0;
};
enum class RangeKind { whole, part, unsatisfiable };

// Several ranges or anything that is no byte range count as no range: the whole is always an
// answer.
RangeKind parse_range(std::string_view header, std::uint64_t size, ByteRange& range);

// 200, 206, 304, 416; 410 when the trace's retention is over; 404 when there never was one.
runtime::HttpResponse trace_answer(const db::Job& job, const std::filesystem::path& file,
                                   const runtime::HttpRequest& request);

}  // namespace stepscope::server
