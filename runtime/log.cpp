#include "runtime/log.h"

#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <array>
#include <memory>

namespace stepscope::runtime {

namespace {

constexpr std::string_view redacted = "[redacted]";
constexpr std::size_t text_bytes_max = 4096;  // of a message or a value; a log is no store

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

bool starts_with_any_case(std::string_view text, std::string_view lower_case_prefix) {
  return text.size() >= lower_case_prefix.size() &&
         std::equal(lower_case_prefix.begin(), lower_case_prefix.end(), text.begin(),
                    [](char a, char b) { return a == lower(b); });
}

bool is_blank(char c) { return c == ' ' || c == '\t'; }
bool is_line_end(char c) { return c == '\r' || c == '\n'; }
bool is_space(char c) { return is_blank(c) || is_line_end(c) || c == '\v' || c == '\f'; }
bool is_quote(char c) { return c == '"' || c == '\'' || c == '`'; }

bool is_base64url(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
         c == '_';
}

// A name after which a secret stands. An open name is a header: a bare colon is enough, and the
// value goes on to the end of the line.
struct SecretName {
  std::string_view name;
  bool open;
};
constexpr std::array<SecretName, 4> secret_names{
    {{"authorization", true}, {"token", false}, {"secret", false}, {"password", false}}};

constexpr std::array<std::string_view, 6> token_prefixes{"ghs_", "ghp_", "gho_",
                                                         "ghu_", "ghr_", "github_pat_"};

class Redactor {
 public:
  explicit Redactor(std::string_view text) : text_(text) { out_.reserve(text.size()); }

  std::string run() {
    while (at_ < text_.size()) {
      if (!skip_pem() && !skip_token() && !skip_jwt() && !skip_bearer() && !skip_named()) {
        out_ += text_[at_++];
      }
    }
    return std::move(out_);
  }

 private:
  std::string_view rest() const { return text_.substr(at_); }

  template <class Test>
  std::size_t end_of(std::size_t from, Test stops) const {
    while (from < text_.size() && !stops(text_[from])) {
      ++from;
    }
    return from;
  }

  std::size_t end_of_word(std::size_t from) const {
    return end_of(from, [](char c) { return is_space(c) || is_quote(c); });
  }

  // Keeps what stands before `begin`, drops up to `end`.
  bool replace(std::size_t begin, std::size_t end) {
    out_ += text_.substr(at_, begin - at_);
    out_ += redacted;
    at_ = end;
    return true;
  }

  bool skip_pem() {
    constexpr std::string_view open = "-----BEGIN ";
    constexpr std::string_view close = "-----END ";
    if (!rest().starts_with(open)) {
      return false;
    }
    const std::size_t close_at = text_.find(close, at_);
    if (close_at == std::string_view::npos) {  // a cut key is a key
      return replace(at_, text_.size());
    }
    const std::size_t dashes = text_.find("-----", close_at + close.size());
    return replace(at_, dashes == std::string_view::npos ? text_.size() : dashes + 5);
  }

  bool skip_token() {
    for (const std::string_view prefix : token_prefixes) {
      const std::size_t body = at_ + prefix.size();
      if (rest().starts_with(prefix) && end_of_word(body) > body) {
        return replace(at_, end_of_word(body));
      }
    }
    return false;
  }

  // eyJ (the start of {" in base64) twice with a dot between; the signature may have been cut off.
  bool skip_jwt() {
    if (!rest().starts_with("eyJ")) {
      return false;
    }
    const auto stops = [](char c) { return !is_base64url(c); };
    if (at_ >= header_end_) {  // one look per run of such characters keeps redact() linear
      header_end_ = end_of(at_, stops);
    }
    if (!text_.substr(header_end_).starts_with(".eyJ")) {
      return false;
    }
    std::size_t end = end_of(header_end_ + 1, stops);
    if (end < text_.size() && text_[end] == '.') {
      end = end_of(end + 1, stops);
    }
    return replace(at_, end);
  }

  bool skip_bearer() {
    constexpr std::string_view scheme = "bearer";
    if (!starts_with_any_case(rest(), scheme)) {
      return false;
    }
    const std::size_t blank = at_ + scheme.size();
    const std::size_t begin = end_of(blank, [](char c) { return !is_blank(c); });
    const std::size_t end = end_of_word(begin);
    return begin > blank && end > begin && replace(begin, end);
  }

  bool skip_named() {
    for (const SecretName& secret : secret_names) {
      if (starts_with_any_case(rest(), secret.name)) {
        return skip_value(secret);
      }
    }
    return false;
  }

  // A quote, perhaps escaped as inside a JSON string; returns the position after it.
  std::size_t after_quote(std::size_t from) const {
    const std::size_t quote = from < text_.size() && text_[from] == '\\' ? from + 1 : from;
    return quote < text_.size() && is_quote(text_[quote]) ? quote + 1 : from;
  }

