// short_kernel_name of text.h: folds C++ template arguments from the inside, drops parameter lists
// and reads the nested names of mangled ones. A name it can not make sense of is only cut.

#include <algorithm>
#include <optional>

#include "analysis/reports/text.h"

namespace stepscope::analysis {
namespace {

constexpr std::size_t kNameBytesMax = 8192;  // what is longer is read up to here

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_identifier(char c) {
  return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '$';
}

void remove_all(std::string& text, std::string_view part) {
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at)) {
    text.erase(at, part.size());
  }
}

// `<length><identifier>` of a mangled name; moves `at` behind it.
std::optional<std::string_view> source_name(std::string_view name, std::size_t& at) {
  std::size_t length = 0;
  std::size_t i = at;
  for (; i < name.size() && is_digit(name[i]) && length < name.size(); ++i) {
    length = (length * 10) + static_cast<std::size_t>(name[i] - '0');
  }
  if (i == at || length == 0 || length > name.size() - i) return std::nullopt;
  const std::string_view found = name.substr(i, length);
  if (is_digit(found.front()) || !std::ranges::all_of(found, is_identifier)) return std::nullopt;
  at = i + length;
  return found;
}

// The first named type among mangled template arguments, which begin behind their "I": it tells
// wrappers (kentry) apart. Looks no further than the arguments' own "E".
std::string_view first_type(std::string_view arguments) {
  int depth = 0;
  for (std::size_t at = 0; at < arguments.size();) {
    const char c = arguments[at];
    const char next = at + 1 < arguments.size() ? arguments[at + 1] : '\0';
    if (is_digit(c)) {
      std::string_view last;
      while (const auto found = source_name(arguments, at)) last = *found;
      return last;
    }
    if (c == 'L' && next >= 'a' && next <= 'z') {  // a literal: type, value, E
      at = std::min(arguments.find('E', at), arguments.size() - 1) + 1;
    } else if ((c == 'D' && next == 'F') || c == 'S') {
      // DF16b is a type and S1_ a substitution: their digits are no length.
      at += c == 'D' ? 2 : 1;
      while (at < arguments.size() && is_digit(arguments[at])) ++at;
      ++at;
    } else {
      if (std::string_view("INXJL").contains(c)) ++depth;
      if (c == 'E' && --depth < 0) return {};
      ++at;
    }
  }
  return {};
}

// "_ZN5aiter3fooIDF16bEEv..." -> "aiter::foo<…>"; empty when it is no mangled function name.
std::string readable_mangled(std::string_view name) {
  if (!name.starts_with("_Z")) return "";
  std::size_t at = 2;
  while (at < name.size() && std::string_view("NLKVr").contains(name[at])) ++at;
  std::string result;
  while (const auto found = source_name(name, at)) {
    if (found->starts_with("_GLOBAL__N")) continue;
    if (!result.empty()) result += "::";
    result += *found;
  }
  if (!result.empty() && at < name.size() && name[at] == 'I') {
    result += '<';
    result += first_type(name.substr(at + 1));
    result += "…>";
  }
  return result;
}

std::size_t closing_paren(std::string_view text, std::size_t open) {
  int depth = 0;
  for (std::size_t i = open; i < text.size(); ++i) {
    if (text[i] == '(') ++depth;
    if (text[i] == ')' && --depth == 0) return i;
  }
  return text.size();
}

// The brackets that are open at a place in C++ text. A '<' or '>' that has no partner inside its
// own parentheses is a comparison.
class OpenBrackets {
 public:
  // Reads text[at]; true when it opens or closes a bracket.
  bool read(std::string_view text, std::size_t at) {
    const char c = text[at];
    if (c == '<' || c == '(' || c == '{') {
      open_ += c;
      return true;
    }
    if (c == '>') {
      const bool closes = open_.ends_with('<') && (at == 0 || text[at - 1] != '-');
      if (closes) open_.pop_back();
      return closes;
    }
    if (c != ')' && c != '}') return false;
    const std::size_t partner = open_.rfind(c == ')' ? '(' : '{');
    if (partner == std::string::npos) return false;
    open_.resize(partner);
    return true;
  }

