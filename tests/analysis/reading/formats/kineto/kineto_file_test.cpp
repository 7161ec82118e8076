#include "analysis/reading/formats/kineto/kineto_file.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <fstream>
#include <string>

#include "tests/support/temp_folder.h"

using namespace stepscope::analysis;
using stepscope::tests::TempFolder;

namespace {

constexpr std::string_view kKernel =
    R"({"ph":"X","cat":"kernel","name":"k","pid":0,"tid":7,"ts":1,"dur":2.5,"args":{}})";

struct Read {
  std::expected<FileContent, AnalyzeError> content;
  Trace trace;
};

Read read(const std::string& text, const AnalyzeOptions& options = {}, std::uint64_t names = 100) {
  const TempFolder folder;
  std::ofstream(folder.path() / "t.json") << text;
  auto input = TraceInput::open(folder.path() / "t.json", options);
  REQUIRE(input.has_value());
  TraceBuilder builder(names);
  auto content = read_kineto(**input, builder, "t: ");
  builder.end_file({}, {});
  return {std::move(content), builder.finish()};
}

}  // namespace

TEST_CASE("a whole file gives its rows and how it ended") {
  const std::string text =
      R"({"baseTimeNanoseconds": 5, "traceEvents": [)" + std::string(kKernel) + "]}";
  const Read r = read(text);
  REQUIRE(r.content.has_value());
  CHECK(r.content->complete);
  CHECK_FALSE(r.content->left_open);
  CHECK(r.content->saw_events);
  CHECK(r.content->text_bytes == text.size());
  CHECK(r.content->facts.device_events == 1);
  CHECK(r.content->facts.fractions);
  CHECK(r.content->metadata.base_ns == 5);
  CHECK(r.trace.device_events.size() == 1);
}

TEST_CASE("a cut file, an open array and a file without events are told apart") {
  const Read cut = read(R"({"traceEvents": [)" + std::string(kKernel) + R"(, {"ph")");
  CHECK_FALSE(cut.content->complete);
  CHECK(cut.trace.device_events.size() == 1);
  const Read open = read("[" + std::string(kKernel) + ",");
  CHECK(open.content->complete);
  CHECK(open.content->left_open);
  CHECK_FALSE(read(R"({"nodes": []})").content->saw_events);
}

TEST_CASE("damage is reported with the file's prefix") {
  const Read r = read(R"({"traceEvents": [{"ph" "X"}, )" + std::string(kKernel) + "]}");
  REQUIRE(r.trace.summary.damaged.size() == 1);
  CHECK(r.trace.summary.damaged[0].byte == 23);  // of the quote that stands where a colon should
  CHECK(r.trace.summary.damaged[0].reason.starts_with("t: text behind a closing quote"));
}

TEST_CASE("a limit ends the reading within a block") {
  std::string text = "[";
  for (int i = 0; i < 100'000; ++i) {
    std::string event(kKernel);
    text += event.replace(event.find("\"k\""), 3, "\"k" + std::to_string(i) + "\"") + ",";
  }
  const Read r = read(text, {}, 50);
  REQUIRE_FALSE(r.content.has_value());
  CHECK(r.content.error().fault == AnalyzeFault::limit);
  CHECK(r.content.error().message.starts_with(
      "t.json: more different names than are allowed, near byte 262144 of the text;"));
}

TEST_CASE("a cancelled reading stops at the next block") {
  std::atomic<bool> cancelled = true;
  AnalyzeOptions options;
  options.cancelled = &cancelled;
  const Read r = read("[]", options);
  REQUIRE_FALSE(r.content.has_value());
  CHECK(r.content.error().fault == AnalyzeFault::cancelled);
}
