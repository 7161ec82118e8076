#include "runtime/crypto.h"

#include <doctest/doctest.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/rsa.h>

#include <memory>

namespace stepscope::runtime {

namespace {

using Key = std::unique_ptr<EVP_PKEY, decltype(&EVP_PKEY_free)>;

Key make_rsa_key() {
  return {EVP_PKEY_Q_keygen(nullptr, nullptr, "RSA", size_t{2048}), &EVP_PKEY_free};
}

std::string text_of(BIO* bio) {
  char* data = nullptr;
  const long length = BIO_get_mem_data(bio, &data);
  std::string text(data, static_cast<std::size_t>(length));
  BIO_free(bio);
  return text;
}

// "BEGIN RSA PRIVATE KEY", as GitHub hands out.
std::string pkcs1_pem(EVP_PKEY* key) {
  BIO* bio = BIO_new(BIO_s_mem());
  PEM_write_bio_PrivateKey_traditional(bio, key, nullptr, nullptr, 0, nullptr, nullptr);
  return text_of(bio);
}

// "BEGIN PRIVATE KEY"; with a password "BEGIN ENCRYPTED PRIVATE KEY".
std::string pkcs8_pem(EVP_PKEY* key, const char* password = nullptr) {
  BIO* bio = BIO_new(BIO_s_mem());
  PEM_write_bio_PKCS8PrivateKey(bio, key, password == nullptr ? nullptr : EVP_aes_256_cbc(),
                                password, password == nullptr ? 0 : 6, nullptr, nullptr);
  return text_of(bio);
}

bool verifies(EVP_PKEY* key, std::string_view signature, std::string_view bytes) {
  const std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)> context(EVP_MD_CTX_new(),
                                                                        &EVP_MD_CTX_free);
  EVP_DigestVerifyInit(context.get(), nullptr, EVP_sha256(), nullptr, key);
  return EVP_DigestVerify(context.get(), reinterpret_cast<const unsigned char*>(signature.data()),
                          signature.size(), reinterpret_cast<const unsigned char*>(bytes.data()),
                          bytes.size()) == 1;
}

}  // namespace

TEST_CASE("hex there and back") {
  CHECK(hex("") == "");
  CHECK(hex(std::string("\x00\x7f\xff", 3)) == "007fff");
  CHECK(unhex("007fff") == std::string("\x00\x7f\xff", 3));
  CHECK(unhex("aAfF") == "\xaa\xff");
  for (const char* bad : {"", "0", "0g", "g0", "0x", " 0", "012"}) {
    CHECK_MESSAGE(unhex(bad).empty(), bad);
  }
}

TEST_CASE("base64url: the vectors of RFC 4648, without padding, with - and _") {
  CHECK(base64url("") == "");
  CHECK(base64url("f") == "Zg");
  CHECK(base64url("fo") == "Zm8");
  CHECK(base64url("foo") == "Zm9v");
  CHECK(base64url("foob") == "Zm9vYg");
  CHECK(base64url("fooba") == "Zm9vYmE");
  CHECK(base64url("foobar") == "Zm9vYmFy");
  CHECK(base64url("\xfb\xff\xbf") == "-_-_");  // 62 63 62 63
}

TEST_CASE("SHA-256: the vectors of FIPS 180-4") {
  CHECK(hex(sha256("")) == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  CHECK(hex(sha256("abc")) == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}

TEST_CASE("SHA-256 block by block equals SHA-256 at once") {
  std::string text;
  for (int i = 0; i < 1000; ++i) {
    text += std::to_string(i);
  }
  const auto bytes = std::as_bytes(std::span(text));
  for (const std::size_t block : {std::size_t{1}, std::size_t{63}, std::size_t{64}, text.size()}) {
    Sha256Stream stream;
    for (std::size_t at = 0; at < bytes.size(); at += block) {
      stream.update(bytes.subspan(at, std::min(block, bytes.size() - at)));
    }
    CHECK(stream.finish_hex() == hex(sha256(text)));
  }
  CHECK(Sha256Stream().finish_hex() == hex(sha256("")));
}

TEST_CASE("HMAC-SHA-256: GitHub's webhook example and RFC 4231") {
  CHECK(hex(hmac_sha256("It's a Secret to Everybody", "Hello, World!")) ==
        "757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17");
  // RFC 4231 test case 6: a key longer than a block.
  CHECK(hex(hmac_sha256(std::string(131, '\xaa'),
                        "Test Using Larger Than Block-Size Key - Hash Key First")) ==
        "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54");
  CHECK(hex(hmac_sha256("", "")) ==
        "b613679a0814d9ec772f95d778c35fc5ff1697c493715653c6c712144292c5ad");
  CHECK(hmac_sha256(std::string_view(), "x") == hmac_sha256("", "x"));
}

TEST_CASE("constant-time comparison is plain equality") {
  CHECK(equal_in_constant_time("", ""));
  CHECK(equal_in_constant_time("abc", "abc"));
  CHECK(!equal_in_constant_time("abc", "abd"));
  CHECK(!equal_in_constant_time("abc", "ab"));
  CHECK(!equal_in_constant_time("", "a"));
}

TEST_CASE("RS256 signs with PKCS#1 and PKCS#8 keys, and the public key verifies") {
  const Key key = make_rsa_key();
  for (const std::string& pem : {pkcs1_pem(key.get()), pkcs8_pem(key.get())}) {
    const Result<std::string> signature = rs256_sign(pem, "header.payload");
    REQUIRE(signature.has_value());
    CHECK(signature->size() == 256);  // 2048 bits
    CHECK(verifies(key.get(), *signature, "header.payload"));
    CHECK(!verifies(key.get(), *signature, "header.payloaf"));
  }
}

TEST_CASE("a key that can not be used is an error without the key in it") {
  const Key rsa = make_rsa_key();
  const Key curve(EVP_PKEY_Q_keygen(nullptr, nullptr, "EC", "P-256"), &EVP_PKEY_free);
  const std::string whole = pkcs8_pem(rsa.get());
  const std::string unreadable =
      "the private key is no unencrypted PEM in PKCS#1 or PKCS#8: check the key file";
  for (const std::string& pem :
       {std::string(), std::string("no key"), whole.substr(0, whole.size() / 2),
        pkcs8_pem(rsa.get(), "secret")}) {
    const Result<std::string> signature = rs256_sign(pem, "x");
    REQUIRE(!signature);
    CHECK(signature.error().message == unreadable);
    CHECK(!signature.error().retryable);
  }
  const Result<std::string> signature = rs256_sign(pkcs8_pem(curve.get()), "x");
  REQUIRE(!signature);
  CHECK(signature.error().message ==
        "the private key is not an RSA key, which RS256 needs: check the key file");
}

TEST_CASE("random bytes have the length asked and differ") {
  CHECK(random_bytes(0).empty());
  const std::string first = random_bytes(32);
  CHECK(first.size() == 32);
  CHECK(first != random_bytes(32));
}

}  // namespace stepscope::runtime