  bool none() const { return open_.empty(); }
  int templates() const { return static_cast<int>(std::ranges::count(open_, '<')); }

 private:
  std::string open_;
};

// Cuts the parameter list. "Memcpy DtoD (Device -> Device)" has none: a blank stands before it.
std::string without_parameters(std::string_view name) {
  std::string out;
  OpenBrackets open;
  for (std::size_t i = 0; i < name.size(); ++i) {
    const char c = name[i];
    const bool list =
        c == '(' && open.none() && !out.empty() && out.back() != ' ' && !out.ends_with("operator");
    if (!list) {
      open.read(name, i);
      out += c;
      continue;
    }
    const std::size_t close = closing_paren(name, i);
    if (close >= name.size() || !name.substr(close + 1).starts_with("::")) break;
    i = close;
  }
  return out;
}

// "std::enable_if<(8)>(0), void>::type ns::kernel<8>" -> "ns::kernel<8>". Names of copies have
// blanks as well, but nothing of C++ before them.
std::string_view without_return_type(std::string_view name) {
  std::size_t begin = 0;
  OpenBrackets open;
  for (std::size_t i = 0; i < name.size(); ++i) {
    open.read(name, i);
    if (name[i] == ' ' && open.none()) begin = i + 1;
  }
  const std::string_view type = name.substr(0, begin);
  const bool is_type = type.contains("::") || type.contains('<');
  return is_type && begin < name.size() ? name.substr(begin) : name;
}

// Takes "ns" or "Type<...>" off the end: what is written before a "::" that shall go.
void drop_scope(std::string& out) {
  if (out.ends_with('>')) {
    int depth = 0;
    while (!out.empty()) {
      if (out.back() == '>') ++depth;
      if (out.back() == '<') --depth;
      out.pop_back();
      if (depth == 0) break;
    }
  }
  while (!out.empty() && is_identifier(out.back())) out.pop_back();
}

// Shows `levels` levels of template arguments, without their namespaces; deeper ones become "…".
std::string folded(std::string_view name, int levels, bool qualified) {
  std::string out;
  OpenBrackets open;
  for (std::size_t i = 0; i < name.size(); ++i) {
    const char c = name[i];
    const int before = open.templates();
    open.read(name, i);
    const int depth = open.templates();
    if (depth > before) {
      if (depth <= levels) out += c;
      if (depth == levels + 1) out += "<…>";
    } else if (c == '>' && depth < before) {
      if (before > levels) continue;
      if (out.ends_with(' ')) out.pop_back();
      out += c;
    } else if (depth > levels) {
      continue;
    } else if (name.substr(i).starts_with("::") && (depth > 0 || !qualified)) {
      drop_scope(out);
      ++i;
    } else {
      out += c;
    }
  }
  return out;
}

}  // namespace

std::string short_kernel_name(std::string_view name, std::size_t chars_max) {
  std::string clean = harmless_text(name.substr(0, kNameBytesMax));
  if (clean.ends_with(".kd")) clean.resize(clean.size() - 3);
  if (const std::size_t clone = clean.find(" [clone "); clone != std::string::npos) {
    clean.resize(clone);
  }
  if (std::string readable = readable_mangled(clean); !readable.empty()) {
    return shortened(readable, chars_max);
  }
  remove_all(clean, "(anonymous namespace)::");
  if (clean.starts_with("void ")) clean.erase(0, 5);
  const std::string callable = without_parameters(clean);
  const std::string_view base = without_return_type(callable);
  for (const int levels : {2, 1}) {
    for (const bool qualified : {true, false}) {
      std::string candidate = folded(base, levels, qualified);
      if (char_count(candidate) <= chars_max) return candidate;
    }
  }
  return shortened(folded(base, 1, false), chars_max);
}

}  // namespace stepscope::analysis
