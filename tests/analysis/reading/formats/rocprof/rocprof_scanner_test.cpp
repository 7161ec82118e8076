#include "analysis/reading/formats/rocprof/rocprof_scanner.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "tests/support/rocprof_text.h"

using namespace stepscope::analysis;
using namespace stepscope::tests;

namespace {

class Log : public RocprofSink {
 public:
  bool on_record(RocprofList list, std::string_view text) override {
    entries.push_back(std::to_string(static_cast<int>(list)) + std::string(text));
    return text.find("refuse") == std::string_view::npos;
  }
  void on_process_end() override { entries.emplace_back("end"); }
  void on_damage(std::uint64_t byte, std::string_view reason, RocprofList lost) override {
    damage.push_back(std::to_string(byte) + " " + std::to_string(static_cast<int>(lost)) + " " +
                     std::string(reason));
  }
  std::vector<std::string> entries;
  std::vector<std::string> damage;
};

struct Scan {
  std::vector<std::string> entries;
  std::vector<std::string> damage;
  bool complete = false;
  bool saw_records = false;
};

Scan scan(std::string_view text, std::size_t block) {
  Log log;
  RocprofScanner scanner(log);
  for (std::size_t at = 0; at < text.size(); at += block) scanner.feed(text.substr(at, block));
  scanner.finish();
  CHECK(scanner.text_bytes() == text.size());
  return {log.entries, log.damage, scanner.complete(), scanner.saw_records()};
}

// In blocks of every kind of size, always with one result.
Scan scan(std::string_view text) {
  Scan whole = scan(text, text.size() + 1);
  for (const std::size_t block : {1U, 7U, 300U}) {
    const Scan parts = scan(text, block);
    CHECK(parts.entries == whole.entries);
    CHECK(parts.damage == whole.damage);
    CHECK(parts.complete == whole.complete);
  }
  return whole;
}

// Numbers of the lists, as the log writes them.
const std::string kMetadata = "1";
const std::string kAgent = "2";
const std::string kSymbol = "3";
const std::string kKind = "4";
const std::string kMarker = "5";
const std::string kDispatch = "6";
const std::string kCopy = "7";
const std::string kCall = "8";

std::string tool(std::string_view process) {
  return "{\"rocprofiler-sdk-tool\": [{" + std::string(process) + "}]}";
}

}  // namespace

TEST_CASE("the lists of a process, wherever they stand; other values are passed over") {
  const Scan all = scan(
      "\xEF\xBB\xBF { \"x\": [1, {\"agents\": [5]}], \"rocprofiler-sdk-tool\" : [ {"
      "\"counters\": [{\"id\": 3}], \"metadata\": {\"pid\": 4}, \"agents\": [{\"size\": 1}],"
      "\"strings\": {\"callback_records\": [{\"kind\": 0}], \"buffer_records\": [{\"kind\": "
      "\"K\"}],"
      "\"marker_api\": [{\"key\": 1}]}, \"kernel_symbols\": [ {\"s\": \"]}\"} , {} ],"
      "\"buffer_records\": {\"kernel_dispatch\": [{\"d\": {\"e\": []}}], \"rccl_api\": [{\"r\": "
      "1}],"
      "\"memory_copy\": [{\"c\": 1}], \"hip_api\": []}} ] } \n");
  CHECK(all.entries ==
        std::vector<std::string>{kMetadata + "{\"pid\": 4}", kAgent + "{\"size\": 1}",
                                 kKind + "{\"kind\": \"K\"}", kMarker + "{\"key\": 1}",
                                 kSymbol + "{\"s\": \"]}\"}", kSymbol + "{}",
                                 kDispatch + "{\"d\": {\"e\": []}}", kCopy + "{\"c\": 1}", "end"});
  CHECK(all.damage.empty());
  CHECK(all.complete);
  CHECK(all.saw_records);
}

