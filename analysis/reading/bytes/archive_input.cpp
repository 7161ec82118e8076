#include "analysis/reading/bytes/archive_input.h"

#include <fmt/format.h>
#include <zip.h>

#include <algorithm>
#include <array>
#include <mutex>
#include <optional>
#include <set>
#include <system_error>
#include <utility>

#include "analysis/reading/bytes/archive_names.h"
#include "analysis/reading/bytes/trace_input.h"

namespace stepscope::analysis {

namespace {

constexpr std::size_t kNamesShown = 3;
std::string on_one_line(std::string_view name) {
  std::string text(name);
  for (char& c : text) {
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7F) c = '?';
  }
  return text;
}

// Valid UTF-8: libzip converts names of the old code page. A zero byte in a name reads as a blank.
std::string name_of(zip_t* zip, zip_uint64_t index) {
  const char* name = zip_get_name(zip, index, ZIP_FL_ENC_GUESS);
  return name == nullptr ? "" : name;
}

std::string method_name(zip_uint16_t method) {
  struct Method {
    int number;
    std::string_view name;
  };
  constexpr std::array<Method, 6> kMethods = {{{ZIP_CM_DEFLATE64, "deflate64"},
                                               {ZIP_CM_BZIP2, "bzip2"},
                                               {ZIP_CM_LZMA, "lzma"},
                                               {93, "zstd"},
                                               {ZIP_CM_XZ, "xz"},
                                               {ZIP_CM_PPMD, "ppmd"}}};
  const auto* known = std::ranges::find(kMethods, int{method}, &Method::number);
  return known == kMethods.end() ? fmt::format("method {}", method) : std::string(known->name);
}

constexpr std::string_view kOtherSize =
    "the archive is damaged: this entry unpacks to another size than the directory says";

// Part of a sentence on reading an entry.
std::string read_fault(int code) {
  switch (code) {
    case ZIP_ER_CRC:
      return "the archive is damaged: the checksum of this entry does not match";
    case ZIP_ER_INCONS:
      return std::string(kOtherSize);
    case ZIP_ER_EOF:
      return "the archive is damaged: this entry ends early";
    default:
      return fmt::format("the archive is damaged: this entry can not be unpacked (libzip {})",
                         code);
  }
}

struct SizeCheck {
  std::uint64_t stored = 0;
  std::uint64_t unpacked = 0;

  bool is_bomb() const {
    return unpacked > Archive::kRatioFreeBytes && unpacked / Archive::kRatioMax >= stored;
  }
};

}  // namespace

// Handles that no entry uses at the moment: opening one reads the whole directory.
struct Archive::Handles {
  explicit Handles(const std::filesystem::path& archive) : path(archive) {}
  ~Handles() {
    for (zip_t* zip : idle) zip_discard(zip);
  }
  Handles(const Handles&) = delete;
  Handles& operator=(const Handles&) = delete;

  zip_t* take(int& fault) {
    {
      const std::lock_guard lock(mutex);
      if (!idle.empty()) {
        zip_t* zip = idle.back();
        idle.pop_back();
        return zip;
      }
    }
    return zip_open(path.c_str(), ZIP_RDONLY, &fault);
  }
  void give_back(zip_t* zip) {
    const std::lock_guard lock(mutex);
    idle.push_back(zip);
  }

  std::filesystem::path path;
  std::mutex mutex;
  std::vector<zip_t*> idle;
};

class Archive::EntryBytes : public ByteSource {
 public:
  EntryBytes(std::shared_ptr<Archive> archive, zip_t* zip, zip_file_t* file, std::uint64_t bytes)
      : archive_(std::move(archive)), zip_(zip), file_(file), bytes_(bytes) {}
  ~EntryBytes() override {
    zip_fclose(file_);
    archive_->handles_->give_back(zip_);
  }
  EntryBytes(const EntryBytes&) = delete;
  EntryBytes& operator=(const EntryBytes&) = delete;

