#include "webhooks/signature.h"

#include <algorithm>
#include <cstddef>

#include "runtime/crypto.h"

namespace stepscope::webhooks {
namespace {

constexpr std::string_view kPrefix = "sha256=";
constexpr std::size_t kHexDigits = 64;

bool is_lower_hex(char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); }

}  // namespace

bool signature_valid(std::span<const std::string> secrets, std::string_view header,
                     std::string_view body) {
  if (!header.starts_with(kPrefix)) return false;
  const std::string_view digits = header.substr(kPrefix.size());
  if (digits.size() != kHexDigits || !std::ranges::all_of(digits, is_lower_hex)) return false;
  const std::string given = runtime::unhex(digits);
  bool valid = false;
  for (const std::string& secret : secrets) {
    if (secret.empty()) continue;
    // Every secret is tried, so that the time does not tell which of them matched.
    const bool same = runtime::equal_in_constant_time(runtime::hmac_sha256(secret, body), given);
    valid = valid || same;
  }
  return valid;
}

}  // namespace stepscope::webhooks
