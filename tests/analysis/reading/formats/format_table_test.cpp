#include "analysis/reading/formats/format_table.h"

#include <doctest/doctest.h>

#include <string>
#include <string_view>

using namespace stepscope::analysis;
using namespace std::string_view_literals;

namespace {

std::string_view what(std::string_view head, const std::string& file = "x") {
  const OtherFormat* format = other_format(head, file);
  if (format == nullptr) return "nothing";
  CHECK_FALSE(format->advice.empty());
  return format->what;
}

}  // namespace

TEST_CASE("formats by their first bytes") {
  CHECK(what("\x28\xB5\x2F\xFD\x04"sv) == "packed with zstd");
  CHECK(what("\xFD\x37zXZ\0\0"sv) == "packed with xz");
  CHECK(what("BZh91AY") == "packed with bzip2");
  CHECK(what("7z\xBC\xAF\x27\x1C") == "a 7z archive");
  CHECK(what(std::string(257, 'a') + "ustar") == "a tar archive");
  CHECK(what("NVIDIA Tegra Profiler Report 2025@3") == "an Nsight Systems report");
  CHECK(what("NVR\0\0"sv).starts_with("an Nsight Compute report"));
  CHECK(what("\x80\x04\x95\x01"sv).starts_with("a Python pickle"));
  CHECK(what("\x7F"
             "ELF\x02") == "a program or library (ELF)");
  CHECK(what("\x89PNG\r\n") == "a picture (PNG)");
  CHECK(what("%PDF-1.7") == "a PDF document");
  CHECK(what("version https://git-lfs.github.com/spec/v1\noid sha256:1\n") ==
        "a pointer of Git LFS and not the file it stands for");
  CHECK(what("\xFF\xFE{\0\"\0"sv) == "text in UTF-16");
}

TEST_CASE("formats by their shape") {
  CHECK(what("\n\x14\x12\x12/device:GPU:0 xxxx") == "an XPlane protobuf (JAX, TensorFlow)");
  CHECK(what("\n\x04\x40\x05\x50\x01\n\x02\x50\x01"sv) == "a Perfetto protobuf");
  CHECK(what("\x18\0\0\0\0\0\0\0\xA3\x7F\x4B\x22\x09\0\0\x80\x1A\x0D"
             "brain.Event:2"sv) == "an event file of TensorBoard, which has no timeline");
  CHECK(what("  <!DOCTYPE html><html>") == "a web page");
  CHECK(what("<HTML>") == "a web page");
  CHECK(what("<?xml version=\"1.0\"?>") == "XML");
  CHECK(what("{\"a\": 1}\n{\"a\": 2}\n") == "JSON lines (one object a line)");
  CHECK(what("Name,Calls,\"a,b\"\nk,1,2\n") == "comma-separated values");
}

TEST_CASE("formats by name, for bytes that nobody knows") {
  CHECK(what("\x01\x02", "a.qdrep") == "an Nsight Systems report");
  CHECK(what("\x01\x02", "a.ncu-rep") == "an Nsight Compute report");
  CHECK(what("\x01\x02", "a.bin") == "nothing");
  CHECK(what("{\"traceEvents\": []}", "a.qdrep") == "nothing");
}

TEST_CASE("what may be a trace, or is plain text, is nothing of these") {
  for (std::string_view head :
       {"{"sv, "[\n{},\n{}\n"sv, "{\"traceEvents\": []}\n{}"sv,
        " {\"a\": 1, \"b\": 2, \"c\": [\n1, 2, 3, 4"sv,
        "\xEF\xBB\xBF[{\"a\":1,\"b\":2,\"c\":3},\n{\"a\":1,\"b\":2,\"c\":3},\n"sv,
        "a log line\nand another\n"sv, "one, two\nthree\n"sv, ""sv, "{\"a\": 1}\n"sv,
        "{\"a\": 1} trailing"sv}) {
    CAPTURE(head);
    CHECK(what(head) == "nothing");
  }
}

TEST_CASE("what files are packed with may hold traces") {
  CHECK(other_format("PK\x03\x04", "x")->holds_files);
  CHECK(other_format("\x1F\x8B\x08", "x")->holds_files);
  CHECK_FALSE(other_format("\x89PNG", "x")->holds_files);
}

TEST_CASE("binary: control characters that text does not have") {
  CHECK(is_binary("a\x01"));
  CHECK_FALSE(is_binary("\x1B[31mred\x1B[0m\r\n\tx\xC3\xA4"));
}
