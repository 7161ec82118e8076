#pragma once
// Judges the header of a request before a byte of its body is asked for. Pure; knows no socket and
// no parser.

#include <cstdint>
#include <expected>
#include <optional>
#include <string>

#include "runtime/http_message.h"
#include "runtime/router.h"

namespace stepscope::runtime {

// An answer that no handler gives. Status 0: the other side has gone or is too slow, say nothing.
struct Refusal {
  int status = 0;
  std::string message;
  std::string allow;  // of a 405
};

// What the parser knows of a message beyond its header fields.
struct Framing {
  bool http_1_0 = false;
  bool chunked = false;
  std::optional<std::uint64_t> content_length;
};

// `request` comes with method, target and headers; path, query and path_values are set here. A
// refusal is 400, 404, 405, 413 or 417.
std::expected<Router::Match, Refusal> admit(const Router& router, const Framing& framing,
                                            HttpRequest& request);

}  // namespace stepscope::runtime
