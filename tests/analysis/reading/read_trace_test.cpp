#include "analysis/reading/read_trace.h"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <string>
#include <tuple>
#include <vector>

#include "tests/support/temp_folder.h"
#include "tests/support/trace_text.h"

using namespace stepscope::analysis;
using stepscope::tests::gzip;
using stepscope::tests::TempFolder;
using stepscope::tests::TraceText;
using stepscope::tests::write_file;

namespace {

using Result = std::expected<Trace, AnalyzeError>;
using Paths = std::vector<std::filesystem::path>;

Result read_text(const std::string& bytes, const std::string& name = "t.json",
                 const AnalyzeOptions& options = {}) {
  TempFolder folder;
  Paths paths = {write_file(folder.path(), name, bytes)};
  return read_trace(paths, options);
}

Trace good(Result result) {
  if (!result) FAIL(result.error().message);
  return std::move(*result);
}

void check_fault(const Result& result, AnalyzeFault fault) {
  REQUIRE_FALSE(result.has_value());
  CAPTURE(result.error().message);
  CHECK(result.error().fault == fault);
  CHECK(result.error().message.find('\n') == std::string::npos);
}

bool has_note(const Trace& trace, std::string_view words) {
  return std::ranges::any_of(trace.summary.notes, [&](const std::string& note) {
    return note.find(words) != std::string::npos;
  });
}

TraceText two_kernels() {
  return TraceText().kernel("k_one", "20.000", "3.000", 1).kernel("k_two", "24.000", "2.500", 2);
}

// Both kernels of two_kernels() and nothing else on the device.
void check_two_kernels(const Trace& trace) {
  REQUIRE(trace.device_events.size() == 2);
  CHECK(trace.names[trace.device_events[0].name] == "k_one");
  CHECK(trace.device_events[0].dur_ns == 3000);
  CHECK(trace.names[trace.device_events[1].name] == "k_two");
  CHECK(trace.device_events[1].dur_ns == 2500);
  CHECK(trace.device_events[1].start_ns - trace.summary.origin_ns == 4000);
}

}  // namespace

TEST_CASE("a whole file: summary, metadata, digest and progress") {
  class Fixed : public FileDigest {
    void update(std::span<const std::byte>) override {}
    std::string finish() override { return "abc"; }
  };
  AnalyzeOptions options;
  options.make_digest = [] { return std::make_unique<Fixed>(); };
  std::vector<std::uint64_t> progress;
  options.progress = [&](std::uint64_t done, std::uint64_t all) {
    progress.push_back(done);
    progress.push_back(all);
  };
  const std::string bytes = two_kernels()
                                .launch("cudaLaunchKernel", "10.000", "1.000", 1)
                                .member("deviceProperties", R"([{"id": 0, "name": "NVIDIA B200"}])")
                                .member("host_name", "\"secret\"")
                                .member_behind("baseTimeNanoseconds", "1760000000000000000")
                                .member_behind("distributedInfo", R"({"rank": 5, "world_size": 8})")
                                .object();
  Trace t = good(read_text(gzip(bytes), "t.json", options));
  check_two_kernels(t);
  CHECK(t.summary.origin_ns == 1'760'000'000'000'020'000);
  CHECK(t.launches[0].start_ns == 1'760'000'000'000'010'000);
  CHECK(t.summary.events == 3);
  CHECK(t.summary.kernels == 2);
  CHECK(t.summary.complete);
  CHECK_FALSE(t.summary.cut_at_byte.has_value());
  CHECK(t.summary.device_names == std::vector<std::string>{"NVIDIA B200"});
  CHECK(t.summary.world_size == 8);
  CHECK(t.scopes[0].rank == 5);
  CHECK(t.summary.notes.empty());
  REQUIRE(t.summary.files.size() == 1);
  CHECK(t.summary.files[0].name == "t.json");
  CHECK(t.summary.files[0].sha256 == "abc");
  std::uint64_t size = gzip(bytes).size();
  CHECK(t.summary.files[0].bytes == size);
  CHECK(progress == std::vector<std::uint64_t>{size, size});
}

