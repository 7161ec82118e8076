#include "tests/support/trace_text.h"

#include <isa-l/igzip_lib.h>

#include <cstdint>
#include <fstream>
#include <stdexcept>

namespace stepscope::tests {

TraceText& TraceText::member(std::string_view key, std::string_view json) {
  before_ += "\"" + std::string(key) + "\": " + std::string(json) + ", ";
  return *this;
}

TraceText& TraceText::member_behind(std::string_view key, std::string_view json) {
  behind_ += ", \"" + std::string(key) + "\": " + std::string(json);
  return *this;
}

TraceText& TraceText::raw(std::string_view element) {
  events_.emplace_back(element);
  return *this;
}

TraceText& TraceText::add(const EventText& e) {
  return raw("{\"ph\": \"X\", \"cat\": \"" + e.cat + "\", \"name\": \"" + e.name +
             "\", \"pid\": " + e.pid + ", \"tid\": " + e.tid + ", \"ts\": " + e.ts +
             ", \"dur\": " + e.dur + ", \"args\": {" + e.args + "}}");
}

TraceText& TraceText::kernel(std::string_view name, std::string_view ts, std::string_view dur,
                             int correlation) {
  return add({.name = std::string(name),
              .ts = std::string(ts),
              .dur = std::string(dur),
              .args = "\"device\": 0, \"context\": 1, \"stream\": 7, \"correlation\": " +
                      std::to_string(correlation)});
}

TraceText& TraceText::launch(std::string_view name, std::string_view ts, std::string_view dur,
                             int correlation) {
  return add({.cat = "cuda_runtime",
              .name = std::string(name),
              .ts = std::string(ts),
              .dur = std::string(dur),
              .pid = "100",
              .tid = "100",
              .args = "\"cbid\": 211, \"correlation\": " + std::to_string(correlation)});
}

TraceText& TraceText::annotation(std::string_view name, std::string_view ts, std::string_view dur) {
  return add({.cat = "user_annotation",
              .name = std::string(name),
              .ts = std::string(ts),
              .dur = std::string(dur),
              .pid = "100",
              .tid = "100",
              .args = "\"External id\": 1"});
}

std::string TraceText::joined() const {
  std::string text;
  for (const std::string& event : events_) {
    if (!text.empty()) text += ",\n";
    text += event;
  }
  return text;
}

std::string TraceText::object() const {
  return "{" + before_ + "\"traceEvents\": [\n" + joined() + "\n]" + behind_ + "}\n";
}

std::string TraceText::array() const { return "[\n" + joined() + "\n]\n"; }

std::string gzip(std::string_view text) {
  std::string in(text);
  std::string out(in.size() + in.size() / 8 + 1024, '\0');
  isal_zstream stream;
  isal_deflate_stateless_init(&stream);
  stream.gzip_flag = IGZIP_GZIP;
  stream.next_in = reinterpret_cast<std::uint8_t*>(in.data());
  stream.avail_in = static_cast<std::uint32_t>(in.size());
  stream.next_out = reinterpret_cast<std::uint8_t*>(out.data());
  stream.avail_out = static_cast<std::uint32_t>(out.size());
  stream.end_of_stream = 1;
  if (isal_deflate_stateless(&stream) != COMP_OK) throw std::runtime_error("gzip failed");
  out.resize(stream.total_out);
  return out;
}

std::filesystem::path write_file(const std::filesystem::path& folder, std::string_view name,
                                 std::string_view bytes) {
  std::filesystem::path path = folder / name;
  std::ofstream file(path, std::ios::binary);
  file.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  if (!file) throw std::runtime_error("can not write " + path.string());
  return path;
}

}  // namespace stepscope::tests
