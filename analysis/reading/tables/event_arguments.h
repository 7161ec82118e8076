#pragma once
// The arguments of an event beyond those that place it: what a kernel was launched with, which
// operator launched it, and the sizes that operators worked on. Values point into the event's text;
// the table owns the combinations it interned, whose ids stay valid until take().

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/reading/event_table.h"
#include "analysis/reading/json/json_text.h"
#include "analysis/reading/tables/name_table.h"

namespace stepscope::analysis {

enum class Argument : std::uint8_t {
  // those of KernelArgs
  grid,
  block,
  collective,
  group,
  group_ranks,
  dtype,
  in_elements,
  out_elements,
  // of a kernel and of its operator
  external_id,
  // of an operator
  input_dims,
};

// Which argument a key of "args" names.
std::optional<Argument> argument_of_key(std::string_view key);

// Of one event at a time: clear() forgets what the last one had.
class ArgumentValues {
 public:
  void clear() { seen_ = 0; }
  void set(Argument argument, const JsonValue& value) {
    values_[static_cast<std::size_t>(argument)] = value;
    seen_ |= 1U << static_cast<unsigned>(argument);
  }
  // The same when the key names one of the above.
  void keep(std::string_view key, const JsonValue& value);
  // kind none: the event has none.
  JsonValue get(Argument argument) const;
  std::uint32_t external_id() const;  // 0: none, or one of more than 32 bits
  // In the form of "[[4, 7168], [7168, 2112]]"; empty: none there, or too many.
  std::string input_dims() const;

  // Whether one of KernelArgs is there, and all of them as one text for comparing.
  bool describes_kernel() const;
  void append_key(std::string& key) const;

 private:
  std::array<JsonValue, 10> values_;
  std::uint32_t seen_ = 0;  // bit by Argument
};

// Whether the sizes of an operator's inputs are worth keeping: matrix products and attention.
bool is_sized_operator(std::string_view name);

// Interned KernelArgs, compared by the text in the file: a known combination costs one look-up.
class KernelArgsTable {
 public:
  static constexpr std::size_t kCombinationsMax = 1'000'000;
  static constexpr std::size_t kKeyBytesMax = 16U << 10;   // of one combination
  static constexpr std::size_t kTextBytesMax = 64U << 20;  // of all

  explicit KernelArgsTable(std::size_t combinations_max = kCombinationsMax);

  // 0 when there are none, and for a new combination beyond the limits.
  ArgsId intern(const ArgumentValues& values);
  // Takes over what `other` has; the result says which id of `other` became which.
  std::vector<ArgsId> absorb(KernelArgsTable&& other);
  bool left_out() const { return left_out_; }
  std::vector<KernelArgs> take() { return std::move(args_); }

 private:
  NameTable keys_;  // ids are those of args_
  std::vector<KernelArgs> args_;
  std::string key_;
  bool left_out_ = false;
};

}  // namespace stepscope::analysis