TEST_CASE("damage of every kind costs at most its own event") {
  struct Damage {
    std::string bad;
    std::int64_t damaged;
    std::int64_t events;
  };
  const std::string head = R"({"ph":"X","cat":"python_function","name":")";
  const std::string tail = R"(","pid":9,"tid":9,"ts":1,"dur":2,"args":{"Python id":1}})";
  const std::vector<Damage> damages = {
      {head + R"(model\decode\_step.py(7): run)" + tail, 1, 3},
      {head + R"({"mode": "eager"}(3): call)" + tail, 1, 3},
      {head + R"(one "quote)" + tail, 1, 3},
      {head + "raw \x01\x02\xFF byte" + tail, 1, 3},
      {head + "invalid \xFF\xFE" + tail, 1, 3},
      {head + "line\nbreak" + tail, 1, 3},
      {head + R"(x","ts":nonsense,"y":")" + tail, 0, 3},  // of no use, so not read to its end
      {R"({"ph":"X","cat":"kernel","name":"half","ts":1)", 1, 3},
      {R"({"ph":"X","cat":"kernel","name":"half"nd","ts":1,"dur":1})", 1, 3},
      {R"({"ph":"X","cat":"kernel","name":"n","ts":1,"dur":1]})", 1, 3},
      {"}", 1, 2},
      {"?", 1, 2},
  };
  for (const Damage& damage : damages) {
    CAPTURE(damage.bad);
    for (int place = 0; place < 3; ++place) {
      TraceText text;
      if (place == 0) text.raw(damage.bad);
      text.kernel("k_one", "20.000", "3.000", 1);
      if (place == 1) text.raw(damage.bad);
      text.kernel("k_two", "24.000", "2.500", 2);
      if (place == 2) text.raw(damage.bad);
      CAPTURE(place);
      Trace t = good(read_text(text.object()));
      check_two_kernels(t);
      CHECK(t.summary.damaged_count == damage.damaged);
      CHECK(t.summary.events == damage.events);
      CHECK(t.summary.complete == (damage.damaged == 0));
      CHECK_FALSE(t.summary.cut_at_byte);
    }
  }
}

TEST_CASE("a damaged name of a kernel is repaired, and the place is told") {
  const std::string text = TraceText()
                               .kernel(
                                   "a\x01\xFF"
                                   "b",
                                   "1.000", "1.000")
                               .object();
  Trace t = good(read_text(text));
  CHECK(t.names[t.device_events[0].name] ==
        "a\xEF\xBF\xBD\xEF\xBF\xBD"
        "b");
  REQUIRE(t.summary.damaged.size() == 1);
  CHECK(t.summary.damaged[0].byte == text.find('\x01'));
  CHECK(t.summary.damaged[0].reason == "raw control character in a string");
}

TEST_CASE("a text cut anywhere keeps its whole events and says where it ends") {
  const std::string text = two_kernels().object();
  const std::size_t first_end = text.find("}}") + 2;
  const std::size_t second_end = text.rfind("}}") + 2;
  for (std::size_t cut = 1; cut < text.size() - 2; ++cut) {
    CAPTURE(cut);
    Result plain = read_text(text.substr(0, cut));
    if (cut < first_end) {
      REQUIRE_FALSE(plain.has_value());
      CHECK(plain.error().message.find(fmt::format("byte {} ", cut)) != std::string::npos);
      continue;
    }
    Trace t = good(std::move(plain));
    CHECK(t.device_events.size() == (cut < second_end ? 1U : 2U));
    CHECK_FALSE(t.summary.complete);
    CHECK(t.summary.cut_at_byte == cut);
    CHECK(t.summary.damaged_count == 0);
  }
}

