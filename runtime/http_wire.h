#pragma once
// What an HTTP/1.1 answer looks like on the wire and how long a transfer may take, as pure
// functions. Knows no socket and no parser.

#include <chrono>
#include <cstdint>
#include <ctime>
#include <string>

#include "runtime/http_message.h"

namespace stepscope::runtime {

// What the request and the server's state decide about the answer to it.
struct AnswerShape {
  bool head_only = false;   // the request was HEAD: Content-Length without a body
  bool keep_alive = false;  // another request may follow
  bool http_1_0 = false;    // keeping alive must be said
};

// 204 and 304 have no body and no Content-Length (RFC 9110, 8.6).
bool is_bodyless(int status);

// A final status, and header names and values that can not break out of their line.
bool is_sendable(const HttpResponse& response);

// Status line and header up to and with the empty line. Content-Length, Connection, Date and
// Transfer-Encoding are set here and ignored in the response. `response` is sendable; `now_s` is
// Unix time.
std::string answer_head(const HttpResponse& response, std::uint64_t body_bytes,
                        const AnswerShape& shape, std::time_t now_s);

// When the next part of a body has to have moved: `pause` from now, but no later than `pause` from
// the begin plus one second for each 64 KiB moved so far. A slow line is served, a drip is not.
std::chrono::steady_clock::time_point transfer_deadline(std::chrono::steady_clock::time_point begin,
                                                        std::chrono::steady_clock::time_point now,
                                                        std::chrono::milliseconds pause,
                                                        std::uint64_t moved_bytes);

}  // namespace stepscope::runtime
