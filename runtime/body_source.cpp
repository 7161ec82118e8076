#include "runtime/body_source.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <system_error>
#include <utility>

namespace stepscope::runtime {

namespace {

std::unexpected<Error> file_error(const std::filesystem::path& path, int number) {
  return fail(fmt::format("{}: {}", path.string(), std::generic_category().message(number)));
}

}  // namespace

Result<BodySource> BodySource::open(HttpResponse& response) {
  BodySource source;
  if (!response.file) {
    source.memory_ = std::move(response.body);
    source.size_ = source.memory_.size();
    return source;
  }
  const FileBody& range = *response.file;
  source.file_ = ::open(range.path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  struct stat facts{};
  if (source.file_ < 0 || ::fstat(source.file_, &facts) != 0) {
    return file_error(range.path, errno);
  }
  if (!S_ISREG(facts.st_mode)) {
    return fail(fmt::format("{}: no regular file", range.path.string()));
  }
  const auto file_bytes = static_cast<std::uint64_t>(facts.st_size);
  if (range.offset > file_bytes || range.length > file_bytes - range.offset) {
    return fail(fmt::format("{}: has {} bytes, but {} from {} on were asked", range.path.string(),
                            file_bytes, range.length, range.offset));
  }
  ::posix_fadvise(source.file_, static_cast<off_t>(range.offset), static_cast<off_t>(range.length),
                  POSIX_FADV_SEQUENTIAL);
  source.file_at_ = range.offset;
  source.size_ = range.length;
  return source;
}

BodySource::~BodySource() {
  if (file_ >= 0) {
    ::close(file_);
  }
}

BodySource::BodySource(BodySource&& other) noexcept
    : memory_(std::move(other.memory_)),
      file_(std::exchange(other.file_, -1)),
      file_at_(other.file_at_),
      size_(other.size_),
      given_(other.given_) {}

Result<std::string_view> BodySource::next() {
  const std::uint64_t left = size_ - given_;
  const auto count = static_cast<std::size_t>(std::min<std::uint64_t>(left, block_bytes));
  if (file_ < 0) {
    const std::string_view block = std::string_view(memory_).substr(given_, count);
    given_ += count;
    return block;
  }
  memory_.resize(count);
  std::size_t have = 0;
  while (have < count) {
    const ssize_t got = ::pread(file_, memory_.data() + have, count - have,
                                static_cast<off_t>(file_at_ + given_ + have));
    if (got < 0 && errno == EINTR) {
      continue;
    }
    if (got <= 0) {
      return fail(fmt::format(
          "the file could not be read on after {} of {} bytes: {}", given_ + have, size_,
          got == 0 ? "it has become shorter" : std::generic_category().message(errno)));
    }
    have += static_cast<std::size_t>(got);
  }
  given_ += count;
  return std::string_view(memory_);
}

}  // namespace stepscope::runtime
