#pragma once
// Packs a text as Python's gzip.open(name, "wt") does, which is what torch.profiler calls: zlib,
// level 9, one member, the name in the head. It owns the file until close().

#include <cstdio>
#include <filesystem>
#include <memory>
#include <string_view>

namespace stepscope::bench {

class GzipWriter {
 public:
  explicit GzipWriter(const std::filesystem::path& file);  // throws std::runtime_error
  ~GzipWriter();
  GzipWriter(const GzipWriter&) = delete;
  GzipWriter& operator=(const GzipWriter&) = delete;

  void write(std::string_view text);
  void close();  // else the file is cut

 private:
  struct Deflate;
  void deflate_all(int flush);

  std::filesystem::path path_;
  std::unique_ptr<std::FILE, int (*)(std::FILE*)> file_;
  std::unique_ptr<Deflate> deflate_;
};

}  // namespace stepscope::bench
