#include "analysis/reading/trace_file.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

using namespace stepscope::analysis;

namespace {

// Bytes in memory; after `fails_at` of them reading fails.
class Memory : public ByteSource {
 public:
  Memory(std::string bytes, std::size_t fails_at) : bytes_(std::move(bytes)), fails_at_(fails_at) {}
  std::expected<std::size_t, std::string> read(std::span<unsigned char> out) override {
    if (at_ >= fails_at_) return std::unexpected("reading failed");
    const std::size_t size = std::min(out.size(), bytes_.size() - at_);
    std::copy_n(bytes_.begin() + static_cast<std::ptrdiff_t>(at_), size, out.begin());
    at_ += size;
    return size;
  }
  std::uint64_t size() const override { return bytes_.size(); }

 private:
  std::string bytes_;
  std::size_t fails_at_;
  std::size_t at_ = 0;
};

TraceSource source(std::string name, std::string bytes, std::size_t fails_at = SIZE_MAX) {
  return {.name = std::move(name), .path = {}, .size = bytes.size(), .open = [=] {
            return std::expected<std::unique_ptr<ByteSource>, std::string>(
                std::make_unique<Memory>(bytes, fails_at));
          }};
}

std::expected<TraceFileRows, AnalyzeError> read(const TraceSource& file, bool only_file = true) {
  const AnalyzeOptions options;
  ReadProgress progress({});
  return read_trace_file(file, {.options = options, .progress = progress, .only_file = only_file});
}

constexpr std::string_view kKernels =
    R"([{"ph":"X","cat":"kernel","name":"k","pid":0,"tid":7,"ts":1,"dur":2,"args":{}}])";

}  // namespace

TEST_CASE("a file gives its rows, its figures and what it says of its rank") {
  auto rows = read(source("x-TP-3.json", std::string(kKernels)));
  REQUIRE(rows.has_value());
  CHECK(rows->tables.device_rows() == 1);
  CHECK(rows->claim.name == "x-TP-3.json");
  CHECK_FALSE(rows->claim.stated.has_value());
  CHECK(rows->whole_microseconds);
  CHECK_FALSE(rows->nothing.has_value());
  const TraceSummary& summary = rows->tables.trace().summary;
  REQUIRE(summary.files.size() == 1);
  CHECK(summary.files[0].name == "x-TP-3.json");
  CHECK(summary.files[0].bytes == kKernels.size());
  CHECK(summary.events == 1);
  CHECK(rows->tables.finish().scopes.at(0).rank == 3);
}

TEST_CASE("a file of a process without a GPU is no failure of the run, but says why it is empty") {
  auto rows =
      read(source("cpu.json", R"([{"ph":"X","cat":"cpu_op","name":"a","ts":1,"dur":2}])"), false);
  REQUIRE(rows.has_value());
  REQUIRE(rows->nothing.has_value());
  CHECK(rows->nothing->fault == AnalyzeFault::cpu_only);
  REQUIRE(rows->tables.trace().summary.notes.size() == 1);
  CHECK(rows->tables.trace().summary.notes[0].starts_with("left out: cpu.json: no GPU activity"));
}

TEST_CASE("what is no trace, or can not be read, names the file") {
  CHECK(read(source("a.json", "")).error().message ==
        "a.json: the file is empty; copy or record it again");
  CHECK(read(source("a.json", "hello")).error().fault == AnalyzeFault::no_trace);
  CHECK(read(source("a.json", std::string(kKernels), 0)).error().message ==
        "a.json: reading failed; copy the file again");
  TraceSource closed = source("a.json", "");
  closed.open = [] { return std::unexpected(std::string("Permission denied")); };
  CHECK(read(closed).error().message ==
        "a.json: can not be read (Permission denied); check path and rights");
}

TEST_CASE("a file cut before its first device event is hopeless, one cut behind it is not") {
  const std::string whole(kKernels);
  CHECK(read(source("a.json", R"({"traceEvents": [{"ph":)")).error().message ==
        "a.json: cut at byte 23 of the uncompressed text, with no device event before it; copy or "
        "record it again");
  auto rows =
      read(source("a.json", R"({"traceEvents": )" + whole.substr(0, whole.size() - 1) + ","));
  REQUIRE(rows.has_value());
  const TraceSummary& summary = rows->tables.trace().summary;
  CHECK_FALSE(summary.complete);
  CHECK(summary.cut_at_byte == 16 + whole.size());
}
