#include "tests/bench/floors.h"

#include <isa-l/igzip_lib.h>
#include <zlib.h>

#include <cstdio>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace stepscope::bench {

namespace {

constexpr std::size_t kBlockBytes = 256U << 10;
constexpr int kGzip = 16;

// Blocks of a file, one after the other into the same buffer.
class BlockReader {
 public:
  explicit BlockReader(const std::filesystem::path& file)
      : file_(std::fopen(file.c_str(), "rb"), std::fclose), block_(kBlockBytes) {
    if (!file_) throw std::runtime_error("can not open " + file.string());
    std::setvbuf(file_.get(), nullptr, _IONBF, 0);
  }

  unsigned char* data() { return block_.data(); }
  std::uint32_t next() {
    const std::size_t size = std::fread(block_.data(), 1, block_.size(), file_.get());
    if (size == 0) throw std::runtime_error("the file ends early");
    return static_cast<std::uint32_t>(size);
  }

 private:
  std::unique_ptr<std::FILE, int (*)(std::FILE*)> file_;
  std::vector<unsigned char> block_;
};

}  // namespace

std::uint64_t inflate_with_isal(const std::filesystem::path& file) {
  BlockReader in(file);
  std::vector<unsigned char> out(kBlockBytes);
  const auto state = std::make_unique<inflate_state>();
  isal_inflate_init(state.get());
  state->crc_flag = ISAL_GZIP;
  std::uint64_t bytes = 0;
  while (state->block_state != ISAL_BLOCK_FINISH) {
    if (state->avail_in == 0) {
      state->avail_in = in.next();
      state->next_in = in.data();
    }
    state->next_out = out.data();
    state->avail_out = kBlockBytes;
    if (isal_inflate(state.get()) < 0) throw std::runtime_error("damaged gzip data");
    bytes += kBlockBytes - state->avail_out;
  }
  return bytes;
}

std::uint64_t inflate_with_zlib(const std::filesystem::path& file) {
  BlockReader in(file);
  std::vector<unsigned char> out(kBlockBytes);
  z_stream stream{};
  if (inflateInit2(&stream, MAX_WBITS + kGzip) != Z_OK) {
    throw std::runtime_error("zlib does not start");
  }
  const std::unique_ptr<z_stream, int (*)(z_stream*)> end(&stream, inflateEnd);
  std::uint64_t bytes = 0;
  for (int state = Z_OK; state != Z_STREAM_END;) {
    if (stream.avail_in == 0) {
      stream.avail_in = in.next();
      stream.next_in = in.data();
    }
    stream.next_out = out.data();
    stream.avail_out = kBlockBytes;
    state = inflate(&stream, Z_NO_FLUSH);
    if (state != Z_OK && state != Z_STREAM_END) throw std::runtime_error("damaged gzip data");
    bytes += kBlockBytes - stream.avail_out;
  }
  return bytes;
}

}  // namespace stepscope::bench
