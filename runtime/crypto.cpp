#include "runtime/crypto.h"

#include <openssl/crypto.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/rsa.h>

#include <array>
#include <climits>
#include <cstdint>
#include <stdexcept>

namespace stepscope::runtime {

namespace {

struct Free {
  void operator()(BIO* bio) const { BIO_free(bio); }
  void operator()(EVP_PKEY* key) const { EVP_PKEY_free(key); }
  void operator()(EVP_MD_CTX* context) const { EVP_MD_CTX_free(context); }
};
template <class T>
using Owned = std::unique_ptr<T, Free>;

constexpr std::size_t sha256_bytes = 32;
constexpr std::string_view hex_digits = "0123456789abcdef";

const unsigned char* data_of(std::string_view bytes) {
  return reinterpret_cast<const unsigned char*>(bytes.data());
}

unsigned char* data_of(std::string& bytes) {
  return reinterpret_cast<unsigned char*>(bytes.data());
}

// None of these calls fails but for lack of memory or a broken OpenSSL; no caller can go on then.
void require(bool done, const char* what) {
  if (!done) {
    ERR_clear_error();
    throw std::runtime_error(std::string("OpenSSL: ") + what + " failed");
  }
}

int value_of_hex(char c) {
  if (c >= '0' && c <= '9') {
    return c - '0';
  }
  if (c >= 'a' && c <= 'f') {
    return c - 'a' + 10;
  }
  if (c >= 'A' && c <= 'F') {
    return c - 'A' + 10;
  }
  return -1;
}

// An encrypted key would otherwise make OpenSSL ask on the terminal.
int refuse_password(char*, int, int, void*) { return -1; }

}  // namespace

std::string hex(std::string_view bytes) {
  std::string text;
  text.reserve(bytes.size() * 2);
  for (const char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    text += hex_digits[byte >> 4];
    text += hex_digits[byte & 15];
  }
  return text;
}

std::string unhex(std::string_view text) {
  if (text.size() % 2 != 0) {
    return {};
  }
  std::string bytes;
  bytes.reserve(text.size() / 2);
  for (std::size_t i = 0; i < text.size(); i += 2) {
    const int high = value_of_hex(text[i]);
    const int low = value_of_hex(text[i + 1]);
    if (high < 0 || low < 0) {
      return {};
    }
    bytes += static_cast<char>(high * 16 + low);
  }
  return bytes;
}

std::string base64url(std::string_view bytes) {
  constexpr std::string_view alphabet =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
  std::string text;
  text.reserve((bytes.size() * 4 + 2) / 3);
  std::uint32_t bits = 0;
  int bit_count = 0;
  for (const char c : bytes) {
    bits = (bits << 8 | static_cast<unsigned char>(c)) & 0xffff;
    bit_count += 8;
    while (bit_count >= 6) {
      bit_count -= 6;
      text += alphabet[bits >> bit_count & 63];
    }
  }
  if (bit_count > 0) {
    text += alphabet[bits << (6 - bit_count) & 63];
  }
  return text;
}

std::string sha256(std::string_view bytes) {
  std::string digest(sha256_bytes, '\0');
  require(
      EVP_Digest(bytes.data(), bytes.size(), data_of(digest), nullptr, EVP_sha256(), nullptr) == 1,
      "SHA-256");
  return digest;
}

std::string hmac_sha256(std::string_view key, std::string_view bytes) {
  if (key.size() > INT_MAX) {
    throw std::runtime_error("an HMAC key is longer than 2 GiB");
  }
  std::string digest(sha256_bytes, '\0');
  // A null key pointer would mean "the key of before" to OpenSSL.
  const char* key_data = key.empty() ? "" : key.data();
  require(HMAC(EVP_sha256(), key_data, static_cast<int>(key.size()), data_of(bytes), bytes.size(),
               data_of(digest), nullptr) != nullptr,
          "HMAC-SHA-256");
  return digest;
}

bool equal_in_constant_time(std::string_view a, std::string_view b) {
  return a.size() == b.size() && CRYPTO_memcmp(a.data(), b.data(), a.size()) == 0;
}

Result<std::string> rs256_sign(std::string_view pem, std::string_view bytes) {
  if (pem.size() > INT_MAX) {
    return fail("the private key is larger than 2 GiB");
  }
  const Owned<BIO> bio(BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size())));
  require(bio != nullptr, "BIO_new_mem_buf");
  const Owned<EVP_PKEY> key(PEM_read_bio_PrivateKey(bio.get(), nullptr, refuse_password, nullptr));
  if (!key) {
    ERR_clear_error();
    return fail("the private key is no unencrypted PEM in PKCS#1 or PKCS#8: check the key file");
  }
  if (EVP_PKEY_get_base_id(key.get()) != EVP_PKEY_RSA) {
    return fail("the private key is not an RSA key, which RS256 needs: check the key file");
  }
  const Owned<EVP_MD_CTX> context(EVP_MD_CTX_new());
  require(context != nullptr, "EVP_MD_CTX_new");
  std::size_t length = 0;
  std::string signature;
  bool done = EVP_DigestSignInit(context.get(), nullptr, EVP_sha256(), nullptr, key.get()) == 1 &&
              EVP_DigestSign(context.get(), nullptr, &length, data_of(bytes), bytes.size()) == 1;
  if (done) {
    signature.resize(length);
    done = EVP_DigestSign(context.get(), data_of(signature), &length, data_of(bytes),
                          bytes.size()) == 1;
  }
  if (!done) {
    ERR_clear_error();
    return fail("the private key can not sign with RS256: check that it has 2048 bits or more");
  }
  signature.resize(length);
  return signature;
}

std::string random_bytes(std::size_t count) {
  std::string bytes(count, '\0');
  if (count > INT_MAX) {
    throw std::runtime_error("more than 2 GiB of random bytes asked");
  }
  require(RAND_bytes(data_of(bytes), static_cast<int>(count)) == 1, "RAND_bytes");
  return bytes;
}

struct Sha256Stream::Context {
  Owned<EVP_MD_CTX> md{EVP_MD_CTX_new()};
};

Sha256Stream::Sha256Stream() : context_(std::make_unique<Context>()) {
  require(context_->md != nullptr, "EVP_MD_CTX_new");
  require(EVP_DigestInit_ex(context_->md.get(), EVP_sha256(), nullptr) == 1, "SHA-256");
}

Sha256Stream::~Sha256Stream() = default;

void Sha256Stream::update(std::span<const std::byte> bytes) {
  require(EVP_DigestUpdate(context_->md.get(), bytes.data(), bytes.size()) == 1, "SHA-256");
}

std::string Sha256Stream::finish_hex() {
  std::array<unsigned char, sha256_bytes> digest{};
  require(EVP_DigestFinal_ex(context_->md.get(), digest.data(), nullptr) == 1, "SHA-256");
  return hex({reinterpret_cast<const char*>(digest.data()), digest.size()});
}

}  // namespace stepscope::runtime
