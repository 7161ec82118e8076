#include "analysis/reading/formats/databases/sqlite_trace.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "analysis/reading/formats/databases/nsys_reader.h"
#include "analysis/reading/formats/databases/rpd_reader.h"
#include "analysis/reading/formats/databases/sqlite_file.h"

namespace stepscope::analysis {

namespace {

using Failure = std::optional<AnalyzeError>;

constexpr std::string_view kMagic{"SQLite format 3\0", 16};
constexpr std::size_t kHeaderBytes = 100;
constexpr std::size_t kTablesNamed = 5;
constexpr std::size_t kTableNameBytes = 40;

std::uint64_t big_endian(std::string_view bytes) {
  std::uint64_t value = 0;
  for (const char c : bytes) value = value << 8 | static_cast<unsigned char>(c);
  return value;
}

std::uint64_t page_bytes(std::string_view header) {
  const std::uint64_t bytes = big_endian(header.substr(16, 2));
  return bytes == 1 ? 65536 : bytes;
}

// What the header says of the file's size; nothing when the last writer did not keep it.
std::optional<std::uint64_t> stated_bytes(std::string_view header) {
  if (header.size() < kHeaderBytes) return std::nullopt;  // no page at all
  if (header.substr(24, 4) != header.substr(92, 4)) return std::nullopt;
  return big_endian(header.substr(28, 4)) * page_bytes(header);
}

// A file in the system's temporary folder; gone with this at the latest.
class TemporaryFile {
 public:
  TemporaryFile() = default;
  ~TemporaryFile() {
    forget_name();
    if (descriptor_ >= 0) ::close(descriptor_);
  }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;

  // Each says whether it worked; else fault() is the system's reason.
  bool make() {
    std::error_code ignored;
    std::filesystem::path folder = std::filesystem::temp_directory_path(ignored);
    if (ignored) folder = "/tmp";
    std::string name = (folder / "stepscope-XXXXXX").string();
    descriptor_ = ::mkstemp(name.data());
    if (descriptor_ < 0) return failed();
    path_ = name;
    return true;
  }
  bool write(std::span<const char> bytes) {
    while (!bytes.empty()) {
      const ssize_t written = ::write(descriptor_, bytes.data(), bytes.size());
      if (written < 0 && errno == EINTR) continue;
      if (written < 0) return failed();
      bytes = bytes.subspan(static_cast<std::size_t>(written));
    }
    return true;
  }
  // What lies behind `kept` reads as zeros then, which SQLite takes for damaged pages.
  bool pad(std::uint64_t kept, std::uint64_t bytes) {
    const auto resize = [&](std::uint64_t size) {
      return ::ftruncate(descriptor_, static_cast<off_t>(size)) == 0;
    };
    return (resize(kept) && resize(bytes)) || failed();
  }
  // Whoever has opened the file keeps it.
  void forget_name() {
    if (!path_.empty()) ::unlink(path_.c_str());
    path_.clear();
  }
  const std::filesystem::path& path() const { return path_; }
  const std::string& fault() const { return fault_; }

 private:
  bool failed() {
    fault_ = std::generic_category().message(errno);
    return false;
  }

  int descriptor_ = -1;
  std::filesystem::path path_;
  std::string fault_;
};

// Reads the text through, so that limits, progress and the cancel flag work as for any trace, and
// keeps it where SQLite can open it.
class DatabaseCopy {
 public:
  DatabaseCopy(TraceInput& input, std::filesystem::path path)
      : input_(input), path_(std::move(path)) {}

  Failure take() {
    std::vector<char> block(TraceInput::kBlockBytes);
    auto size = input_.read(block);
    if (!size) return std::move(size.error());
    const std::string header(block.data(), std::min(*size, kHeaderBytes));
    const auto stated = stated_bytes(header);
    in_place_ = lies_whole(stated);
    if (!in_place_ && !file_.make()) return no_room();
    while (*size > 0) {
      if (Failure failure = keep(std::span(block).first(*size))) return failure;
      size = input_.read(block);
      if (!size) return std::move(size.error());
    }
    cut_ = stated && input_.text_bytes() < *stated;
    if (in_place_) return std::nullopt;
    path_ = file_.path();
    if (!cut_) return std::nullopt;
    if (*stated > kUnpackedBytesMax) return too_large();
    // Of a page that is there in part, cells would be taken for rows of nothing.
    const std::uint64_t whole = input_.text_bytes() / page_bytes(header) * page_bytes(header);
    return file_.pad(whole, *stated) ? std::nullopt : no_room();
  }

  const std::filesystem::path& path() const { return path_; }
  bool cut() const { return cut_; }
  void opened() { file_.forget_name(); }

