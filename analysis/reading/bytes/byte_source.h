#pragma once
// The stored bytes of one trace from front to end: a file, or an entry of an archive. Knows nothing
// of what is in them.

#include <cstddef>
#include <cstdint>
#include <expected>
#include <filesystem>
#include <memory>
#include <span>
#include <string>

namespace stepscope::analysis {

class ByteSource {
 public:
  virtual ~ByteSource() = default;

  // Fills `out` from its front; fewer bytes than asked, or 0, only at the end. The error is part of
  // a sentence: "reading failed".
  virtual std::expected<std::size_t, std::string> read(std::span<unsigned char> out) = 0;
  // How many bytes there are in all; 0 when that can not be told.
  virtual std::uint64_t size() const = 0;
};

// A plain file. The error is part of a sentence: "it is a folder".
std::expected<std::unique_ptr<ByteSource>, std::string> open_file(
    const std::filesystem::path& path);

}  // namespace stepscope::analysis
