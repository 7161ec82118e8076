#pragma once
// Whether a webhook delivery was signed by someone who knows the secret. A pure function of
// secrets, header and raw body; parsing and rewriting the body before this would change its bytes.

#include <span>
#include <string>
#include <string_view>

namespace stepscope::webhooks {

// `header` is the value of X-Hub-Signature-256: "sha256=" and 64 lower-case hex digits of
// HMAC-SHA256(secret, body); anything else is refused. More than one secret may be valid while an
// operator rotates it. An empty secret never matches.
bool signature_valid(std::span<const std::string> secrets, std::string_view header,
                     std::string_view body);

}  // namespace stepscope::webhooks
