#include "server/access.h"

#include <doctest/doctest.h>

#include "runtime/crypto.h"
#include "tests/server/world.h"

using namespace stepscope;
using server::Access;
using tests::bearer;
using tests::request_for;

namespace {

const Access kPrivate("a-secret-token", false, "a-share-key");
const Access kPublic("a-secret-token", true, "a-share-key");

runtime::HttpRequest with(runtime::Headers headers) {
  return request_for("GET", "/", std::move(headers));
}

runtime::HttpRequest signed_for(const std::string& suffix) {
  return request_for("GET", "/runs/57" + suffix);
}

}  // namespace

TEST_CASE("the token opens everything, and nothing like it does") {
  CHECK(kPrivate.may_submit(with(bearer())));
  CHECK(kPrivate.may_read(with(bearer())));
  CHECK(kPrivate.may_read_run(with(bearer()), 57));
  for (const std::string& value :
       {std::string(), std::string("Bearer"), std::string("Bearer "), std::string("a-secret-token"),
        std::string("Bearer a-secret-toke"), std::string("Bearer a-secret-token2"),
        std::string("Bearer A-SECRET-TOKEN"), std::string("Bearer  a-secret-token"),
        std::string("Basic a-secret-token"), std::string("Bearer a-secret-token\0", 22)}) {
    INFO(value);
    const auto request = with({{"Authorization", value}});
    CHECK_FALSE(kPrivate.may_submit(request));
    CHECK_FALSE(kPrivate.may_read(request));
    CHECK_FALSE(kPrivate.may_read_run(request, 57));
  }
  CHECK_FALSE(kPrivate.may_submit(with({})));
}

TEST_CASE("without a token nobody submits, not even with an empty one") {
  const Access access("", false, "");
  CHECK_FALSE(access.can_submit());
  CHECK_FALSE(access.may_submit(with(bearer(""))));
  CHECK_FALSE(access.may_read(with(bearer(""))));
  CHECK(kPrivate.can_submit());
}

TEST_CASE("public reading is reading only") {
  CHECK(kPublic.may_read(with({})));
  CHECK(kPublic.may_read_run(with({}), 57));
  CHECK_FALSE(kPublic.may_submit(with({})));
}

TEST_CASE("a signed link opens one run and no other, and submits nothing") {
  // HMAC-SHA256 over "run:" and the id, as the key's holder can check elsewhere.
  const std::string suffix = "?sig=" + runtime::hex(runtime::hmac_sha256("a-share-key", "run:57"));
  CHECK(kPrivate.link_suffix(57) == suffix);
  CHECK(kPrivate.may_read_run(signed_for(suffix), 57));
  for (const db::JobId other : {0, 5, 7, 56, 58, 570}) {
    CHECK_FALSE(kPrivate.may_read_run(signed_for(suffix), other));
  }
  CHECK_FALSE(kPrivate.may_read(signed_for(suffix)));
  CHECK_FALSE(kPrivate.may_submit(signed_for(suffix)));
}

TEST_CASE("a signature that was tampered with opens nothing") {
  const std::string suffix = kPrivate.link_suffix(57);
  for (const std::string& bad :
       {std::string("?sig="), std::string("?sig"), suffix.substr(0, suffix.size() - 1),
        suffix + "0", std::string("?SIG=") + suffix.substr(5),
        suffix.substr(0, suffix.size() - 1) + (suffix.back() == '0' ? '1' : '0'),
        Access("", false, "another-key").link_suffix(57)}) {
    INFO(bad);
    CHECK_FALSE(kPrivate.may_read_run(signed_for(bad), 57));
  }
}

TEST_CASE("links carry no signature where they need none or where there is no key") {
  CHECK(kPublic.link_suffix(57).empty());
  const Access no_key("a-secret-token", false, "");
  CHECK(no_key.link_suffix(57).empty());
  // What an empty key would sign must not open anything.
  const std::string forged = "?sig=" + runtime::hex(runtime::hmac_sha256("", "run:57"));
  CHECK_FALSE(no_key.may_read_run(signed_for(forged), 57));
  CHECK_FALSE(no_key.may_read_run(signed_for("?sig="), 57));
}
