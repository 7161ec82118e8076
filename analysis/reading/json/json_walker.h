#pragma once
// A strict walk over one JSON value that can stop and go on at any byte, so it needs no memory for
// the text. The scanner uses it where its fast way sees something odd: it names the first fault.

#include <array>
#include <bitset>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace stepscope::analysis {

class JsonWalker {
 public:
  static constexpr std::size_t kDepthMax = 128;  // objects and arrays inside one another

  enum class Outcome { more, done, broken };

  // `objects` false: an object makes the value broken.
  void reset(bool objects = true);

  // Goes on at text[pos] and moves pos. done: pos is behind the value (of a number: at what ends
  // it). broken: the text is no JSON, see fault().
  Outcome walk(std::string_view text, std::size_t& pos);

  struct Fault {
    std::uint64_t offset = 0;  // from the first byte of the value
    std::string_view reason;
  };
  const Fault& fault() const { return fault_; }
  // The first raw control character or invalid UTF-8 in a string; the value is usable all the same.
  const std::optional<Fault>& blemish() const { return blemish_; }

 private:
  enum class State : std::uint8_t {
    value,       // a value must come
    first_item,  // behind [: a value or ]
    first_key,   // behind {: a name or }
    key,         // behind a comma in an object
    colon,
    after_value,
    string,
    escape,
    hex,
    scalar,
    finished,
  };

  Outcome step(char c);
  Outcome begin_value(char c);
  Outcome open(bool object);
  Outcome close(bool object);
  Outcome end_value();
  Outcome after_value(char c);
  Outcome end_scalar();
  Outcome in_string(char c);
  Outcome broken(std::string_view reason);
  void blemish(std::uint64_t offset, std::string_view reason);
  void utf8_byte(char c);
  bool token_valid() const;

  State state_ = State::value;
  bool objects_allowed_ = true;
  bool key_string_ = false;    // the string being read is a name
  bool after_string_ = false;  // the last value was a string
  bool consumed_ = true;       // false: step() looked at the byte but it belongs to what follows
  bool digits_only_ = true;    // the scalar holds number characters only
  std::uint8_t hex_left_ = 0;
  std::size_t depth_ = 0;
  std::bitset<kDepthMax> objects_;  // by depth: an object, not an array
  std::uint64_t offset_ = 0;
  std::uint64_t token_offset_ = 0;
  std::string token_;              // a scalar's first characters
  std::array<char, 4> pending_{};  // an unfinished UTF-8 sequence
  std::size_t pending_size_ = 0;
  std::size_t pending_length_ = 0;
  Fault fault_;
  std::optional<Fault> blemish_;
};

}  // namespace stepscope::analysis
