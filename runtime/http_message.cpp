#include "runtime/http_message.h"

#include <algorithm>

namespace stepscope::runtime {

namespace {

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

int hex_value(char c) {
  if (c >= '0' && c <= '9') {
    return c - '0';
  }
  const char l = lower(c);
  return l >= 'a' && l <= 'f' ? l - 'a' + 10 : -1;
}

bool is_unreserved(char c) {
  return (c >= '0' && c <= '9') || (lower(c) >= 'a' && lower(c) <= 'z') || c == '-' || c == '.' ||
         c == '_' || c == '~';
}

// One side of key=value in a query: a plus sign stands for a space there, unlike in a path.
std::optional<std::string> decode_query_part(std::string_view part) {
  std::string spaced(part);
  std::replace(spaced.begin(), spaced.end(), '+', ' ');
  return percent_decode(spaced);
}

bool parse_query(std::string_view text, HttpRequest& request) {
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('&'), text.size());
    const std::string_view pair = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (pair.empty()) {
      continue;
    }
    const std::size_t equals = std::min(pair.find('='), pair.size());
    std::optional<std::string> key = decode_query_part(pair.substr(0, equals));
    std::optional<std::string> value =
        decode_query_part(pair.substr(std::min(equals + 1, pair.size())));
    if (!key || !value) {
      return false;
    }
    request.query.insert_or_assign(std::move(*key), std::move(*value));
  }
  return true;
}

}  // namespace

bool CaseInsensitiveLess::operator()(std::string_view a, std::string_view b) const {
  return std::lexicographical_compare(a.begin(), a.end(), b.begin(), b.end(), [](char x, char y) {
    return static_cast<unsigned char>(lower(x)) < static_cast<unsigned char>(lower(y));
  });
}

std::optional<std::string_view> header(const Headers& headers, std::string_view name) {
  const auto found = headers.lower_bound(name);  // the first of equal names, in order of arrival
  if (found == headers.end() || CaseInsensitiveLess()(name, found->first)) {
    return std::nullopt;
  }
  return found->second;
}

bool parse_target(std::string_view target, HttpRequest& request) {
  request.target = target;
  request.path.clear();
  request.query.clear();
  if (const std::size_t scheme = target.find("://");
      scheme != std::string_view::npos && scheme < target.find_first_of("/?")) {
    const std::size_t path = target.find_first_of("/?", scheme + 3);
    target = path == std::string_view::npos ? std::string_view("/") : target.substr(path);
  }
  target = target.substr(0, target.find('#'));
  const std::size_t question = std::min(target.find('?'), target.size());
  request.path = target.substr(0, question);
  if (request.path.empty()) {
    request.path = "/";
  }
  if (!request.path.starts_with('/') && request.path != "*") {
    return false;
  }
  return parse_query(target.substr(std::min(question + 1, target.size())), request);
}

std::string percent_encode(std::string_view text) {
  constexpr std::string_view digits = "0123456789ABCDEF";
  std::string out;
  out.reserve(text.size());
  for (const char c : text) {
    if (is_unreserved(c)) {
      out += c;
    } else {
      const auto byte = static_cast<unsigned char>(c);
      out += '%';
      out += digits[byte >> 4];
      out += digits[byte & 15];
    }
  }
  return out;
}

std::optional<std::string> percent_decode(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      out += text[i];
      continue;
    }
    const int high = i + 1 < text.size() ? hex_value(text[i + 1]) : -1;
    const int low = i + 2 < text.size() ? hex_value(text[i + 2]) : -1;
    if (high < 0 || low < 0) {
      return std::nullopt;
    }
    out += static_cast<char>(high * 16 + low);
    i += 2;
  }
  return out;
}

}  // namespace stepscope::runtime
