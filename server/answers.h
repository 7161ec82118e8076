#pragma once
// The answers that every route gives alike: JSON, the one error envelope
// {"error":{"code":..,"message":..}}, HTML pages with their security headers.

#include <optional>
#include <string>
#include <string_view>

#include "db/run.h"
#include "runtime/http_message.h"

namespace stepscope::server {

runtime::HttpResponse json_answer(int status, std::string body);
// `code` is a stable word: bad_request, unauthorized, not_found, ...
runtime::HttpResponse error_answer(int status, std::string_view code, std::string_view message);
// The envelope for a status that no route chose itself; the code follows from the status.
runtime::HttpResponse error_answer(int status, std::string_view message);
runtime::HttpResponse unauthorized();
// `body` is HTML inside <main>; `title` is plain text. `refresh_s` > 0: the page loads itself
// again.
runtime::HttpResponse page_answer(int status, std::string_view title, std::string_view body,
                                  int refresh_s = 0);

// The path value "id" as a run id; nothing when it is no positive whole number.
std::optional<db::JobId> run_id_of(const runtime::HttpRequest& request);

}  // namespace stepscope::server
