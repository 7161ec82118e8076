#pragma once
// Zip archives for tests, byte by byte, so that every field can be wrong. Entries are stored as
// they are unless a test packs them itself.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace stepscope::tests {

struct ZipEntryText {
  std::string name;
  std::string bytes;  // as they lie in the archive
  std::uint16_t method = 0;
  std::uint16_t flags = 0;  // 1: encrypted, 8: sizes follow the bytes, 0x800: the name is UTF-8
  std::optional<std::uint32_t> crc;            // absent: that of `bytes`
  std::optional<std::uint32_t> unpacked_size;  // what the directory says
};

class ZipText {
 public:
  ZipText& add(ZipEntryText entry);
  ZipText& add(std::string_view name, std::string_view bytes) {
    return add({.name = std::string(name), .bytes = std::string(bytes)});
  }
  // Another entry of the directory with the bytes of the first one.
  ZipText& again(std::string_view name);

  std::string archive() const;
  std::string without_directory() const { return data_; }

 private:
  std::string directory_entry(const ZipEntryText& entry, std::uint32_t offset) const;

  std::string data_;
  std::string directory_;
  std::uint16_t count_ = 0;
  std::optional<ZipEntryText> first_;
};

std::uint32_t zip_checksum(std::string_view text);  // CRC-32

// A raw deflate stream, as zip's method 8 has it.
std::string deflate(std::string_view text);

}  // namespace stepscope::tests
