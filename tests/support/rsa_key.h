#pragma once
// A fresh RSA key pair for a test, so that no private key lies in the repository.

#include <string>
#include <string_view>

namespace stepscope::tests {

struct RsaKey {
  RsaKey();
  // RSASSA-PKCS1-v1_5 with SHA-256.
  bool verifies(const std::string& bytes, const std::string& signature) const;

  std::string private_pem;  // PKCS#8
  std::string public_pem;
};

std::string from_base64url(const std::string& text);

}  // namespace stepscope::tests
