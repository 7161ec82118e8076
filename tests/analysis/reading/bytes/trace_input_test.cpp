#include "analysis/reading/bytes/trace_input.h"

#include <doctest/doctest.h>

#include <atomic>
#include <memory>
#include <string>
#include <string_view>

#include "tests/support/temp_folder.h"
#include "tests/support/trace_text.h"

using namespace stepscope::analysis;
using stepscope::tests::gzip;
using stepscope::tests::TempFolder;
using stepscope::tests::write_file;
using namespace std::string_literals;

namespace {

struct Read {
  std::string text;
  std::string fault;
  std::uint64_t ignored_bytes = 0;
  std::uint64_t stored_bytes = 0;
  std::string error;  // of the read that failed
};

Read read_all(const std::filesystem::path& path, std::size_t block_bytes,
              const AnalyzeOptions& options = {}) {
  auto input = TraceInput::open(path, options);
  REQUIRE(input.has_value());
  Read result;
  std::string block(block_bytes, '\0');
  while (true) {
    auto size = (*input)->read(block);
    if (!size) {
      result.error = size.error().message;
      return result;
    }
    if (*size == 0) break;
    result.text += block.substr(0, *size);
  }
  result.fault = (*input)->fault();
  result.ignored_bytes = (*input)->ignored_bytes();
  result.stored_bytes = (*input)->stored_bytes();
  return result;
}

std::string sample(std::size_t bytes) {
  std::string text;
  for (unsigned i = 0; text.size() < bytes; ++i) text += std::to_string(i * 2654435761U) + ",";
  return text;
}

class CountingDigest : public FileDigest {
 public:
  void update(std::span<const std::byte> bytes) override { bytes_ += bytes.size(); }
  std::string finish() override { return std::to_string(bytes_); }

 private:
  std::size_t bytes_ = 0;
};

}  // namespace