 private:
  // SQLite refuses a file that is shorter than it says; a copy can be made longer.
  bool lies_whole(const std::optional<std::uint64_t>& stated) const {
    if (path_.empty()) return false;
    std::error_code unknown;
    const std::uintmax_t size = std::filesystem::file_size(path_, unknown);
    return !unknown && (!stated || size >= *stated);
  }
  Failure keep(std::span<const char> bytes) {
    if (in_place_) return std::nullopt;
    if (input_.text_bytes() > kUnpackedBytesMax) return too_large();
    return file_.write(bytes) ? std::nullopt : no_room();
  }
  Failure no_room() const {
    return AnalyzeError{AnalyzeFault::unreadable,
                        fmt::format("{}: can not be unpacked into the temporary folder ({}); make "
                                    "room there, set TMPDIR, or give the unpacked database",
                                    input_.name(), file_.fault())};
  }
  Failure too_large() const {
    return AnalyzeError{AnalyzeFault::limit,
                        fmt::format("{}: the unpacked database is larger than {} bytes; unpack it "
                                    "and give the plain file",
                                    input_.name(), kUnpackedBytesMax)};
  }

  TraceInput& input_;
  std::filesystem::path path_;
  TemporaryFile file_;
  bool in_place_ = false;
  bool cut_ = false;
};

bool is_rocprofv3(const SqliteFile& file) {
  return std::ranges::any_of(file.tables(), [](const std::string& table) {
    return table.starts_with("rocpd_kernel_dispatch") || table.starts_with("rocpd_info_");
  });
}

AnalyzeError refuse(const SqliteFile& file) {
  const auto unsupported = [&](std::string_view what, std::string_view advice) {
    return AnalyzeError{
        AnalyzeFault::unsupported_format,
        fmt::format("{}: {}; reading it is not supported: {}", file.name(), what, advice)};
  };
  if (is_rocprofv3(file)) {
    return unsupported("a rocpd database of rocprofv3",
                       "record with rocprofv3 --output-format json, and give that file");
  }
  if (file.tables().empty()) {
    return unsupported("an SQLite database without tables", "give the database of a profiler");
  }
  std::vector<std::string> names;
  for (const std::string& table : file.tables()) {
    if (names.size() == kTablesNamed) break;
    names.push_back(printable(table, kTableNameBytes));
  }
  const std::size_t others = file.tables().size() - names.size();
  return unsupported(
      fmt::format("an SQLite database that is no profile (tables: {}{})", fmt::join(names, ", "),
                  others > 0 ? fmt::format(" and {} more", others) : ""),
      "give what nsys export --type sqlite writes, or an RPD file");
}

// What SQLite did not read. The rows before a damaged page count.
void note_faults(const SqliteFile& file, FileContent& content) {
  for (const SqliteFile::Fault& fault : file.faults()) {
    content.damaged = true;
    content.notes.push_back(fmt::format("table {}: {}, behind {} rows; what was read before counts",
                                        fault.table, fault.message, fault.rows));
  }
}

bool has_log(const std::filesystem::path& path) {
  std::error_code unknown;
  std::filesystem::path log = path;
  log += "-wal";
  const std::uintmax_t size = std::filesystem::file_size(log, unknown);
  return !unknown && size > 0;
}

}  // namespace

bool is_sqlite(std::string_view head) { return head.starts_with(kMagic); }

std::expected<FileContent, AnalyzeError> read_sqlite(TraceInput& input,
                                                     const std::filesystem::path& path,
                                                     TraceBuilder& builder,
                                                     const AnalyzeOptions& options) {
  DatabaseCopy copy(input, path);
  if (Failure failure = copy.take()) return std::unexpected(*std::move(failure));
  auto file = SqliteFile::open(copy.path(), input.name(), {.cancelled = options.cancelled});
  copy.opened();
  if (!file && copy.cut() && file.error().fault == AnalyzeFault::no_trace) {
    return std::unexpected(AnalyzeError{
        AnalyzeFault::no_trace,
        fmt::format("{}: cut at byte {}, before the end of the database's list of tables; copy it "
                    "again",
                    input.name(), input.text_bytes())});
  }
  if (!file) return std::unexpected(std::move(file.error()));

  const bool nsys = is_nsys(**file);
  if (!nsys && !is_rpd(**file)) return std::unexpected(refuse(**file));
  auto content = nsys ? read_nsys(**file, builder) : read_rpd(**file, builder);
  if (Failure stopped = (*file)->stopped()) return std::unexpected(*std::move(stopped));
  if (Failure limit = builder.limit_fault(input.name(), input.text_bytes())) {
    return std::unexpected(*std::move(limit));
  }
  if (!content) return content;
  content->text_bytes = input.text_bytes();
  content->complete = !copy.cut();
  note_faults(**file, *content);
  if (!path.empty() && has_log(path)) {
    content->notes.emplace_back(
        "its write-ahead log (-wal) was not read: what the recorder had not yet moved into the "
        "database is missing");
  }
  return content;
}

}  // namespace stepscope::analysis
