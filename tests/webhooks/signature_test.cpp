#include "webhooks/signature.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

using stepscope::webhooks::signature_valid;

namespace {

// The worked example of GitHub's documentation ("Validating webhook deliveries").
const std::string kSecret = "It's a Secret to Everybody";
const std::string kBody = "Hello, World!";
const std::string kDigest = "757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17";

bool valid(const std::vector<std::string>& secrets, std::string_view header,
           std::string_view body = kBody) {
  return signature_valid(secrets, header, body);
}

}  // namespace

TEST_CASE("the documented example is valid, and only as it stands") {
  CHECK(valid({kSecret}, "sha256=" + kDigest));
  CHECK_FALSE(valid({kSecret}, "sha256=" + kDigest, "Hello, World"));
  CHECK_FALSE(valid({"it's a secret to everybody"}, "sha256=" + kDigest));
  std::string changed = kDigest;
  changed.back() = '8';
  CHECK_FALSE(valid({kSecret}, "sha256=" + changed));
}

TEST_CASE("either of two secrets is enough while one is rotated") {
  CHECK(valid({"the new one", kSecret}, "sha256=" + kDigest));
  CHECK(valid({kSecret, "the new one"}, "sha256=" + kDigest));
  CHECK_FALSE(valid({"the new one", "another"}, "sha256=" + kDigest));
}

TEST_CASE("a malformed header is refused") {
  CHECK_FALSE(valid({kSecret}, ""));
  CHECK_FALSE(valid({kSecret}, kDigest));
  CHECK_FALSE(valid({kSecret}, "sha1=" + kDigest.substr(0, 40)));
  CHECK_FALSE(valid({kSecret}, "SHA256=" + kDigest));
  CHECK_FALSE(valid({kSecret}, "sha256="));
  CHECK_FALSE(valid({kSecret}, "sha256=" + kDigest.substr(1)));  // odd
  CHECK_FALSE(valid({kSecret}, "sha256=" + kDigest.substr(2)));  // short
  CHECK_FALSE(valid({kSecret}, "sha256=" + kDigest + "00"));     // long
  CHECK_FALSE(valid({kSecret}, "sha256=" + kDigest.substr(1) + "g"));
  CHECK_FALSE(valid({kSecret}, "sha256= " + kDigest.substr(1)));
  CHECK_FALSE(valid({kSecret}, "sha256=" + std::string(64, '\0')));
  std::string upper = kDigest;
  upper.front() = '7';
  upper[6] = 'E';
  CHECK_FALSE(valid({kSecret}, "sha256=" + upper));
}

TEST_CASE("no secret and an empty secret match nothing") {
  CHECK_FALSE(valid({}, "sha256=" + kDigest));
  // HMAC-SHA256 with the empty key over no bytes.
  const std::string of_nothing = "b613679a0814d9ec772f95d778c35fc5ff1697c493715653c6c712144292c5ad";
  CHECK_FALSE(valid({""}, "sha256=" + of_nothing, ""));
}