TEST_CASE("plain and compressed files give the same text, whatever they are called") {
  TempFolder folder;
  const std::string text = sample(700'000);
  auto plain = write_file(folder.path(), "a.json.gz", text);
  auto packed = write_file(folder.path(), "a.json", gzip(text));
  for (std::size_t block : {1000U, 65'536U, 1U << 20}) {
    CHECK(read_all(plain, block).text == text);
    CHECK(read_all(packed, block).text == text);
  }
  Read read = read_all(packed, 4096);
  CHECK(read.fault.empty());
  CHECK(read.stored_bytes == std::filesystem::file_size(packed));
}

TEST_CASE("several members are one text, also when a block of the file ends between them") {
  TempFolder folder;
  const std::string first = sample(500);
  const std::string head = gzip(first);
  // A member of stored bytes as long as needed puts the seam at, before and behind a block's end.
  for (std::size_t over : {0U, 1U, 2U}) {
    std::string file;
    std::string text;
    while (file.size() + 3000 < TraceInput::kBlockBytes) {
      file += head;
      text += first;
    }
    // The header of a member may carry a name (RFC 1952, FLG.FNAME): any length is to be had.
    std::size_t left = TraceInput::kBlockBytes + over - 1 - file.size() - head.size();
    std::string named = head;
    named[3] = 8;
    named.insert(10, std::string(left - 1, 'n') + '\0');
    file += named + head;
    text += first + first;
    CAPTURE(over);
    Read read = read_all(write_file(folder.path(), "m.gz", file), 10'000);
    CHECK(read.text == text);
    CHECK(read.fault.empty());
    CHECK(read.ignored_bytes == 0);
  }
}

TEST_CASE("the header of a member may lie on both sides of a block's end") {
  TempFolder folder;
  const std::string text = sample(500);
  const std::string member = gzip(text);
  // Extra field of 6 bytes and a name of 40 (RFC 1952, FLG.FEXTRA and FLG.FNAME): 10 + 8 + 41
  // bytes.
  constexpr std::size_t kHeader = 59;
  std::string long_header = member;
  long_header[3] = 4 | 8;
  long_header.insert(10, "\x06\0BC\x02\0\0\0"s + std::string(40, 'n') + '\0');
  for (std::size_t before = 0; before <= kHeader; ++before) {
    std::string file;
    std::string whole;
    while (file.size() + 3000 < TraceInput::kBlockBytes) {
      file += member;
      whole += text;
    }
    std::string named = member;
    const std::size_t left = TraceInput::kBlockBytes - before - file.size() - member.size();
    named[3] = 8;
    named.insert(10, std::string(left - 1, 'n') + '\0');
    file += named;
    REQUIRE(file.size() + before == TraceInput::kBlockBytes);
    file += long_header;
    whole += text + text;
    CAPTURE(before);
    const Read read = read_all(write_file(folder.path(), "h.gz", file), 10'000);
    CHECK(read.fault.empty());
    CHECK(read.text == whole);
  }
}

TEST_CASE("what follows the last member is counted, not read") {
  TempFolder folder;
  const std::string text = sample(5000);
  Read read = read_all(write_file(folder.path(), "t.gz", gzip(text) + std::string(512, '\0')), 777);
  CHECK(read.text == text);
  CHECK(read.ignored_bytes == 512);
  CHECK(read.fault.empty());
  read = read_all(write_file(folder.path(), "t1.gz", gzip(text) + "\x1F"), 777);
  CHECK(read.text == text);
  CHECK(read.ignored_bytes == 1);
}

TEST_CASE("a file that ends early is told from a whole one at every length") {
  TempFolder folder;
  const std::string text = sample(3000);
  const std::string packed = gzip(text);
  for (std::size_t bytes = 2; bytes < packed.size(); bytes += 7) {
    CAPTURE(bytes);
    Read read = read_all(write_file(folder.path(), "c.gz", packed.substr(0, bytes)), 512);
    CHECK(read.fault == "the gzip data end early");
    CHECK(text.starts_with(read.text));
  }
}

TEST_CASE("a wrong checksum and damaged data are told") {
  TempFolder folder;
  const std::string text = sample(3000);
  std::string packed = gzip(text);
  packed[packed.size() - 6] ^= 0x40;
  Read read = read_all(write_file(folder.path(), "crc.gz", packed), 512);
  CHECK(read.text == text);
  CHECK(read.fault == "the gzip checksum does not match its text");
  std::string bad = "\x1F\x8B\x08" + std::string(7, '\0') + "\xFF\xFF\xFF\xFF";
  read = read_all(write_file(folder.path(), "bad.gz", bad), 512);
  CHECK(read.fault.starts_with("damaged gzip data near stored byte "));
}

TEST_CASE("a gzip bomb ends at text_bytes_max") {
  TempFolder folder;
  AnalyzeOptions options;
  options.text_bytes_max = 100'000;
  auto bomb = write_file(folder.path(), "bomb.gz", gzip(std::string(1'000'000, ' ')));
  Read read = read_all(bomb, 4096, options);
  CHECK(read.error ==
        "bomb.gz: the uncompressed text is longer than 100000 bytes (text_bytes_max); record "
        "fewer steps");
  CHECK(read.text.size() < 110'000);
}

TEST_CASE("cancelling ends the next read") {
  TempFolder folder;
  std::atomic<bool> cancelled = false;
  AnalyzeOptions options;
  options.cancelled = &cancelled;
  auto input = TraceInput::open(write_file(folder.path(), "a.json", sample(1000)), options);
  REQUIRE(input.has_value());
  std::string block(100, '\0');
  CHECK((*input)->read(block) == 100);
  cancelled = true;
  auto result = (*input)->read(block);
  REQUIRE_FALSE(result.has_value());
  CHECK(result.error().fault == AnalyzeFault::cancelled);
}

TEST_CASE("the digest is over all stored bytes, also those that are not read as text") {
  TempFolder folder;
  AnalyzeOptions options;
  options.make_digest = [] { return std::make_unique<CountingDigest>(); };
  std::string file = gzip(sample(5000)) + std::string(600'000, '\0');
  auto input = TraceInput::open(write_file(folder.path(), "t.gz", file), options);
  REQUIRE(input.has_value());
  CHECK((*input)->digest() == std::to_string(file.size()));
}

TEST_CASE("files that can not be opened") {
  TempFolder folder;
  AnalyzeOptions options;
  auto missing = TraceInput::open(folder.path() / "no\nsuch.json", options);
  REQUIRE_FALSE(missing.has_value());
  CHECK(missing.error().fault == AnalyzeFault::unreadable);
  CHECK(missing.error().message ==
        "no?such.json: can not be read (No such file or directory); check path and rights");
  auto directory = TraceInput::open(folder.path(), options);
  REQUIRE_FALSE(directory.has_value());
  CHECK(directory.error().message.ends_with(
      "can not be read (it is a folder); check path and rights"));
}
