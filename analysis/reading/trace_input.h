#pragma once
// The text of one trace file, block by block: plain or gzip (also several members), told apart by
// content. Owns the file; holds one block of stored bytes. Says how the text ended; knows nothing
// of what is in it.

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <expected>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "analysis/analyze.h"

namespace stepscope::analysis {

class TraceInput {
 public:
  static constexpr std::size_t kBlockBytes = 256U << 10;

  // `options` is used for the digest, the cancel flag and text_bytes_max; it must outlive this.
  static std::expected<std::unique_ptr<TraceInput>, AnalyzeError> open(
      const std::filesystem::path& path, const AnalyzeOptions& options);
  ~TraceInput();
  TraceInput(const TraceInput&) = delete;
  TraceInput& operator=(const TraceInput&) = delete;

  // Fills `out` from its front; fewer bytes than asked, or 0, only at the end of the text. Errors:
  // unreadable, limit (text_bytes_max), cancelled.
  std::expected<std::size_t, AnalyzeError> read(std::span<char> out);

  // After the end: why the text is not whole (cut or damaged gzip), empty when it is.
  const std::string& fault() const { return fault_; }
  std::uint64_t ignored_bytes() const { return ignored_bytes_; }  // stored, behind the last member
  std::uint64_t stored_bytes() const { return stored_bytes_; }    // read so far
  std::uint64_t text_bytes() const { return text_bytes_; }
  // Lower-case hex over the whole file, "" without make_digest. Call once, at the end.
  std::expected<std::string, AnalyzeError> digest();

 private:
  struct Inflate;

  TraceInput(std::string name, const AnalyzeOptions& options);
  unsigned char* data() const { return block_.get() + 1; }
  bool refill();  // the next stored block into data(); false at the end of the file
  std::size_t read_plain(std::span<char> out);
  std::size_t read_gzip(std::span<char> out);
  bool next_member();
  void skip_rest();
  AnalyzeError error(AnalyzeFault fault, std::string_view what) const;

  std::string name_;
  const AnalyzeOptions& options_;
  std::unique_ptr<FileDigest> digest_;
  struct CloseFile {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };
  std::unique_ptr<std::FILE, CloseFile> file_;
  std::unique_ptr<unsigned char[]> block_;  // one byte, then the stored block
  std::size_t block_size_ = 0;
  std::size_t block_used_ = 0;        // of a plain file
  std::unique_ptr<Inflate> inflate_;  // none for a plain file
  bool ended_ = false;
  bool unreadable_ = false;
  std::string fault_;
  std::uint64_t ignored_bytes_ = 0;
  std::uint64_t stored_bytes_ = 0;
  std::uint64_t text_bytes_ = 0;
};

// The last part of a path, fit for a one-line message.
std::string display_name(const std::filesystem::path& path);

}  // namespace stepscope::analysis
