#pragma once
// Hands out the body of an answer block by block, from memory or from a range of a file, of which
// it holds one block at a time. Owns the open file; knows no socket.

#include <cstdint>
#include <string>
#include <string_view>

#include "runtime/error.h"
#include "runtime/http_message.h"

namespace stepscope::runtime {

class BodySource {
 public:
  static constexpr std::size_t block_bytes = 256 << 10;

  // Takes body or file out of the response. Error: the file can not be read, or is shorter than the
  // range asked.
  static Result<BodySource> open(HttpResponse& response);
  ~BodySource();
  BodySource(BodySource&& other) noexcept;
  BodySource& operator=(BodySource&&) = delete;

  std::uint64_t size() const { return size_; }
  // The next block, valid until the next call; empty after the last. Error: the file has become
  // shorter, or can no longer be read.
  Result<std::string_view> next();

 private:
  BodySource() = default;

  std::string memory_;  // the whole body, or the present block of the file
  int file_ = -1;
  std::uint64_t file_at_ = 0;
  std::uint64_t size_ = 0;
  std::uint64_t given_ = 0;
};

}  // namespace stepscope::runtime
