#include "tests/fuzz/json_mutator.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <random>
#include <utility>
#include <vector>

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t size_max);

namespace stepscope::fuzz {

namespace {

struct Value {
  std::size_t begin = 0;
  std::size_t end = 0;
  std::size_t member = 0;  // where its name begins, in an object
  bool in_object = false;
  bool root = false;
};

// Where things stand in a JSON text.
struct Places {
  std::vector<Value> values;
  std::vector<std::size_t> boundaries;  // between tokens
  std::vector<std::size_t> in_strings;  // between two characters of a string
};

bool is_blank(char c) { return c == ' ' || c == '\n' || c == '\r' || c == '\t'; }

class PlaceFinder {
 public:
  explicit PlaceFinder(std::string_view text) : text_(text) {}

  Places find() {
    while (at_ < text_.size()) step();
    return std::move(places_);
  }

 private:
  struct Container {
    std::size_t begin = 0;
    bool object = false;
    std::size_t member = 0;  // of the container itself, where it lies in an object
  };

  void step() {
    const char c = text_[at_];
    if (is_blank(c)) {
      ++at_;
      return;
    }
    places_.boundaries.push_back(at_);
    if (c == '{' || c == '[') {
      open_.push_back({at_, c == '{', name_});
      name_wanted_ = c == '{';
      ++at_;
    } else if (c == '}' || c == ']') {
      ++at_;
      if (open_.empty()) return;
      const Container closed = open_.back();
      open_.pop_back();
      name_ = closed.member;
      value(closed.begin);
    } else if (c == ',' || c == ':') {
      name_wanted_ = c == ',' && !open_.empty() && open_.back().object;
      ++at_;
    } else {
      const std::size_t begin = at_;
      c == '"' ? string() : scalar();
      if (name_wanted_) {
        name_ = begin;
      } else {
        value(begin);
      }
    }
  }
  void string() {
    for (++at_; at_ < text_.size() && text_[at_] != '"'; ++at_) {
      places_.in_strings.push_back(at_);
      if (text_[at_] == '\\') ++at_;
    }
    at_ = std::min(at_ + 1, text_.size());
  }
  void scalar() {
    constexpr std::string_view kEnds = "{}[],:\"";
    while (at_ < text_.size() && !is_blank(text_[at_]) && !kEnds.contains(text_[at_])) ++at_;
  }
  void value(std::size_t begin) {
    const bool in_object = !open_.empty() && open_.back().object;
    places_.values.push_back({begin, at_, in_object ? name_ : begin, in_object, open_.empty()});
  }

  std::string_view text_;
  std::size_t at_ = 0;
  Places places_;
  std::vector<Container> open_;
  bool name_wanted_ = false;
  std::size_t name_ = 0;
};

class Mutation {
 public:
  Mutation(std::string text, unsigned seed) : text_(std::move(text)), random_(seed) {}

  std::string run() {
    for (unsigned left = 1 + below(4); left > 0; --left) change();
    return std::move(text_);
  }

 private:
  unsigned below(std::size_t limit) {
    return limit == 0 ? 0 : static_cast<unsigned>(random_() % limit);
  }
  template <typename List>
  const auto& any(const List& list) {
    return list[below(list.size())];
  }

  void change() {
    const Places places = PlaceFinder(text_).find();
    if (places.values.empty() || places.boundaries.empty()) {
      text_ = R"({"traceEvents":[)" + event() + "]}";
      return;
    }
    const Value at = any(places.values);
    switch (below(9)) {
      case 0:
        text_.insert(any(places.boundaries), blanks());
        break;
      case 1:
        text_.replace(at.begin, at.end - at.begin, fresh_value());
        break;
      case 2: {
        const Value from = any(places.values);
        text_.replace(at.begin, at.end - at.begin, text_.substr(from.begin, from.end - from.begin));
        break;
      }
      case 3:
      case 4:
        if (!places.in_strings.empty()) text_.insert(any(places.in_strings), string_piece());
        break;
      case 5:
        if (!at.root) {
          text_.insert(at.end, at.in_object ? "," + name() + ":" + fresh_value() : "," + event());
        }
        break;
      case 6:
        remove(at);
        break;
      case 7:
        wrap(at);
        break;
      default:
        repeat(at);
        break;
    }
  }

  void remove(const Value& value) {
    if (value.root) return;
    std::size_t end = value.end;
    while (end < text_.size() && is_blank(text_[end])) ++end;
    std::size_t begin = value.member;
    if (end < text_.size() && text_[end] == ',') {
      ++end;
    } else {
      end = value.end;
      while (begin > 0 && is_blank(text_[begin - 1])) --begin;
      if (begin > 0 && text_[begin - 1] == ',') --begin;
    }
    text_.erase(begin, end - begin);
  }
  void wrap(const Value& value) {
    const bool object = below(2) == 0;
    text_.insert(value.end, object ? "}" : "]");
    text_.insert(value.begin, object ? "{" + name() + ":" : "[");
  }
  void repeat(const Value& value) {
    if (value.root) return;
    text_.insert(value.end, "," + text_.substr(value.member, value.end - value.member));
  }

