#pragma once
// The least that reading a packed trace can cost: inflate it block by block and throw the text
// away. Both read through one buffer of 256 KiB, check the CRC, and take one gzip member.

#include <cstdint>
#include <filesystem>

namespace stepscope::bench {

// Bytes of text. Throws std::runtime_error when the file is cut or damaged.
std::uint64_t inflate_with_isal(const std::filesystem::path& file);
std::uint64_t inflate_with_zlib(const std::filesystem::path& file);

}  // namespace stepscope::bench