TEST_CASE("a bare array may stay open, an object's may not") {
  std::string array = two_kernels().array();
  array.resize(array.rfind("}}") + 2);
  Trace t = good(read_text(array + ",\n"));
  check_two_kernels(t);
  CHECK(t.summary.complete);
  CHECK(has_note(t, "the array of events is not closed"));
  CHECK_FALSE(has_note(good(read_text(two_kernels().array())), "not closed"));
  const Result none = read_text(R"([{"ph":"X","cat":"cpu_op","name":"a","ts":1,"dur":1},)");
  REQUIRE_FALSE(none.has_value());
  CHECK(none.error().message.ends_with("not closed, so the file may be cut"));
  std::string object = two_kernels().object();
  object.resize(object.rfind("}}") + 2);
  t = good(read_text(object + ",\n"));
  check_two_kernels(t);
  CHECK_FALSE(t.summary.complete);
  CHECK(t.summary.cut_at_byte == object.size() + 2);
}

TEST_CASE("gzip that ends early, with a wrong checksum, or with a tail") {
  TraceText many;
  for (int i = 0; i < 3000; ++i) {
    many.kernel(fmt::format("k{}", i * 7919 % 3000), fmt::format("{}.000", i), "0.500", i);
  }
  const std::string packed = gzip(many.object());
  Trace t = good(read_text(packed.substr(0, packed.size() / 2)));
  CHECK_FALSE(t.summary.complete);
  CHECK(t.summary.device_events > 100);
  CHECK(t.summary.device_events < 2900);
  CHECK(has_note(t, "the gzip data end early"));

  std::string wrong = packed;
  wrong[wrong.size() - 6] ^= 1;
  t = good(read_text(wrong));
  CHECK(t.summary.device_events == 3000);
  CHECK_FALSE(t.summary.complete);
  CHECK_FALSE(t.summary.cut_at_byte.has_value());  // all of its text is there
  CHECK(has_note(t, "checksum"));

  t = good(read_text(packed + std::string(512, '\0')));
  CHECK(t.summary.device_events == 3000);
  CHECK(t.summary.complete);
  CHECK(has_note(t, "512 bytes behind the end of the gzip data were ignored"));
}

TEST_CASE("files are ranks: what the file says, its labels, its name, else unknown") {
  TempFolder folder;
  auto text = [](std::string_view rank) {
    TraceText t = two_kernels();
    if (!rank.empty()) t.member("distributedInfo", fmt::format("{{\"rank\": {}}}", rank));
    return t.object();
  };
  Paths paths = {write_file(folder.path(), "a-TP-6.json", text("1")),
                 write_file(folder.path(), "b-TP-3.json.gz", gzip(text(""))),
                 write_file(folder.path(), "c.json", text("")),
                 write_file(folder.path(), "d.json", text("5"))};
  Trace t = good(read_trace(paths, {}));
  REQUIRE(t.scopes.size() == 4);
  CHECK(t.scopes[0].rank == 1);
  CHECK(t.scopes[1].rank == 3);
  CHECK_FALSE(t.scopes[2].rank.has_value());
  CHECK(t.scopes[3].rank == 5);
  CHECK(t.scopes[3].file == 3);
  CHECK(t.summary.device_events == 8);
  CHECK(t.summary.duplicates == 0);
}

TEST_CASE("files that claim one rank are told apart by their names or their order") {
  TempFolder folder;
  const std::string text =
      two_kernels().member("distributedInfo", R"({"rank": 0, "world_size": 1})").object();
  const std::string front = TraceText()
                                .member("distributedInfo", R"({"rank": 0})")
                                .annotation("x", "1.0", "1.0")
                                .object();
  Trace t = good(read_trace(Paths{write_file(folder.path(), "front.json", front),
                                  write_file(folder.path(), "dp0_rank4.json", text),
                                  write_file(folder.path(), "dp1_rank5.json", text)},
                            {}));
  REQUIRE(t.scopes.size() == 3);
  CHECK(t.scopes[1].rank == 4);
  CHECK(t.scopes[2].rank == 5);
  CHECK(has_note(t, "dp0_rank4.json and dp1_rank5.json both say rank 0: the names of the files"));
  t = good(read_trace(
      Paths{write_file(folder.path(), "front.json", front),
            write_file(folder.path(), "b.json", text), write_file(folder.path(), "a.json", text)},
      {}));
  CHECK(t.scopes[1].rank == 0);
  CHECK(t.scopes[2].rank == 1);
  CHECK(has_note(t, "b.json and a.json both say rank 0: ranks are counted in the order"));
}