  std::string blanks() {
    std::string run(1 + below(below(4) == 0 ? 70 : 3), ' ');
    for (char& c : run) c = " \n\t\r"[below(4)];
    return run;
  }
  std::string string_piece() {
    // Escapes of all kinds, structure that is none inside of a string, markup, UTF-8 of all
    // lengths.
    constexpr std::array<std::string_view, 26> kPieces = {R"(\")",
                                                          R"(\\)",
                                                          R"(\/)",
                                                          R"(\b\f\n\r\t)",
                                                          R"(\u00e9)",
                                                          R"(\uD83D\uDE00)",
                                                          R"(\u0000)",
                                                          "{",
                                                          "}",
                                                          "[",
                                                          "]",
                                                          ",",
                                                          ":",
                                                          "traceEvents",
                                                          "}]}",
                                                          "<script>",
                                                          "</script>",
                                                          "`",
                                                          "|",
                                                          "@name",
                                                          "#1",
                                                          "\xC3\xA9",
                                                          "\xE2\x82\xAC",
                                                          "\xF0\x9F\x98\x80",
                                                          "::",
                                                          "<64, 128>"};
    if (below(3) == 0) return std::string(1 + below(80), 'x');
    return std::string(any(kPieces));
  }
  std::string name() {
    constexpr std::array<std::string_view, 16> kNames = {"ph",
                                                         "cat",
                                                         "name",
                                                         "pid",
                                                         "tid",
                                                         "ts",
                                                         "dur",
                                                         "args",
                                                         "device",
                                                         "stream",
                                                         "correlation",
                                                         "External id",
                                                         "traceEvents",
                                                         "traceName",
                                                         "distributedInfo",
                                                         "baseTimeNanoseconds"};
    return below(8) == 0 ? "\"" + string_piece() + "\"" : fmt::format("\"{}\"", any(kNames));
  }
  std::string number() {
    constexpr std::array<std::string_view, 20> kNumbers = {"0",
                                                           "-0",
                                                           "-1",
                                                           "0.0005",
                                                           "1e3",
                                                           "1E+2",
                                                           "2.5e-3",
                                                           "-7.125",
                                                           "1760000000000000.125",
                                                           "9223372036854775.807",
                                                           "9223372036854775808",
                                                           "4000000000000000",
                                                           "-4000000000000000",
                                                           "123456789012345678901234567890",
                                                           "1e18",
                                                           "1e-400",
                                                           "0.1e1",
                                                           "4294967296",
                                                           "2147483648",
                                                           "18446744073709551615"};
    return below(2) == 0 ? fmt::format("{}", below(2000)) : std::string(any(kNumbers));
  }
  std::string fresh_value() {
    switch (below(9)) {
      case 0:
        return "{}";
      case 1:
        return "[]";
      case 2:
        return "\"" + (below(2) == 0 ? string_piece() : number()) + "\"";
      case 3:
        return event();
      case 4: {
        const std::size_t depth = below(below(4) == 0 ? 130 : 5);
        return std::string(depth, '[') + number() + std::string(depth, ']');
      }
      case 5:
        return fmt::format(R"([{{{}:{}}},{{}},[{}]])", name(), number(), number());
      case 6:
        return std::string(any(std::array<std::string_view, 3>{"true", "false", "null"}));
      default:
        return number();
    }
  }
  std::string event() {
    constexpr std::array<std::string_view, 6> kCategories = {
        "kernel", "gpu_memcpy", "cuda_runtime", "user_annotation", "python_function", "cpu_op"};
    constexpr std::array<std::string_view, 8> kKernels = {
        "nvjet_tst_64x8",  "ncclDevKernel_AllReduce", "fmhaSm100",        "rms_norm_kernel",
        "cudaGraphLaunch", "step[DECODE bs=4]",       "fused_moe_kernel", "moe_routing"};
    return fmt::format(R"({{"ph":"X","cat":"{}","name":"{}","pid":{},"tid":{},"ts":{},"dur":{},)"
                       R"("args":{{"device":0,"stream":{},"correlation":{}}}}})",
                       any(kCategories), any(kKernels), below(2), below(3), below(3000), below(300),
                       below(3), below(40));
  }

  std::string text_;
  std::minstd_rand random_;
};

}  // namespace

std::string mutated_json(std::string_view text, unsigned seed) {
  return Mutation(std::string(text), seed).run();
}

std::size_t mutate_json_bytes(std::uint8_t* data, std::size_t size, std::size_t size_max,
                              unsigned seed) {
  if (seed % 8 != 0) {
    const std::string text =
        mutated_json({reinterpret_cast<const char*>(data), size}, seed / 8 + 1);
    if (text.size() <= size_max) {
      std::memcpy(data, text.data(), text.size());
      return text.size();
    }
  }
  return LLVMFuzzerMutate(data, size, size_max);
}

}  // namespace stepscope::fuzz
