#pragma once
// A zip archive that holds traces: lists its entries and opens them one by one as bytes, straight
// from the archive; nothing is unpacked to disk, and names are only names. Entries may be read by
// several threads at once, each with a handle of its own.

#include <cstdint>
#include <expected>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/analyze.h"
#include "analysis/reading/bytes/byte_source.h"

struct zip;  // of libzip

namespace stepscope::analysis {

struct ArchiveEntry {
  std::string name;         // as in the archive, with its folders; valid UTF-8 on one line
  std::uint64_t bytes = 0;  // unpacked
  std::uint64_t index = 0;
};

class Archive {
 public:
  static constexpr std::uint64_t kEntriesMax = 10'000;
  static constexpr std::uint64_t kBytesMax = 256ULL << 30;  // of all entries together, unpacked
  // Traces pack to 3 %, deflate ends at 1 to 1032: more is a bomb, when it is not tiny as well.
  static constexpr std::uint64_t kRatioMax = 2000;
  static constexpr std::uint64_t kRatioFreeBytes = 64ULL << 20;

  // Errors: one line that names the archive, and the entry where there is one.
  static std::expected<std::shared_ptr<Archive>, AnalyzeError> open(
      const std::filesystem::path& path);
  ~Archive();
  Archive(const Archive&) = delete;
  Archive& operator=(const Archive&) = delete;

  // Those that may be traces, by name: TP-2 comes before TP-10.
  const std::vector<ArchiveEntry>& entries() const { return entries_; }
  // What was left out because its name says that it is no trace; empty when nothing was.
  const std::string& note() const { return note_; }

  // `archive` lives as long as the result does. The error is part of a sentence.
  static std::expected<std::unique_ptr<ByteSource>, std::string> open_entry(
      const std::shared_ptr<Archive>& archive, const ArchiveEntry& entry);

 private:
  struct Handles;
  class EntryBytes;

  explicit Archive(const std::filesystem::path& path);
  AnalyzeError error(AnalyzeFault fault, std::string_view what) const;
  std::expected<void, AnalyzeError> list();
  std::expected<void, AnalyzeError> list(zip* zip);
  std::expected<void, AnalyzeError> add(zip* zip, std::uint64_t index, const std::string& name);
  std::expected<void, AnalyzeError> check_all() const;
  void note_left_out(const std::vector<std::string>& names);

  std::string name_;  // of the archive, for messages
  std::unique_ptr<Handles> handles_;
  std::vector<ArchiveEntry> entries_;
  std::string note_;
};

// The first four bytes say zip.
bool is_archive(std::string_view head);
bool is_archive_file(const std::filesystem::path& path);

}  // namespace stepscope::analysis
