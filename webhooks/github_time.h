#pragma once
// The two spellings of a moment that GitHub uses, to and from Unix milliseconds. Pure.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace stepscope::webhooks {

// "2026-11-30T12:03:44Z"; the fraction of a second is cut off.
std::string format_iso8601(std::int64_t time_ms);
// "2026-11-30T12:03:44Z", also with a fraction (ignored) or an offset. Nothing when malformed.
std::optional<std::int64_t> parse_iso8601(std::string_view text);
// "Mon, 30 Nov 2026 12:03:44 GMT", the Date header of RFC 9110. Nothing when malformed.
std::optional<std::int64_t> parse_http_date(std::string_view text);

}  // namespace stepscope::webhooks
