#pragma once
// The few primitives of OpenSSL that a daemon needs, behind plain strings. Byte strings are held in
// std::string; every hex text is lower case.

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "runtime/error.h"

namespace stepscope::runtime {

std::string hex(std::string_view bytes);
// Empty when `text` is no even-length hex.
std::string unhex(std::string_view text);
std::string base64url(std::string_view bytes);  // without padding (RFC 7515)

std::string sha256(std::string_view bytes);                             // 32 raw bytes
std::string hmac_sha256(std::string_view key, std::string_view bytes);  // 32 raw bytes
// Same length and same bytes, in time that does not depend on where they differ.
bool equal_in_constant_time(std::string_view a, std::string_view b);
// RSASSA-PKCS1-v1_5 with SHA-256. `pem` is PKCS#1 or PKCS#8. Error: the key can not be used.
Result<std::string> rs256_sign(std::string_view pem, std::string_view bytes);
std::string random_bytes(std::size_t count);

// SHA-256 fed block by block.
class Sha256Stream {
 public:
  Sha256Stream();
  ~Sha256Stream();
  Sha256Stream(const Sha256Stream&) = delete;
  Sha256Stream& operator=(const Sha256Stream&) = delete;
  void update(std::span<const std::byte> bytes);
  std::string finish_hex();  // once

 private:
  struct Context;
  std::unique_ptr<Context> context_;
};

}  // namespace stepscope::runtime
