#include "workers/trace_digest.h"

#include <doctest/doctest.h>

#include <string>

using namespace stepscope;

TEST_CASE("the digest is SHA-256 of all blocks in order") {
  const auto digest = workers::make_trace_digest();
  const std::string text = "abc";
  digest->update(std::as_bytes(std::span(text).first(1)));
  digest->update(std::as_bytes(std::span(text).subspan(1)));
  // FIPS 180-2, appendix B.1
  CHECK(digest->finish() == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}