TEST_CASE("a merged file holds one rank a label") {
  TraceText text;
  text.member("distributedInfo", R"({"rank": 0, "world_size": 2})");
  for (const char* label : {"TP01-EP01", "TP00-EP00"}) {
    std::string device = fmt::format("\"[{}] 0\"", label);
    text.add({.name = "k",
              .ts = "5.0",
              .dur = "1.0",
              .pid = device,
              .args = R"("device": 0, "stream": 7, "correlation": 9)"});
    text.add({.cat = "cuda_runtime",
              .name = "cudaLaunchKernel",
              .ts = "1.0",
              .dur = "1.0",
              .pid = fmt::format("\"[{}] 4321\"", label),
              .tid = "4321",
              .args = R"("correlation": 9)"});
  }
  Trace t = good(read_text(text.object()));
  REQUIRE(t.scopes.size() == 2);
  CHECK(t.scopes[1].rank == 1);
  CHECK(t.device_events.size() == 2);
  REQUIRE(t.launches.size() == 2);
  CHECK(t.launches[0].scope == 0);
  CHECK(t.launches[1].scope == 1);
}

TEST_CASE("of several files, one without device work is left out and named") {
  TempFolder folder;
  Paths paths = {
      write_file(folder.path(), "front.json", TraceText().annotation("x", "1.0", "1.0").object()),
      write_file(folder.path(), "rank0.json", two_kernels().object())};
  Trace t = good(read_trace(paths, {}));
  check_two_kernels(t);
  CHECK(t.summary.files.size() == 2);
  CHECK(has_note(t, "left out: front.json: no GPU activity: CPU-only profile"));
  paths.push_back(write_file(folder.path(), "empty.json", ""));
  check_fault(read_trace(paths, {}), AnalyzeFault::empty);
}

TEST_CASE("files without device work: the reason") {
  check_fault(read_text(""), AnalyzeFault::empty);
  check_fault(read_text(gzip("")), AnalyzeFault::empty);
  check_fault(read_text("hello"), AnalyzeFault::no_trace);
  check_fault(read_text("{}"), AnalyzeFault::no_trace);
  check_fault(read_text("[]"), AnalyzeFault::no_trace);
  check_fault(read_text(TraceText().object()), AnalyzeFault::no_trace);
  check_fault(read_text("[[1, 2], [3, 4]]"), AnalyzeFault::unsupported_format);
  check_fault(read_text(R"({"rocprofiler-sdk-tool": [{}]})"), AnalyzeFault::no_device_events);
  check_fault(read_text(TraceText().annotation("x", "1", "1").object()), AnalyzeFault::cpu_only);
  check_fault(read_text(TraceText().launch("cudaLaunchKernel", "1", "1", 1).object()),
              AnalyzeFault::capture_only);
  check_fault(read_text(TraceText().annotation("capture_32_DECODE", "1", "1").object()),
              AnalyzeFault::capture_only);
  check_fault(read_text(TraceText().launch("cudaMalloc", "1", "1", 1).object()),
              AnalyzeFault::no_device_events);
  Result refused = read_text(TraceText().kernel("k", "1", "null").kernel("k", "1", "-1").object());
  check_fault(refused, AnalyzeFault::no_device_events);
  CHECK(refused.error().message ==
        "t.json: every device event was refused (1 without a duration, 1 negative, 0 without a "
        "time, 0 malformed); record the trace again");
  check_fault(read_text(std::string("\x1F\x8B\x08\x00", 4)), AnalyzeFault::no_trace);
  Paths missing = {"no/such/file.json"};
  check_fault(read_trace(missing, {}), AnalyzeFault::unreadable);
}

