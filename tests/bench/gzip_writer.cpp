#include "tests/bench/gzip_writer.h"

#include <zlib.h>

#include <array>
#include <stdexcept>
#include <string>

namespace stepscope::bench {

namespace {

constexpr std::size_t kBlockBytes = 256U << 10;
constexpr int kGzip = 16;  // added to the window's size: a head and an end as of gzip
constexpr int kOsUnknown = 255;
constexpr int kDefaultMemory = 8;

Bytef* bytes_of(std::string& text) { return reinterpret_cast<Bytef*>(text.data()); }

}  // namespace

struct GzipWriter::Deflate {
  z_stream stream{};
  gz_header head{};
  std::string name;  // the head points at it
  std::array<Bytef, kBlockBytes> out{};
};

GzipWriter::GzipWriter(const std::filesystem::path& file)
    : path_(file),
      file_(std::fopen(file.c_str(), "wb"), std::fclose),
      deflate_(std::make_unique<Deflate>()) {
  if (!file_) throw std::runtime_error("can not write " + path_.string());
  if (deflateInit2(&deflate_->stream, Z_BEST_COMPRESSION, Z_DEFLATED, MAX_WBITS + kGzip,
                   kDefaultMemory, Z_DEFAULT_STRATEGY) != Z_OK) {
    throw std::runtime_error("zlib does not start");
  }
  deflate_->name = file.stem().string();
  deflate_->head.name = bytes_of(deflate_->name);
  deflate_->head.os = kOsUnknown;
  deflateSetHeader(&deflate_->stream, &deflate_->head);
}

GzipWriter::~GzipWriter() { deflateEnd(&deflate_->stream); }

void GzipWriter::deflate_all(int flush) {
  z_stream& stream = deflate_->stream;
  do {
    stream.next_out = deflate_->out.data();
    stream.avail_out = kBlockBytes;
    ::deflate(&stream, flush);
    const std::size_t made = kBlockBytes - stream.avail_out;
    if (std::fwrite(deflate_->out.data(), 1, made, file_.get()) != made) {
      throw std::runtime_error("can not write " + path_.string());
    }
  } while (stream.avail_out == 0);
}

void GzipWriter::write(std::string_view text) {
  deflate_->stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  deflate_->stream.avail_in = static_cast<uInt>(text.size());
  deflate_all(Z_NO_FLUSH);
}

void GzipWriter::close() {
  deflate_->stream.avail_in = 0;
  deflate_all(Z_FINISH);
  if (std::fclose(file_.release()) != 0) {
    throw std::runtime_error("can not write " + path_.string());
  }
}

}  // namespace stepscope::bench