  std::expected<std::size_t, std::string> read(std::span<unsigned char> out) override {
    std::size_t size = 0;
    while (size < out.size() && !ended_) {
      const zip_int64_t part = zip_fread(file_, out.data() + size, out.size() - size);
      if (part < 0)
        return std::unexpected(read_fault(zip_error_code_zip(zip_file_get_error(file_))));
      ended_ = part == 0;
      size += static_cast<std::size_t>(part);
    }
    read_ += size;
    if (read_ > bytes_) {
      return std::unexpected(std::string(kOtherSize));
    }
    return size;
  }
  std::uint64_t size() const override { return bytes_; }

 private:
  std::shared_ptr<Archive> archive_;
  zip_t* zip_;
  zip_file_t* file_;
  std::uint64_t bytes_;
  std::uint64_t read_ = 0;
  bool ended_ = false;  // the checksum was compared
};

Archive::Archive(const std::filesystem::path& path)
    : name_(display_name(path)), handles_(std::make_unique<Handles>(path)) {}

Archive::~Archive() = default;

AnalyzeError Archive::error(AnalyzeFault fault, std::string_view what) const {
  return {fault, fmt::format("{}: {}", name_, what)};
}

std::expected<std::shared_ptr<Archive>, AnalyzeError> Archive::open(
    const std::filesystem::path& path) {
  std::shared_ptr<Archive> archive(new Archive(path));
  if (auto listed = archive->list(); !listed) return std::unexpected(std::move(listed.error()));
  return archive;
}

namespace {

// What makes an entry that may be a trace unusable; its name is fine.
std::optional<std::pair<AnalyzeFault, std::string>> entry_fault(const std::string& name,
                                                                const zip_stat_t& stat) {
  auto unsupported = [&](std::string_view what) {
    return std::pair(AnalyzeFault::unsupported_format,
                     fmt::format("{} {}", shown_entry_name(name), what));
  };
  if (entry_base_name(name).ends_with(".zip")) {
    return unsupported("is an archive inside of the archive; unpack it and give it by itself");
  }
  if ((stat.valid & ZIP_STAT_ENCRYPTION_METHOD) != 0 && stat.encryption_method != ZIP_EM_NONE) {
    return unsupported("is encrypted; pack the traces without a password");
  }
  if (zip_compression_method_supported(stat.comp_method, 0) == 0) {
    return unsupported(
        fmt::format("is packed with {}, which is not supported; pack the traces "
                    "with deflate (zip does)",
                    method_name(stat.comp_method)));
  }
  if (SizeCheck{stat.comp_size, stat.size}.is_bomb()) {
    return std::pair(
        AnalyzeFault::limit,
        fmt::format("{} unpacks from {} to {} bytes, more than {} to 1: no trace does",
                    shown_entry_name(name), stat.comp_size, stat.size, Archive::kRatioMax));
  }
  return std::nullopt;
}

}  // namespace

std::expected<void, AnalyzeError> Archive::list() {
  int fault = 0;
  zip_t* zip = handles_->take(fault);
  if (zip == nullptr) {
    return std::unexpected(error(
        AnalyzeFault::unreadable,
        fmt::format("a zip archive whose directory can not be read (libzip {}): it was cut or "
                    "damaged; copy it again",
                    fault)));
  }
  auto listed = list(zip);
  handles_->give_back(zip);
  return listed;
}

std::expected<void, AnalyzeError> Archive::list(zip* zip) {
  const auto count = static_cast<std::uint64_t>(zip_get_num_entries(zip, 0));
  if (count == 0) {
    return std::unexpected(
        error(AnalyzeFault::empty, "the zip archive is empty; pack the traces again"));
  }
  if (count > kEntriesMax) {
    return std::unexpected(error(
        AnalyzeFault::limit,
        fmt::format("the zip archive has {} entries, more than {} (kEntriesMax); pack the traces "
                    "alone",
                    count, kEntriesMax)));
  }
  std::set<std::string> names;
  std::vector<std::string> left_out;
  for (std::uint64_t i = 0; i < count; ++i) {
    std::string name = name_of(zip, i);
    std::string odd(entry_name_fault(name));
    if (odd.empty() && names.contains(name)) odd = "the name of another entry";
    if (!odd.empty()) {
      return std::unexpected(
          error(AnalyzeFault::no_trace,
                fmt::format(
                    "the zip archive is refused: entry {} (\"{}\") has {}; pack the traces again, "
                    "with plain names",
                    i + 1, shown_entry_name(name), odd)));
    }
    if (is_no_trace_name(name)) {
      if (!name.ends_with('/')) left_out.push_back(name);
    } else if (!name.ends_with('/')) {
      if (auto added = add(zip, i, name); !added) return added;
    }
    names.insert(std::move(name));
  }
  note_left_out(left_out);
  std::ranges::sort(entries_, [](const ArchiveEntry& a, const ArchiveEntry& b) {
    return natural_less(a.name, b.name);
  });
  return check_all();
}

