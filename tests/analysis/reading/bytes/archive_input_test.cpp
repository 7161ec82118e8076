#include "analysis/reading/bytes/archive_input.h"

#include <doctest/doctest.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "analysis/reading/read_trace.h"
#include "tests/support/temp_folder.h"
#include "tests/support/trace_text.h"
#include "tests/support/zip_maker.h"

using namespace stepscope::analysis;
using namespace stepscope::tests;
using namespace std::string_literals;

namespace {

constexpr std::uint16_t kDeflated = 8;

std::expected<std::shared_ptr<Archive>, AnalyzeError> open_text(const std::string& bytes) {
  const TempFolder folder;  // entries are not read behind its end
  return Archive::open(write_file(folder.path(), "a.zip", bytes));
}

void check_refused(const std::string& bytes, AnalyzeFault fault, std::string_view message) {
  const auto archive = open_text(bytes);
  REQUIRE_FALSE(archive.has_value());
  CHECK(archive.error().fault == fault);
  CHECK(archive.error().message == message);
}

std::string read_all(const std::shared_ptr<Archive>& archive, const ArchiveEntry& entry) {
  auto source = Archive::open_entry(archive, entry);
  REQUIRE(source.has_value());
  std::string text;
  std::array<unsigned char, 5> block{};
  while (true) {
    const auto size = (*source)->read(block);
    if (!size) return "error: " + size.error();
    text.append(reinterpret_cast<const char*>(block.data()), *size);
    if (*size < block.size()) return text;
  }
}

std::string kernel_trace(std::string_view name) {
  return TraceText().kernel(name, "1", "2").object();
}

// The trace of one archive, or of several files.
std::expected<Trace, AnalyzeError> read_zip(const std::string& bytes, TempFolder& folder) {
  const std::filesystem::path path = write_file(folder.path(), "a.zip", bytes);
  return read_trace(std::span(&path, 1), {});
}

std::string message_of(const std::string& bytes) {
  TempFolder folder;
  const auto trace = read_zip(bytes, folder);
  return trace ? "" : trace.error().message;
}

}  // namespace

TEST_CASE("entries that may be traces, in natural order; the rest is counted") {
  const auto archive = open_text(ZipText()
                                     .add("d/", "")
                                     .add("d/TP-10.json", "ten")
                                     .add("d/TP-2.json", "two")
                                     .add("d/notes.txt", "x")
                                     .add("__MACOSX/d/._TP-2.json", "y")
                                     .archive());
  REQUIRE(archive.has_value());
  const auto& entries = (*archive)->entries();
  REQUIRE(entries.size() == 2);
  CHECK(entries[0].name == "d/TP-2.json");
  CHECK(entries[0].bytes == 3);
  CHECK(entries[1].name == "d/TP-10.json");
  CHECK((*archive)->note() ==
        "2 entries were left out, no traces by name (d/notes.txt, __MACOSX/d/._TP-2.json)");
  CHECK(open_text(ZipText().add("a", "").archive()).value()->note().empty());
  CHECK(open_text(ZipText().add("a", "").add("b.md", "").archive()).value()->note() ==
        "one entry was left out, no trace by name (b.md)");
}