  bool skip_value(const SecretName& secret) {
    const auto not_blank = [](char c) { return !is_blank(c); };
    const std::size_t name_end = at_ + secret.name.size();
    const std::size_t key_end = after_quote(name_end);
    const std::size_t mark = end_of(key_end, not_blank);
    const bool colon_counts = secret.open || key_end > name_end;
    if (mark >= text_.size() || !(text_[mark] == '=' || (text_[mark] == ':' && colon_counts))) {
      return false;
    }
    const std::size_t value = end_of(mark + 1, not_blank);
    const std::size_t begin = after_quote(value);
    std::size_t end = begin;
    if (begin > value) {
      const char quote = text_[begin - 1];
      end = end_of(begin, [quote](char c) { return c == quote || is_line_end(c); });
    } else if (secret.open) {
      end = end_of(begin, [](char c) { return is_quote(c) || is_line_end(c); });
    } else {
      end = end_of(begin, [](char c) { return is_space(c) || is_quote(c) || c == '&'; });
    }
    return end > begin && replace(begin, end);
  }

  std::string_view text_;
  std::size_t at_ = 0;
  std::size_t header_end_ = 0;
  std::string out_;
};

bool names_a_secret(std::string_view key) {
  return std::any_of(secret_names.begin(), secret_names.end(), [key](const SecretName& secret) {
    return key.size() >= secret.name.size() &&
           starts_with_any_case(key.substr(key.size() - secret.name.size()), secret.name);
  });
}

void append_hex_escape(std::string& out, char c) {
  constexpr std::string_view digits = "0123456789abcdef";
  const auto byte = static_cast<unsigned char>(c);
  out += "\\x";
  out += digits[byte >> 4];
  out += digits[byte & 15];
}

// Nothing that a line reader or a terminal acts on survives: C0, DEL, and C1 in UTF-8 (c2 80 to c2
// 9f).
void append_escaped(std::string& out, std::string_view text, bool quoted) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    const auto byte = static_cast<unsigned char>(c);
    const auto next = static_cast<unsigned char>(i + 1 < text.size() ? text[i + 1] : 0);
    if (c == '\n') {
      out += "\\n";
    } else if (c == '\r') {
      out += "\\r";
    } else if (c == '\t') {
      out += "\\t";
    } else if (byte < 0x20 || byte == 0x7f) {
      append_hex_escape(out, c);
    } else if (byte == 0xc2 && next >= 0x80 && next <= 0x9f) {
      append_hex_escape(out, c);
      append_hex_escape(out, text[++i]);
    } else {
      if (quoted && (c == '"' || c == '\\')) {
        out += '\\';
      }
      out += c;
    }
  }
}

std::string prepared(std::string_view text) {
  std::string clean = redact(text.substr(0, text_bytes_max));
  if (text.size() > text_bytes_max) {
    clean += "...";
  }
  return clean;
}

void append_value(std::string& line, std::string_view value) {
  const bool plain = !value.empty() && std::none_of(value.begin(), value.end(), [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return byte <= 0x20 || byte >= 0x7f || c == '"' || c == '=' || c == '\\';
  });
  if (plain) {
    line += value;
    return;
  }
  line += '"';
  append_escaped(line, value, true);
  line += '"';
}

spdlog::logger& logger() {
  static const std::unique_ptr<spdlog::logger> instance = [] {
    auto made = std::make_unique<spdlog::logger>("stepscope",
                                                 std::make_shared<spdlog::sinks::stderr_sink_mt>());
    made->set_pattern("%l %v");  // no time: journald and container logs add their own
    return made;
  }();
  return *instance;
}

spdlog::level::level_enum level_of(LogLevel level) {
  switch (level) {
    case LogLevel::debug:
      return spdlog::level::debug;
    case LogLevel::info:
      return spdlog::level::info;
    case LogLevel::warning:
      return spdlog::level::warn;
    case LogLevel::error:
      break;
  }
  return spdlog::level::err;
}

}  // namespace

void set_log_level(LogLevel level) { logger().set_level(level_of(level)); }

void log(LogLevel level, std::string_view message, std::initializer_list<LogField> fields) {
  if (logger().should_log(level_of(level))) {
    logger().log(level_of(level), "{}", log_line(message, fields));
  }
}

std::string log_line(std::string_view message, std::initializer_list<LogField> fields) {
  std::string line;
  append_escaped(line, prepared(message), false);
  for (const LogField& field : fields) {
    line += ' ';
    line += field.key;
    line += '=';
    append_value(line, names_a_secret(field.key) ? std::string(redacted) : prepared(field.value));
  }
  return line;
}

std::string redact(std::string_view text) { return Redactor(text).run(); }

}  // namespace stepscope::runtime