std::expected<void, AnalyzeError> Archive::add(zip* zip, std::uint64_t index,
                                               const std::string& name) {
  zip_stat_t stat;
  zip_stat_init(&stat);
  if (zip_stat_index(zip, index, 0, &stat) != 0) {
    return std::unexpected(
        error(AnalyzeFault::unreadable, read_fault(zip_error_code_zip(zip_get_error(zip)))));
  }
  if (auto odd = entry_fault(name, stat)) return std::unexpected(error(odd->first, odd->second));
  entries_.push_back({on_one_line(name), stat.size, index});
  return {};
}

std::expected<void, AnalyzeError> Archive::check_all() const {
  if (entries_.empty()) {
    return std::unexpected(error(AnalyzeFault::no_trace,
                                 note_.empty()
                                     ? "the zip archive holds folders only; pack the traces"
                                     : fmt::format("the zip archive holds no trace: {}", note_)));
  }
  std::uint64_t all_bytes = 0;
  for (const ArchiveEntry& entry : entries_) {
    if (entry.bytes > kBytesMax - all_bytes) {
      return std::unexpected(
          error(AnalyzeFault::limit,
                fmt::format("the entries of the zip archive unpack to more than {} bytes "
                            "(kBytesMax); give fewer at a time",
                            kBytesMax)));
    }
    all_bytes += entry.bytes;
  }
  std::error_code ignored;
  const std::uintmax_t stored = std::filesystem::file_size(handles_->path, ignored);
  if (!ignored && SizeCheck{stored, all_bytes}.is_bomb()) {
    return std::unexpected(error(
        AnalyzeFault::limit,
        fmt::format("the zip archive unpacks from {} to {} bytes, more than {} to 1: no traces do",
                    stored, all_bytes, kRatioMax)));
  }
  return {};
}

void Archive::note_left_out(const std::vector<std::string>& names) {
  if (names.empty()) return;
  std::string some;
  for (const std::string& name : std::span(names).first(std::min(names.size(), kNamesShown))) {
    some += (some.empty() ? "" : ", ") + shown_entry_name(name);
  }
  note_ = fmt::format(
      "{} left out, no {} by name ({}{})",
      names.size() == 1 ? "one entry was" : fmt::format("{} entries were", names.size()),
      names.size() == 1 ? "trace" : "traces", some, names.size() > kNamesShown ? ", ..." : "");
}

std::expected<std::unique_ptr<ByteSource>, std::string> Archive::open_entry(
    const std::shared_ptr<Archive>& archive, const ArchiveEntry& entry) {
  int fault = 0;
  zip_t* zip = archive->handles_->take(fault);
  if (zip == nullptr) return std::unexpected("its archive can no longer be opened");
  zip_file_t* file = zip_fopen_index(zip, entry.index, 0);
  if (file == nullptr) {
    std::string what = read_fault(zip_error_code_zip(zip_get_error(zip)));
    archive->handles_->give_back(zip);
    return std::unexpected(std::move(what));
  }
  return std::make_unique<EntryBytes>(archive, zip, file, entry.bytes);
}

bool is_archive(std::string_view head) {
  return head.starts_with("PK\x03\x04") || head.starts_with("PK\x05\x06") ||
         head.starts_with("PK\x07\x08");
}

bool is_archive_file(const std::filesystem::path& path) {
  // What is read from a pipe is gone; and an archive's directory stands at its end anyway.
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(path, ignored)) return false;
  auto file = open_file(path);
  if (!file) return false;
  std::array<unsigned char, 4> head{};
  const auto size = (*file)->read(head);
  return size && *size == head.size() &&
         is_archive(std::string_view(reinterpret_cast<const char*>(head.data()), head.size()));
}

}  // namespace stepscope::analysis