TEST_CASE("several processes, and one without the outer array") {
  const std::string one = "{\"agents\": [{\"a\": 1}]}";
  const std::string two = "{\"agents\": [{\"a\": 2}]}";
  CHECK(scan("{\"rocprofiler-sdk-tool\": [" + one + ", " + two + "]}").entries ==
        std::vector<std::string>{kAgent + "{\"a\": 1}", "end", kAgent + "{\"a\": 2}", "end"});
  const Scan single = scan("{\"rocprofiler-sdk-tool\": " + one + ", \"more\": 1}");
  CHECK(single.entries == std::vector<std::string>{kAgent + "{\"a\": 1}", "end"});
  CHECK(single.complete);
  CHECK_FALSE(single.saw_records);
}

TEST_CASE("a broken record costs that record") {
  const std::string before =
      "{\"rocprofiler-sdk-tool\": [{\"buffer_records\": {\"kernel_dispatch\": [";
  const std::string good = "{\"size\": 1, \"h\": {\"handle\": 2}}";
  const std::string bad = "{\"size\": 1, \"n\": \"a\"b\"}";
  const std::string call = "{\"size\": 3}";
  const Scan all =
      scan(before + good + "," + bad + "," + good + "], \"hip_api\": [" + call + "]}}]}");
  CHECK(all.entries ==
        std::vector<std::string>{kDispatch + good, kDispatch + good, kCall + call, "end"});
  // The b stands behind the closing quote: 1 brace, 10 of size, and so on, counted by find().
  const std::size_t at = (before + good + ",").size() + bad.find("b\"");
  CHECK(all.damage ==
        std::vector<std::string>{std::to_string(at) +
                                 " 6 text behind a closing quote (unescaped quotes in a string?)"});
  CHECK(all.complete);
}

TEST_CASE(
    "the last record of a list is broken: the next list is found, records of others are not "
    "taken") {
  const Scan all =
      scan(tool("\"buffer_records\": {\"kernel_dispatch\": [{\"size\": 1, \"x\": }],"
                "\"memory_allocation\": [{\"size\": 2}], \"hip_api\": [{\"size\": 3}]}"));
  CHECK(all.entries == std::vector<std::string>{kCall + "{\"size\": 3}", "end"});
  CHECK(all.damage.size() == 1);
}

TEST_CASE("damage outside of the lists: what is known by name is found again") {
  const Scan all =
      scan(tool("\"metadata\": {\"pid\": 4, \"command\": [\"a\\q\"]}, \"agents\": [{\"size\": 1}],"
                "\"buffer_records\": {\"kernel_dispatch\": [{\"size\": 5}]}"));
  CHECK(all.entries ==
        std::vector<std::string>{kAgent + "{\"size\": 1}", kDispatch + "{\"size\": 5}", "end"});
  REQUIRE(all.damage.size() == 1);
  CHECK(all.damage[0].ends_with("illegal escape in a string"));
  CHECK(all.complete);
}

TEST_CASE("a record that the sink can not read, and one with a control character") {
  const Scan all = scan(tool("\"agents\": [{\"a\": \"refuse\"}, {\"a\": \"\x01\"}, {\"a\": 3}]"));
  CHECK(all.entries.size() == 4);
  CHECK(all.damage == std::vector<std::string>{"38 2 a record that can not be read",
                                               "62 0 raw control character in a string"});
}

TEST_CASE("a text that ends early is not complete, at whatever byte") {
  RocprofText text;
  text.dispatch(1, 10, 20).call(1, 1, 2, 3).symbol(1, "k");
  const std::string whole = text.file();
  CHECK(scan(whole, 64).complete);
  for (std::size_t size = 1; size + 2 < whole.size(); ++size) {
    CHECK_FALSE(scan(std::string_view(whole).substr(0, size), 64).complete);
  }
}

TEST_CASE("limits: a record of more than 16 MiB, nesting") {
  const std::string long_name(RocprofScanner::kRecordBytesMax + (1U << 19), 'a');
  const Scan all = scan(
      tool("\"kernel_symbols\": [{\"size\": \"" + long_name + "\"}, {\"size\": 2}]"), 1U << 18);
  CHECK(all.damage == std::vector<std::string>{"46 3 a record longer than 16 MiB"});
  const Scan deep = scan(tool("\"x\": " + std::string(100'000, '[')), 1U << 18);
  REQUIRE(deep.damage.size() == 1);
  CHECK(deep.damage[0].ends_with("nested deeper than 128 levels"));
}
