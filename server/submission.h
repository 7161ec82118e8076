#pragma once
// POST /api/v1/runs: a run ordered by a text, as in a comment, or by fields. Both go through the
// same reader of requests, so that the same words mean the same everywhere.

#include <boost/asio/awaitable.hpp>
#include <expected>
#include <string>

#include "runtime/http_message.h"
#include "server/app.h"

namespace stepscope::server {

// The text that a body stands for: {"text": ..} as it is, or fields (model, hardware, precision,
// framework, conc, isl, osl, tp, ep, phase, steps, spec) as words. Error: one line that names the
// field.
std::expected<std::string, std::string> submission_text(const std::string& body);

// The caller has checked the token.
boost::asio::awaitable<runtime::HttpResponse> submit(App& app, std::string body);

}  // namespace stepscope::server
