#include "tests/support/rsa_key.h"

#include <openssl/bio.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/rsa.h>

#include <cstdint>
#include <memory>
#include <stdexcept>

namespace stepscope::tests {
namespace {

using Key = std::unique_ptr<EVP_PKEY, decltype(&EVP_PKEY_free)>;
using Bio = std::unique_ptr<BIO, decltype(&BIO_free)>;

std::string contents(BIO* bio) {
  char* data = nullptr;
  const long size = BIO_get_mem_data(bio, &data);
  return std::string(data, static_cast<std::size_t>(size));
}

}  // namespace

RsaKey::RsaKey() {
  const Key key(EVP_RSA_gen(2048U), &EVP_PKEY_free);
  const Bio secret(BIO_new(BIO_s_mem()), &BIO_free);
  const Bio open(BIO_new(BIO_s_mem()), &BIO_free);
  if (!key ||
      PEM_write_bio_PrivateKey(secret.get(), key.get(), nullptr, nullptr, 0, nullptr, nullptr) !=
          1 ||
      PEM_write_bio_PUBKEY(open.get(), key.get()) != 1) {
    throw std::runtime_error("cannot make an RSA key");
  }
  private_pem = contents(secret.get());
  public_pem = contents(open.get());
}

bool RsaKey::verifies(const std::string& bytes, const std::string& signature) const {
  const Bio pem(BIO_new_mem_buf(public_pem.data(), static_cast<int>(public_pem.size())), &BIO_free);
  const Key key(PEM_read_bio_PUBKEY(pem.get(), nullptr, nullptr, nullptr), &EVP_PKEY_free);
  const std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)> context(EVP_MD_CTX_new(),
                                                                        &EVP_MD_CTX_free);
  const auto data = [](const std::string& text) {
    return reinterpret_cast<const unsigned char*>(text.data());
  };
  return EVP_DigestVerifyInit(context.get(), nullptr, EVP_sha256(), nullptr, key.get()) == 1 &&
         EVP_DigestVerify(context.get(), data(signature), signature.size(), data(bytes),
                          bytes.size()) == 1;
}

std::string from_base64url(const std::string& text) {
  static constexpr std::string_view kAlphabet =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
  std::string bytes;
  std::uint32_t bits = 0;
  int held = 0;
  for (const char letter : text) {
    const std::size_t value = kAlphabet.find(letter);
    if (value == std::string_view::npos) throw std::runtime_error("no base64url");
    bits = (bits << 6U) | static_cast<std::uint32_t>(value);
    held += 6;
    if (held >= 8) {
      held -= 8;
      bytes += static_cast<char>((bits >> static_cast<unsigned>(held)) & 0xFFU);
    }
  }
  return bytes;
}

}  // namespace stepscope::tests
