#include "analysis/reading/bytes/byte_source.h"

#include <cerrno>
#include <cstdio>
#include <system_error>
#include <utility>

namespace stepscope::analysis {

namespace {

struct CloseFile {
  void operator()(std::FILE* file) const { std::fclose(file); }
};
using OpenFile = std::unique_ptr<std::FILE, CloseFile>;

class PlainFile : public ByteSource {
 public:
  PlainFile(OpenFile file, std::uint64_t size) : file_(std::move(file)), size_(size) {
    std::setvbuf(file_.get(), nullptr, _IONBF, 0);
  }

  std::expected<std::size_t, std::string> read(std::span<unsigned char> out) override {
    std::size_t size = std::fread(out.data(), 1, out.size(), file_.get());
    if (std::ferror(file_.get()) != 0) return std::unexpected("reading failed");
    return size;
  }
  std::uint64_t size() const override { return size_; }

 private:
  OpenFile file_;
  std::uint64_t size_;
};

}  // namespace

std::expected<std::unique_ptr<ByteSource>, std::string> open_file(
    const std::filesystem::path& path) {
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored)) return std::unexpected("it is a folder");
  OpenFile file(std::fopen(path.c_str(), "rb"));
  if (!file) return std::unexpected(std::generic_category().message(errno));
  std::uintmax_t size = std::filesystem::file_size(path, ignored);
  return std::make_unique<PlainFile>(std::move(file), ignored ? 0 : size);
}

}  // namespace stepscope::analysis
