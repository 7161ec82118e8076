#include "analysis/reading/tables/event_arguments.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include "analysis/reading/json/decimal_time.h"

namespace stepscope::analysis {

namespace {

using Kind = JsonValue::Kind;

constexpr std::size_t kDimsBytesMax = 4096;
constexpr std::uint32_t kKernelArguments = (1U << static_cast<unsigned>(Argument::external_id)) - 1;

std::uint32_t bit(Argument argument) { return 1U << static_cast<unsigned>(argument); }

// Without the blanks of the file, with one behind each comma; strings are left alone.
std::string compact(std::string_view json) {
  std::string text;
  bool in_string = false;
  for (std::size_t i = 0; i < json.size(); ++i) {
    const char c = json[i];
    if (c == '"' && (i == 0 || json[i - 1] != '\\')) in_string = !in_string;
    if (!in_string && is_json_blank(c)) continue;
    text += c;
    if (!in_string && c == ',') text += ' ';
  }
  return text;
}

// Lists are written as JSON or as a string of it, by the age of the file; both become one form.
std::string text_of(const JsonValue& value) {
  if (value.kind == Kind::none || value.kind == Kind::null) return {};
  std::string text;
  if (value.kind == Kind::container) {
    append_decoded(compact(value.text), text);
    return text;
  }
  append_decoded(value.text, text);
  return text.starts_with('[') ? compact(text) : text;
}

std::optional<std::int64_t> count_of(const JsonValue& value) {
  if (value.kind != Kind::scalar && value.kind != Kind::string) return {};
  return parse_scaled(value.text, 0);
}

std::string without_underscores(const std::string& text) {
  const std::size_t first = text.find_first_not_of('_');
  if (first == std::string::npos) return {};
  return text.substr(first, text.find_last_not_of('_') - first + 1);
}

KernelArgs kernel_args(const ArgumentValues& values) {
  auto text = [&](Argument argument) { return text_of(values.get(argument)); };
  return {.grid = text(Argument::grid),
          .block = text(Argument::block),
          .collective = without_underscores(text(Argument::collective)),
          .group = text(Argument::group),
          .group_ranks = text(Argument::group_ranks),
          .dtype = text(Argument::dtype),
          .in_elements = count_of(values.get(Argument::in_elements)),
          .out_elements = count_of(values.get(Argument::out_elements))};
}

bool is_sized_aten_operator(std::string_view name) {
  static constexpr std::array<std::string_view, 13> kNames = {
      "mm",
      "bmm",
      "addmm",
      "baddbmm",
      "matmul",
      "linear",
      "_scaled_mm",
      "_scaled_grouped_mm",
      "_grouped_mm",
      "_int_mm",
      "_flash_attention_forward",
      "_efficient_attention_forward",
      "_cudnn_attention_forward",
  };
  if (std::ranges::find(kNames, name) != kNames.end()) return true;
  return name.ends_with("attention") && name.find("scaled_dot_product") != std::string_view::npos;
}

}  // namespace

std::optional<Argument> argument_of_key(std::string_view key) {
  switch (key.size()) {
    case 4:
      if (key == "grid") return Argument::grid;
      break;
    case 5:
      if (key == "block") return Argument::block;
      if (key == "dtype") return Argument::dtype;
      break;
    case 10:
      if (key == "Input Dims" || key == "Input dims") return Argument::input_dims;
      break;
    case 11:
      if (key == "External id" || key == "external id") return Argument::external_id;
      break;
    case 13:
      if (key == "In msg nelems") return Argument::in_elements;
      break;
    case 14:
      if (key == "Out msg nelems") return Argument::out_elements;
      break;
    case 15:
      if (key == "Collective name") return Argument::collective;
      break;
    case 18:
      if (key == "Process Group Name") return Argument::group;
      break;
    case 19:
      if (key == "Process Group Ranks") return Argument::group_ranks;
      break;
    default:
      break;
  }
  return std::nullopt;
}

void ArgumentValues::keep(std::string_view key, const JsonValue& value) {
  if (const std::optional<Argument> argument = argument_of_key(key)) set(*argument, value);
}

JsonValue ArgumentValues::get(Argument argument) const {
  return (seen_ & bit(argument)) != 0 ? values_[static_cast<std::size_t>(argument)] : JsonValue{};
}

std::uint32_t ArgumentValues::external_id() const {
  const JsonValue value = get(Argument::external_id);
  if (value.kind != Kind::scalar && value.kind != Kind::string) return 0;
  const char* begin = value.text.data();
  const char* end = begin + value.text.size();
  std::uint32_t id = 0;
  const auto [stopped, fault] = std::from_chars(begin, end, id);
  return fault == std::errc() && stopped == end ? id : 0;
}

std::string ArgumentValues::input_dims() const {
  const JsonValue value = get(Argument::input_dims);
  if (value.text.size() > kDimsBytesMax) return {};
  std::string text = text_of(value);
  const bool has_sizes = text.find_first_of("0123456789") != std::string::npos;
  return text.starts_with('[') && has_sizes ? text : std::string();
}

bool ArgumentValues::describes_kernel() const { return (seen_ & kKernelArguments) != 0; }

void ArgumentValues::append_key(std::string& key) const {
  for (unsigned i = 0; i < static_cast<unsigned>(Argument::external_id); ++i) {
    if ((seen_ >> i & 1) == 0) continue;
    key += static_cast<char>(i + 1);  // no text of JSON holds such a character
    key += values_[i].text;
  }
}

bool is_sized_operator(std::string_view name) {
  constexpr std::string_view kAten = "aten::";
  if (name.starts_with(kAten)) return is_sized_aten_operator(name.substr(kAten.size()));
  // Operators of engines and kernel libraries; "fbgemm" is the name of a library.
  const std::size_t space = name.rfind("::");
  if (space == std::string_view::npos) return false;
  name.remove_prefix(space + 2);
  if (name == "mm" || name.starts_with("mm_")) return true;
  return std::ranges::any_of(
      std::array<std::string_view, 6>{"gemm", "_mm", "matmul", "bmm", "attention", "attn"},
      [&](std::string_view word) { return name.find(word) != std::string_view::npos; });
}

KernelArgsTable::KernelArgsTable(std::size_t combinations_max)
    : keys_(combinations_max + 1, kTextBytesMax), args_(1) {
  keys_.intern("");  // id 0: no arguments
}

ArgsId KernelArgsTable::intern(const ArgumentValues& values) {
  if (!values.describes_kernel()) return 0;
  key_.clear();
  values.append_key(key_);
  if (key_.size() > kKeyBytesMax) {
    left_out_ = true;
    return 0;
  }
  const NameId id = keys_.intern(key_);
  if (id == args_.size()) args_.push_back(kernel_args(values));
  left_out_ = left_out_ || keys_.full();
  return id;
}

std::vector<ArgsId> KernelArgsTable::absorb(KernelArgsTable&& other) {
  std::vector<ArgsId> ids;
  ids.reserve(other.args_.size());
  for (std::size_t i = 0; i < other.args_.size(); ++i) {
    const NameId id = keys_.intern(other.keys_.names()[i]);
    if (id == args_.size()) args_.push_back(std::move(other.args_[i]));
    ids.push_back(id);
  }
  left_out_ = left_out_ || keys_.full() || other.left_out_;
  return ids;
}

}  // namespace stepscope::analysis