TEST_CASE("entries are read straight from the archive, stored, deflated and streamed") {
  const TempFolder folder;
  const std::string text(300'000, 'x');
  const auto path = write_file(folder.path(), "a.zip",
                               ZipText()
                                   .add("a", "stored")
                                   .add({.name = "b",
                                         .bytes = deflate(text),
                                         .method = kDeflated,
                                         .crc = zip_checksum(text),
                                         .unpacked_size = 300'000})
                                   .add({.name = "c", .bytes = "streamed", .flags = 8})
                                   .archive());
  auto archive = Archive::open(path);
  REQUIRE(archive.has_value());
  const std::vector<ArchiveEntry> entries = (*archive)->entries();
  REQUIRE(entries.size() == 3);
  CHECK(read_all(*archive, entries[0]) == "stored");
  CHECK(read_all(*archive, entries[1]) == text);
  CHECK(read_all(*archive, entries[2]) == "streamed");
  CHECK(read_all(*archive, entries[0]) == "stored");  // again, with a handle that was used
}

TEST_CASE("a source outlives the name of its archive, and several are read side by side") {
  const TempFolder folder;
  ZipText zip;
  for (int i = 0; i < 8; ++i) zip.add(std::to_string(i), std::string(100'000, char('a' + i)));
  auto archive = Archive::open(write_file(folder.path(), "a.zip", zip.archive()));
  REQUIRE(archive.has_value());
  std::array<std::string, 8> texts;
  {
    std::vector<std::jthread> threads;
    threads.reserve(texts.size());
    for (std::size_t i = 0; i < texts.size(); ++i) {
      threads.emplace_back(
          [&texts, i, shared = *archive] { texts[i] = read_all(shared, shared->entries()[i]); });
    }
  }
  for (std::size_t i = 0; i < texts.size(); ++i) {
    CHECK(texts[i] == std::string(100'000, static_cast<char>('a' + i)));
  }
}

TEST_CASE("names that climb, that hide something or that are there twice end the run") {
  auto message = [](std::string_view name, std::string_view what) {
    return "a.zip: the zip archive is refused: entry 1 (\""s + std::string(name) + "\") has " +
           std::string(what) + "; pack the traces again, with plain names";
  };
  auto check_name = [&](std::string_view name, std::string_view shown, std::string_view what) {
    check_refused(ZipText().add(name, "").archive(), AnalyzeFault::no_trace, message(shown, what));
  };
  check_name("../x.json", "../x.json", "a name that climbs out of its folder");
  check_name("/x.json", "/x.json", "an absolute path as its name");
  check_name("C:/x.json", "C:/x.json", "a drive in its name");
  check_name("a\\x.json", "a\\x.json", "a backslash in its name");
  check_refused(ZipText().add("a", "1").add("a", "2").archive(), AnalyzeFault::no_trace,
                "a.zip: the zip archive is refused: entry 2 (\"a\") has the name of another entry; "
                "pack the traces again, with plain names");
}

TEST_CASE("a zero byte in a name cuts nothing off") {
  const auto archive = open_text(ZipText().add(std::string("a.json\0.txt", 11), "").archive());
  REQUIRE_FALSE(archive.has_value());
  CHECK(archive.error().message.ends_with("(a.json .txt)"));
}

TEST_CASE("archives that can not be used, each in one line") {
  check_refused(ZipText().archive(), AnalyzeFault::empty,
                "a.zip: the zip archive is empty; pack the traces again");
  check_refused(ZipText().add("d/", "").archive(), AnalyzeFault::no_trace,
                "a.zip: the zip archive holds folders only; pack the traces");
  check_refused(ZipText().add("a.txt", "").archive(), AnalyzeFault::no_trace,
                "a.zip: the zip archive holds no trace: one entry was left out, no trace by name "
                "(a.txt)");
  check_refused(ZipText().add("a.json", "{}").without_directory(), AnalyzeFault::unreadable,
                "a.zip: a zip archive whose directory can not be read (libzip 19): it was cut or "
                "damaged; copy it again");
  check_refused(ZipText().add({.name = "a", .bytes = "x", .flags = 1}).archive(),
                AnalyzeFault::unsupported_format,
                "a.zip: a is encrypted; pack the traces without a password");
  check_refused(ZipText().add({.name = "a", .bytes = "x", .method = 93}).archive(),
                AnalyzeFault::unsupported_format,
                "a.zip: a is packed with zstd, which is not supported; pack the traces with "
                "deflate (zip does)");
  check_refused(
      ZipText().add("b.zip", "x").archive(), AnalyzeFault::unsupported_format,
      "a.zip: b.zip is an archive inside of the archive; unpack it and give it by itself");
  ZipText many;
  for (std::uint64_t i = 0; i <= Archive::kEntriesMax; ++i) many.add(std::to_string(i), "");
  check_refused(many.archive(), AnalyzeFault::limit,
                "a.zip: the zip archive has 10001 entries, more than 10000 (kEntriesMax); pack the "
                "traces alone");
}

TEST_CASE("bombs: an entry that unpacks to much, and entries that share their bytes") {
  constexpr std::uint32_t kGigabyte = 1U << 30;
  const std::string packed = deflate(std::string(1000, 'x'));
  check_refused(ZipText()
                    .add({.name = "a",
                          .bytes = std::string(1000, 'x'),
                          .method = kDeflated,
                          .unpacked_size = kGigabyte})
                    .archive(),
                AnalyzeFault::limit,
                "a.zip: a unpacks from 1000 to 1073741824 bytes, more than 2000 to 1: no trace "
                "does");
  // 1000 to 1 each, which deflate can do, but there are 200 of the same bytes.
  ZipText sharing;
  sharing.add({.name = "a",
               .bytes = std::string(20'000, 'x'),
               .method = kDeflated,
               .unpacked_size = 20'000'000});
  for (int i = 0; i < 199; ++i) sharing.again(std::to_string(i));
  const auto refused = open_text(sharing.archive());
  REQUIRE_FALSE(refused.has_value());
  CHECK(refused.error().fault == AnalyzeFault::limit);
  CHECK(refused.error().message.find("unpacks from") != std::string::npos);
  CHECK(
      refused.error().message.ends_with("to 4000000000 bytes, more than 2000 to 1: no traces do"));
}

TEST_CASE("damage inside of an entry ends the run") {
  const std::string text = kernel_trace("k");
  const ZipEntryText good{.name = "k.json", .bytes = text};
  CHECK(message_of(ZipText().add(good).archive()).empty());
  ZipEntryText bad = good;
  bad.crc = 1;
  CHECK(message_of(ZipText().add(bad).archive()) ==
        "k.json: the archive is damaged: the checksum of this entry does not match; copy the file "
        "again");
  bad = good;
  bad.method = kDeflated;
  bad.bytes = "\xFF\xFF\xFF";
  bad.unpacked_size = 100;
  CHECK(message_of(ZipText().add(bad).archive())
            .starts_with("k.json: the archive is damaged: this entry can not be unpacked"));
  bad = good;
  bad.method = kDeflated;
  bad.bytes = deflate(text);
  bad.crc = zip_checksum(text);
  bad.unpacked_size = 3;
  CHECK(message_of(ZipText().add(bad).archive()) ==
        "k.json: the archive is damaged: this entry unpacks to another size than the directory "
        "says; copy the file again");
}

TEST_CASE("the traces of an archive are the files of the run") {
  TempFolder folder;
  const auto trace = read_zip(ZipText()
                                  .add("tp8/rank1.json.gz", gzip(kernel_trace("one")))
                                  .add("tp8/rank0.json", kernel_trace("zero"))
                                  .archive(),
                              folder);
  REQUIRE(trace.has_value());
  REQUIRE(trace->summary.files.size() == 2);
  CHECK(trace->summary.files[0].name == "tp8/rank0.json");
  CHECK(trace->summary.files[1].name == "tp8/rank1.json.gz");
  CHECK(trace->summary.files[0].bytes == kernel_trace("zero").size());
  REQUIRE(trace->scopes.size() == 2);
  CHECK(trace->scopes[0].rank == 0);  // of the base name: the folder's tp8 is none
  CHECK(trace->scopes[1].rank == 1);
}

TEST_CASE("entries without events are left out as long as others have some") {
  TempFolder folder;
  const auto trace = read_zip(ZipText()
                                  .add("empty.json", "")
                                  .add("picture", "\x89PNG\r\n\x1A\n")
                                  .add("server_args.json", R"({"model": "m", "tp": 8})")
                                  .add("z_rank0.json", kernel_trace("k"))
                                  .add("z.log", "")
                                  .archive(),
                              folder);
  REQUIRE(trace.has_value());
  CHECK(trace->device_events.size() == 1);
  REQUIRE(trace->summary.files.size() == 1);
  CHECK(trace->summary.files[0].name == "z_rank0.json");
  CHECK(trace->summary.complete);
  CHECK(trace->summary.events == 1);
  REQUIRE(trace->scopes.size() == 1);
  CHECK(trace->scopes[0].rank == 0);
  const std::vector<std::string>& notes = trace->summary.notes;
  auto noted = [&](std::string_view start) {
    return std::ranges::any_of(notes, [&](const auto& note) { return note.starts_with(start); });
  };
  CHECK(noted("left out: empty.json: the file is empty"));
  CHECK(noted("left out: picture: a picture (PNG)"));
  CHECK(noted("left out: server_args.json: JSON without an array \"traceEvents\""));
  CHECK(noted("a.zip: one entry was left out, no trace by name (z.log)"));
}

TEST_CASE("of many entries that are left out, ten are named") {
  TempFolder folder;
  ZipText zip;
  zip.add("k.json", kernel_trace("k"));
  for (int i = 0; i < 12; ++i) zip.add(std::to_string(i), "no trace");
  const auto trace = read_zip(zip.archive(), folder);
  REQUIRE(trace.has_value());
  CHECK(std::ranges::count_if(trace->summary.notes, [](const std::string& note) {
          return note.starts_with("left out: ");
        }) == 11);
  CHECK(std::ranges::count(trace->summary.notes, "left out: 2 more entries that are no traces") ==
        1);
}

TEST_CASE("an archive without a trace says why; one packed inside is not left out in silence") {
  CHECK(message_of(ZipText().add("a.json", "{\"a\": 1}").add("b.json", "{\"b\": 1}").archive())
            .starts_with("a.json: JSON without an array"));
  // The process without a GPU says more than the file that is no trace.
  CHECK(message_of(ZipText()
                       .add("a.json", "{\"a\": 1}")
                       .add("b.json", TraceText().annotation("x", "1", "1").object())
                       .archive())
            .starts_with("b.json: no GPU activity"));
  const std::string inner = ZipText().add("k.json", kernel_trace("k")).archive();
  CHECK(message_of(ZipText().add("a.json", kernel_trace("k")).add("b", inner).archive()) ==
        "b: a zip archive inside of another file; reading it is not supported: unpack it once");
}

TEST_CASE("archives and plain files of one run") {
  const TempFolder folder;
  const std::vector<std::filesystem::path> paths = {
      write_file(folder.path(), "rank2.json", kernel_trace("two")),
      write_file(folder.path(), "no_suffix",
                 ZipText().add("rank1.json", kernel_trace("one")).archive())};
  const auto trace = read_trace(paths, {});
  REQUIRE(trace.has_value());
  CHECK(trace->summary.files.size() == 2);
  CHECK(trace->device_events.size() == 2);
  std::set<int> ranks;
  for (const RankScope& scope : trace->scopes) ranks.insert(scope.rank.value_or(-1));
  CHECK(ranks == std::set<int>{1, 2});
}

TEST_CASE("a pipe is not looked into for an archive: its first bytes are the trace's") {
  const TempFolder folder;
  const std::filesystem::path pipe = folder.path() / "pipe";
  REQUIRE(mkfifo(pipe.c_str(), 0600) == 0);
  TraceText text;
  text.kernel("k_one", "10.000", "3.000");
  std::thread writer([&] { write_file(folder.path(), "pipe", text.object()); });
  CHECK_FALSE(is_archive_file(pipe));
  const auto trace = read_trace(std::vector{pipe}, {});
  writer.join();
  REQUIRE(trace.has_value());
  CHECK(trace->summary.device_events == 1);
}

TEST_CASE("content tells an archive, not the name") {
  const TempFolder folder;
  CHECK(is_archive("PK\x03\x04..."));
  CHECK(is_archive("PK\x05\x06"));
  CHECK_FALSE(is_archive("PK\x01\x02"));
  CHECK_FALSE(is_archive_file(write_file(folder.path(), "a.zip", "{}")));
  CHECK_FALSE(is_archive_file(write_file(folder.path(), "b.zip", "PK")));
  CHECK_FALSE(is_archive_file(folder.path() / "none"));
}
