#include "runtime/body_source.h"

#include <doctest/doctest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

namespace stepscope::runtime {

namespace {

// A file of its own that goes with the test.
class TemporaryFile {
 public:
  explicit TemporaryFile(std::string_view bytes) {
    std::string name = (std::filesystem::temp_directory_path() / "body_source_XXXXXX").string();
    ::close(::mkstemp(name.data()));
    path = name;
    std::ofstream(path, std::ios::binary) << bytes;
  }
  ~TemporaryFile() { std::filesystem::remove(path); }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;

  std::filesystem::path path;
};

std::string numbered(std::size_t bytes) {
  std::string text;
  for (std::size_t i = 0; text.size() < bytes; ++i) {
    text += std::to_string(i) + " ";
  }
  text.resize(bytes);
  return text;
}

struct Read {
  std::string bytes;
  std::size_t blocks = 0;
  std::string error;
};

Read read_all(BodySource source) {
  Read read;
  while (true) {
    const Result<std::string_view> block = source.next();
    if (!block) {
      read.error = block.error().message;
      return read;
    }
    if (block->empty()) {
      return read;
    }
    read.bytes += *block;
    ++read.blocks;
  }
}

HttpResponse file_response(const std::filesystem::path& path, std::uint64_t offset,
                           std::uint64_t length) {
  HttpResponse response;
  response.body = "not this";
  response.file = FileBody{path, offset, length};
  return response;
}

}  // namespace

TEST_CASE("a body in memory comes in blocks of 256 KiB") {
  const std::string text = numbered((512 << 10) + 1);
  HttpResponse response;
  response.body = text;
  Result<BodySource> source = BodySource::open(response);
  REQUIRE(source.has_value());
  CHECK(source->size() == text.size());
  const Read read = read_all(std::move(*source));
  CHECK(read.bytes == text);
  CHECK(read.blocks == 3);
}

TEST_CASE("an empty body has no block") {
  HttpResponse response;
  Result<BodySource> source = BodySource::open(response);
  REQUIRE(source.has_value());
  CHECK(source->size() == 0);
  CHECK(read_all(std::move(*source)).blocks == 0);
}

TEST_CASE("a file comes whole or as the range asked") {
  const std::string text = numbered(600'000);
  const TemporaryFile file(text);
  for (const auto& [offset, length] : std::initializer_list<std::pair<std::size_t, std::size_t>>{
           {0, 600'000}, {1, 599'999}, {300'000, 262'144}, {599'999, 1}, {600'000, 0}, {7, 0}}) {
    HttpResponse response = file_response(file.path, offset, length);
    Result<BodySource> source = BodySource::open(response);
    REQUIRE(source.has_value());
    CHECK(source->size() == length);
    const Read read = read_all(std::move(*source));
    CHECK(read.error == "");
    CHECK(read.bytes == text.substr(offset, length));
  }
}

TEST_CASE("what can not be sent is an error that names the file") {
  const TemporaryFile file("0123456789");
  const std::string name = file.path.string();
  const std::string folder = std::filesystem::temp_directory_path().string();
  for (const auto& [response, message] :
       std::initializer_list<std::pair<HttpResponse, std::string>>{
           {file_response(name + ".none", 0, 1), name + ".none: No such file or directory"},
           {file_response(folder, 0, 0), folder + ": no regular file"},
           {file_response(name, 4, 7), name + ": has 10 bytes, but 7 from 4 on were asked"},
           {file_response(name, 11, 0), name + ": has 10 bytes, but 0 from 11 on were asked"},
           {file_response(name, 1, ~std::uint64_t{0}),
            name + ": has 10 bytes, but 18446744073709551615 from 1 on were asked"}}) {
    HttpResponse copy = response;
    const Result<BodySource> source = BodySource::open(copy);
    REQUIRE(!source);
    CHECK(source.error().message == message);
  }
}

TEST_CASE("a file that becomes shorter while it is sent is an error, not zeros") {
  const TemporaryFile file(numbered(600'000));
  HttpResponse response = file_response(file.path, 0, 600'000);
  Result<BodySource> source = BodySource::open(response);
  REQUIRE(source.has_value());
  REQUIRE(source->next()->size() == 262'144);
  std::filesystem::resize_file(file.path, 300'000);
  const Result<std::string_view> block = source->next();
  REQUIRE(!block);
  CHECK(block.error().message ==
        "the file could not be read on after 300000 of 600000 bytes: it has become shorter");
}

}  // namespace stepscope::runtime