TEST_CASE("limits end a reading") {
  AnalyzeOptions options;
  options.names_max = 1;
  check_fault(read_text(two_kernels().object(), "t.json", options), AnalyzeFault::limit);
  options = {};
  options.text_bytes_max = 100;
  check_fault(read_text(two_kernels().object(), "t.json", options), AnalyzeFault::limit);
}

TEST_CASE("whole microseconds are said, decimals are not") {
  CHECK(has_note(good(read_text(TraceText().kernel("k", "1700000000000020", "3").object())),
                 "times are whole microseconds"));
  CHECK_FALSE(has_note(good(read_text(TraceText().kernel("k", "20.000", "3.000").object())),
                       "times are whole microseconds"));
  TempFolder folder;
  Paths paths;
  for (const char* name : {"TP-0.json", "TP-1.json", "TP-2.json"}) {
    const bool whole = paths.size() < 2;
    paths.push_back(write_file(folder.path(), name,
                               TraceText().kernel("k", whole ? "20" : "20.5", "3").object()));
  }
  const auto ranks = read_trace(paths, {});
  REQUIRE(ranks.has_value());
  CHECK(has_note(*ranks, "2 of 3 files: times are whole microseconds"));
}

TEST_CASE("the result does not depend on how many threads read, and progress only grows") {
  TempFolder folder;
  Paths paths;
  for (int rank = 0; rank < 7; ++rank) {
    TraceText text = two_kernels();
    for (int i = 0; i < 400; ++i) {
      text.kernel(fmt::format("k_{}", (i * (rank + 3)) % 50), fmt::format("{}.5", 40 + i * 5),
                  "3.125", 100 + i);
    }
    text.member("distributedInfo", fmt::format("{{\"rank\": {}}}", 6 - rank));
    paths.push_back(write_file(folder.path(), fmt::format("r{}.json", rank), text.object()));
  }
  std::vector<Trace> traces;
  for (const std::size_t threads : {1, 2, 5, 16}) {
    AnalyzeOptions options;
    options.threads_max = threads;
    std::uint64_t last = 0;
    std::uint64_t last_known = 0;
    options.progress = [&](std::uint64_t read, std::uint64_t known) {
      CHECK(read > last);
      last = read;
      last_known = known;
    };
    traces.push_back(good(read_trace(paths, options)));
    CHECK(last == last_known);
  }
  const Trace& one = traces.front();
  REQUIRE(one.device_events.size() == 7 * 402);
  for (const Trace& other : traces) {
    CHECK(other.names == one.names);
    REQUIRE(other.device_events.size() == one.device_events.size());
    for (std::size_t i = 0; i < one.device_events.size(); ++i) {
      const DeviceEvent& a = one.device_events[i];
      const DeviceEvent& b = other.device_events[i];
      REQUIRE(std::tie(a.start_ns, a.dur_ns, a.name, a.timeline, a.correlation) ==
              std::tie(b.start_ns, b.dur_ns, b.name, b.timeline, b.correlation));
    }
    for (std::size_t i = 0; i < one.scopes.size(); ++i) {
      CHECK(other.scopes[i].rank == static_cast<int>(6 - i));
    }
  }
}

TEST_CASE("of several broken files the first is the one that is named, whoever read it") {
  TempFolder folder;
  Paths paths;
  for (int i = 0; i < 12; ++i) {
    const std::string text = i < 4 ? two_kernels().object() : i == 4 ? "no trace" : "";
    paths.push_back(write_file(folder.path(), fmt::format("f{:02}.json", i), text));
  }
  for (const std::size_t threads : {1, 4, 16}) {
    AnalyzeOptions options;
    options.threads_max = threads;
    const Result result = read_trace(paths, options);
    check_fault(result, AnalyzeFault::no_trace);
    CHECK(result.error().message.starts_with("f04.json: "));
  }
}
