#include "server/access.h"

#include <fmt/format.h>

#include <utility>

#include "runtime/crypto.h"

namespace stepscope::server {

Access::Access(std::string api_token, bool public_read, std::string share_key)
    : api_token_(std::move(api_token)),
      public_read_(public_read),
      share_key_(std::move(share_key)) {}

bool Access::may_submit(const runtime::HttpRequest& request) const {
  constexpr std::string_view kScheme = "Bearer ";
  const auto value = runtime::header(request.headers, "Authorization");
  if (api_token_.empty() || !value || !value->starts_with(kScheme)) return false;
  return runtime::equal_in_constant_time(value->substr(kScheme.size()), api_token_);
}

bool Access::may_read(const runtime::HttpRequest& request) const {
  return public_read_ || may_submit(request);
}

bool Access::may_read_run(const runtime::HttpRequest& request, db::JobId id) const {
  if (may_read(request)) return true;
  const auto given = request.query.find("sig");
  if (share_key_.empty() || given == request.query.end()) return false;
  return runtime::equal_in_constant_time(given->second, signature(id));
}

std::string Access::link_suffix(db::JobId id) const {
  return public_read_ || share_key_.empty() ? "" : fmt::format("?sig={}", signature(id));
}

std::string Access::signature(db::JobId id) const {
  return runtime::hex(runtime::hmac_sha256(share_key_, fmt::format("run:{}", id)));
}

}  // namespace stepscope::server
