#include "analysis/reading/formats/format_guess.h"

#include <doctest/doctest.h>

#include <string>
#include <string_view>

using namespace stepscope::analysis;
using namespace std::string_view_literals;

namespace {

void check_refused(std::string_view head, const std::string& file, AnalyzeFault fault,
                   std::string_view words) {
  CAPTURE(words);
  auto refused = refuse_text(head, file);
  REQUIRE(refused.has_value());
  CHECK(refused->fault == fault);
  CHECK(refused->message.starts_with(file + ": "));
  CHECK(refused->message.find(words) != std::string::npos);
  CHECK(refused->message.find('\n') == std::string::npos);
}

}  // namespace

TEST_CASE("text that may be JSON is not refused, nor are databases") {
  CHECK_FALSE(refuse_text("SQLite format 3\0...."sv, "x.rpd").has_value());
  for (std::string_view head : {"{", "[", " \r\n\t{\"a\"", "\xEF\xBB\xBF[1"}) {
    CHECK_FALSE(refuse_text(head, "x").has_value());
  }
}

TEST_CASE("other formats are named") {
  auto format = AnalyzeFault::unsupported_format;
  check_refused("", "x.json", AnalyzeFault::empty, "the file is empty");
  check_refused("PK\x03\x04....", "x.zip", format, "a zip archive");
  check_refused("\x1F\x8B\x08...", "x.gz.gz", format, "gzip inside of gzip");
  check_refused("\n\xA1\xF0\x08\x12\x0E/host:metadata\"", "x.pb", format, "an XPlane protobuf");
  check_refused("\n\x05\x01\x02\x03", "x.pftrace", format, "a Perfetto protobuf");
  check_refused("\x01\x02\x03", "a.nsys-rep", format, "an Nsight Systems report");
  check_refused("\x01\x02\x03", "a.bin", AnalyzeFault::no_trace, "binary data");
  check_refused("<html>", "a.html", AnalyzeFault::no_trace, "a web page, so no trace");
  check_refused("step 1 done\n", "a.log", AnalyzeFault::no_trace, "text that is no JSON");
  check_refused("   \n", "a.json", AnalyzeFault::no_trace, "text that is no JSON");
}

TEST_CASE("JSON without device events: the reason") {
  FileFacts facts;
  auto fault = [&](bool saw_events = true) { return refuse_events(facts, saw_events, "f")->fault; };
  auto says = [&](std::string_view words, bool saw_events = true) {
    return refuse_events(facts, saw_events, "f")->message.find(words) != std::string::npos;
  };
  CHECK(fault(false) == AnalyzeFault::no_trace);
  CHECK(says("JSON without an array \"traceEvents\"", false));
  CHECK(fault() == AnalyzeFault::no_trace);
  CHECK(says("the trace has no events"));

  facts.keys = {"schema", "pid", "nodes"};
  CHECK(fault(false) == AnalyzeFault::unsupported_format);
  CHECK(says("execution trace", false));
  facts.keys = {"rocprofiler-sdk-tool"};
  CHECK(fault(false) == AnalyzeFault::no_device_events);
  CHECK(says("rocprofv3 JSON without kernel dispatches", false));
  facts.keys.clear();

  facts.events = 3;
  facts.list_elements = true;
  CHECK(fault() == AnalyzeFault::unsupported_format);
  CHECK(says("memory timeline"));
  facts.objects = 2;
  CHECK(fault() == AnalyzeFault::cpu_only);
  facts.launches = 5;
  CHECK(fault() == AnalyzeFault::no_device_events);
  facts.kernel_launches = 4;
  CHECK(fault() == AnalyzeFault::capture_only);
  CHECK(says("4 launches but no device work"));
  facts.kernel_launches = 0;
  facts.capture_markers = true;
  CHECK(fault() == AnalyzeFault::capture_only);
  facts.profiler_ranges = true;
  CHECK(says("CUPTI range profiler"));
  facts.device_events = 1;
  CHECK_FALSE(refuse_events(facts, true, "f").has_value());
}
