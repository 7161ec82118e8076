#include "runtime/admission.h"

#include <fmt/format.h>

#include <utility>

namespace stepscope::runtime {

namespace {

std::unexpected<Refusal> refuse(int status, std::string message, std::string allow = {}) {
  return std::unexpected(Refusal{status, std::move(message), std::move(allow)});
}

bool asks_to_continue(std::string_view value) {
  constexpr std::string_view known = "100-continue";
  constexpr CaseInsensitiveLess less;
  return !less(value, known) && !less(known, value);
}

}  // namespace

std::expected<Router::Match, Refusal> admit(const Router& router, const Framing& framing,
                                            HttpRequest& request) {
  if (!framing.http_1_0 && request.headers.count("Host") != 1) {
    return refuse(400, "malformed request: HTTP/1.1 needs exactly one Host header");
  }
  // With another coding, or two, it would be a guess where the next request begins.
  const std::size_t codings = request.headers.count("Transfer-Encoding");
  if (codings > 1 || (codings == 1 && !framing.chunked)) {
    return refuse(400, "malformed request: the one known Transfer-Encoding is chunked");
  }
  const std::string target = std::move(request.target);
  if (!parse_target(target, request)) {
    return refuse(400, "malformed request: its target is no path with a well-formed query");
  }
  Router::Match match = router.match(request.method, request.path);
  if (match.handler == nullptr) {
    const std::string reason = match.status == 405
                                   ? "this path does not know the method " + request.method
                                   : "there is nothing at " + request.path;
    return refuse(match.status, reason, match.allow);
  }
  const auto expectation = header(request.headers, "Expect");
  if (expectation && !framing.http_1_0 && !asks_to_continue(*expectation)) {
    return refuse(417, "the one known Expect is 100-continue");
  }
  if (framing.content_length.value_or(0) > match.limits.body_bytes_max) {
    return refuse(413,
                  fmt::format("the body is larger than {} bytes", match.limits.body_bytes_max));
  }
  request.path_values = match.path_values;
  return match;
}

}  // namespace stepscope::runtime
