#include "workers/artifacts.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <fstream>
#include <set>
#include <system_error>

#include "runtime/crypto.h"

namespace stepscope::workers {
namespace {

namespace fs = std::filesystem;

std::string sha256_of(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  runtime::Sha256Stream digest;
  std::array<char, 64 << 10> block{};
  while (in.read(block.data(), block.size()) || in.gcount() > 0) {
    const auto count = static_cast<std::size_t>(in.gcount());
    digest.update(std::as_bytes(std::span(block.data(), count)));
  }
  if (in.bad()) throw std::system_error(EIO, std::generic_category(), file.filename().string());
  return digest.finish_hex();
}

// A rename is only durable once the file and its folder are.
void sync_to_disk(const fs::path& path) {
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) throw std::system_error(errno, std::generic_category(), "open");
  const int synced = ::fsync(descriptor);
  const int error = errno;
  ::close(descriptor);
  if (synced != 0) throw std::system_error(error, std::generic_category(), "fsync");
}

}  // namespace

Artifacts::Artifacts(const fs::path& folder) : folder_(fs::absolute(folder)) {
  fs::create_directories(folder_ / "scratch");
}

fs::path Artifacts::scratch(db::JobId id, int attempt) const {
  const fs::path path = folder_ / "scratch" / fmt::format("{}-{}", id, attempt);
  fs::remove_all(path);
  fs::create_directories(path);
  return path;
}

void Artifacts::drop_scratch(db::JobId id, int attempt) const {
  std::error_code ignored;
  fs::remove_all(folder_ / "scratch" / fmt::format("{}-{}", id, attempt), ignored);
}

void Artifacts::drop_leftovers(std::span<const std::string> kept) const {
  std::set<std::string, std::less<>> names;
  for (const std::string& file : kept) names.insert(file.substr(0, file.find('/')));
  std::vector<fs::path> leftovers;
  for (const auto& entry : fs::directory_iterator(scratch_folder())) {
    leftovers.push_back(entry.path());
  }
  for (const auto& entry : fs::directory_iterator(folder_)) {
    const std::string name = entry.path().filename().string();
    // "57" and "57.incoming": somebody else's file may lie here.
    const auto digits = name.find_first_not_of("0123456789");
    const bool ours = digits == std::string::npos || name.substr(digits) == ".incoming";
    if (ours && !names.contains(name)) leftovers.push_back(entry.path());
  }
  for (const fs::path& leftover : leftovers) fs::remove_all(leftover);
}

StoredTrace Artifacts::keep(db::JobId id, std::span<const fs::path> traces) const {
  const fs::path incoming = folder_ / fmt::format("{}.incoming", id);
  const fs::path place = folder_ / std::to_string(id);
  fs::remove_all(incoming);
  fs::create_directories(incoming);
  for (const fs::path& trace : traces) {
    const fs::path target = incoming / trace.filename();
    fs::rename(trace, target);
    fs::permissions(target, fs::perms::owner_read | fs::perms::owner_write);
    sync_to_disk(target);
  }
  sync_to_disk(incoming);
  fs::remove_all(place);
  fs::rename(incoming, place);
  sync_to_disk(folder_);

  StoredTrace stored;
  for (const auto& entry : fs::directory_iterator(place)) {
    stored.files.push_back(entry.path());
    stored.kept_bytes += static_cast<std::int64_t>(entry.file_size());
  }
  std::ranges::sort(stored.files);
  const fs::path& first = stored.files.front();
  stored.name = first.filename().string();
  stored.file = fmt::format("{}/{}", id, stored.name);
  stored.sha256 = sha256_of(first);
  stored.bytes = static_cast<std::int64_t>(fs::file_size(first));
  return stored;
}

fs::path Artifacts::path_of(const std::string& trace_file) const { return folder_ / trace_file; }

void Artifacts::drop(db::JobId id) const { fs::remove_all(folder_ / std::to_string(id)); }

}  // namespace stepscope::workers
