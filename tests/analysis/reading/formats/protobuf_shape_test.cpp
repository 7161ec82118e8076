#include "analysis/reading/formats/protobuf_shape.h"

#include <doctest/doctest.h>

#include <string>
#include <string_view>

using namespace stepscope::analysis;
using namespace std::string_literals;

namespace {

// A field of bytes: tag, length of less than 16384, bytes.
std::string bytes_field(int number, const std::string& bytes) {
  std::string out(1, static_cast<char>(number * 8 + 2));
  if (bytes.size() < 128) return out + static_cast<char>(bytes.size()) + bytes;
  out += static_cast<char>(bytes.size() % 128 + 128);
  return out + static_cast<char>(bytes.size() / 128) + bytes;
}

std::string varint_field(int number, int value) {  // both small
  return {static_cast<char>(number * 8), static_cast<char>(value)};
}

}  // namespace

TEST_CASE("planes with a name in plain text are an XPlane, also when the first one is cut") {
  const std::string plane = varint_field(1, 3) + bytes_field(2, "/device:GPU:0") +
                            bytes_field(3, std::string(500, '\x01'));
  CHECK(is_xplane(bytes_field(1, plane) + bytes_field(1, bytes_field(2, "/host:CPU"))));
  CHECK(is_xplane(bytes_field(1, plane).substr(0, 100)));
  CHECK(is_xplane("\n\xA1\xF0\x08\x12\x0E/host:metadata\""s));
  CHECK_FALSE(is_perfetto(bytes_field(1, plane)));
}

TEST_CASE("packets with a time or the number of a sequence are a Perfetto trace") {
  const std::string packet = varint_field(8, 100) + bytes_field(6, "\x0A\x02\x08\x06");
  CHECK(is_perfetto(bytes_field(1, packet) + bytes_field(1, varint_field(10, 1))));
  CHECK(is_perfetto(bytes_field(1, packet + bytes_field(4, std::string(300, 'x'))).substr(0, 200)));
  CHECK_FALSE(is_xplane(bytes_field(1, packet)));
}

TEST_CASE("a line break, text and damage are neither") {
  for (const std::string& text :
       {""s, "\n"s, "\n\n\n{\"a\": 1}"s, "\n[1, 2]"s, "\nhello world, this is text"s,
        "\n\x05\x01\x02\x03"s, "\n\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF"s,
        bytes_field(1, "\xFF\xFF\xFF"), bytes_field(2, varint_field(8, 1))}) {
    CAPTURE(text);
    CHECK_FALSE(is_xplane(text));
    CHECK_FALSE(is_perfetto(text));
  }
}
