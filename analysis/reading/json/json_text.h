#pragma once
// Pieces of JSON text that lie whole in memory: decoding of strings, and a strict forward cursor
// over one object. Both only look at the text they are given; what they return points into it.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace stepscope::analysis {

// Appends `raw` (what stands between the quotes) to `out` as valid UTF-8: escapes are resolved;
// lone surrogates, invalid UTF-8 and raw control characters become U+FFFD.
void append_decoded(std::string_view raw, std::string& out);

// Length of the well-formed UTF-8 sequence (more than one byte) at the start of `text`, 0 when
// there is none.
std::size_t utf8_sequence(std::string_view text);

inline bool is_json_blank(char c) { return c == ' ' || c == '\n' || c == '\r' || c == '\t'; }

struct JsonValue {
  enum class Kind : std::uint8_t { none, null, string, scalar, container };
  Kind kind = Kind::none;
  std::string_view text;  // string: between the quotes, not decoded; container: with its brackets
};

// Goes over the keys of one object (or of an object inside it). A call that finds text that is not
// JSON makes failed() true and ends the walk.
class JsonCursor {
 public:
  // `escapes` false promises that no string holds a backslash. `known`: an object inside of the
  // text whose ends are known, so that it need not be searched for its end; empty: none.
  JsonCursor(std::string_view text, bool escapes, std::string_view known = {})
      : text_(text), known_(known), escapes_(escapes) {}

  bool enter_object();                   // consumes '{' if it comes next
  bool next_key(std::string_view& key);  // false behind the closing brace and on failure
  JsonValue value();                     // of the key just read
  bool at_object();                      // the value that comes next is an object
  bool failed() const { return failed_; }
  bool at_end();  // only blanks are left

 private:
  bool fail();
  void skip_blanks();
  bool read_string(std::string_view& out);
  bool skip_container();
  JsonValue read_scalar();

  std::string_view text_;
  std::string_view known_;
  std::size_t pos_ = 0;
  bool escapes_;
  bool failed_ = false;
  bool first_ = true;  // no key of the current object was read yet
};

}  // namespace stepscope::analysis
