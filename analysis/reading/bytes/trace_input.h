#pragma once
// The text of one trace file, block by block: plain or gzip (also several members), told apart by
// content. Owns the source; holds one block of stored bytes. Says how the text ended; knows nothing
// of what is in it.

#include <cstddef>
#include <cstdint>
#include <expected>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/analyze.h"
#include "analysis/reading/bytes/byte_source.h"
#include "analysis/reading/bytes/read_progress.h"

namespace stepscope::analysis {

class TraceInput {
 public:
  static constexpr std::size_t kBlockBytes = 256U << 10;
  static constexpr std::size_t kHeaderBytes =
      4096;  // of a gzip member that is met at a block's end

  // `options` is used for the digest, the cancel flag and text_bytes_max; it and `progress`, which
  // may be null, must outlive this. The size of the source is expected of `progress` already.
  static std::expected<std::unique_ptr<TraceInput>, AnalyzeError> open(
      std::unique_ptr<ByteSource> source, std::string name, const AnalyzeOptions& options,
      ReadProgress* progress);
  // A plain file, without progress.
  static std::expected<std::unique_ptr<TraceInput>, AnalyzeError> open(
      const std::filesystem::path& path, const AnalyzeOptions& options);
  ~TraceInput();
  TraceInput(const TraceInput&) = delete;
  TraceInput& operator=(const TraceInput&) = delete;

  // The first bytes of the text, at most `bytes`; read() gives them all the same. Call before
  // read(). Errors as read().
  std::expected<std::string_view, AnalyzeError> peek(std::size_t bytes);

  // Fills `out` from its front; fewer bytes than asked, or 0, only at the end of the text. Errors:
  // unreadable, limit (text_bytes_max), cancelled.
  std::expected<std::size_t, AnalyzeError> read(std::span<char> out);

  const std::string& name() const { return name_; }  // of the file, for messages
  bool compressed() const { return inflate_ != nullptr; }
  // After the end: why the text is not whole (cut or damaged gzip), empty when it is.
  const std::string& fault() const { return fault_; }
  // The fault cost no text: it ended where it should, but may hold other bytes than were packed.
  bool doubtful() const { return doubtful_; }
  std::uint64_t ignored_bytes() const { return ignored_bytes_; }  // stored, behind the last member
  std::uint64_t stored_bytes() const { return stored_bytes_; }    // read so far
  std::uint64_t text_bytes() const { return text_bytes_; }        // given out by read() so far
  // Lower-case hex over all stored bytes, "" without make_digest. Reads what is left of them. Call
  // once, at the end.
  std::expected<std::string, AnalyzeError> digest();

 private:
  struct Inflate;

  TraceInput(std::unique_ptr<ByteSource> source, std::string name, const AnalyzeOptions& options,
             ReadProgress* progress);
  unsigned char* data() const { return block_.get() + kHeaderBytes; }
  bool refill();  // the next stored block into data(); false at the end of the file
  std::expected<std::size_t, AnalyzeError> fill(std::span<char> out);
  std::size_t read_plain(std::span<char> out);
  std::size_t read_gzip(std::span<char> out);
  bool next_member();
  void skip_rest();
  AnalyzeError error(AnalyzeFault fault, std::string_view what) const;

  std::unique_ptr<ByteSource> source_;
  std::string name_;
  const AnalyzeOptions& options_;
  ReadProgress* progress_;
  std::unique_ptr<FileDigest> digest_;
  std::unique_ptr<unsigned char[]> block_;  // kHeaderBytes, then the stored block
  std::size_t block_size_ = 0;
  std::size_t block_used_ = 0;        // of a plain file
  std::unique_ptr<Inflate> inflate_;  // none for a plain file
  std::vector<char> head_;            // peeked
  std::size_t head_used_ = 0;
  bool ended_ = false;
  std::string read_error_;  // why the stored bytes could not be read, empty when they could
  bool doubtful_ = false;
  std::string fault_;
  std::uint64_t ignored_bytes_ = 0;
  std::uint64_t stored_bytes_ = 0;
  std::uint64_t text_bytes_ = 0;
};

// The last part of a path, fit for a one-line message.
std::string display_name(const std::filesystem::path& path);

}  // namespace stepscope::analysis
