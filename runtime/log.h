#pragma once
// Structured lines on stderr (`level message key=value ...`) through spdlog. Every line passes
// redact(): tokens, keys and Authorization values never reach a log.

#include <initializer_list>
#include <string>
#include <string_view>

namespace stepscope::runtime {

enum class LogLevel { debug, info, warning, error };

struct LogField {
  std::string_view key;
  std::string value;
};

void set_log_level(LogLevel level);
void log(LogLevel level, std::string_view message, std::initializer_list<LogField> fields = {});

// The text that log() writes after the level: one line of valid key=value pairs, redacted, control
// characters escaped, long values cut.
std::string log_line(std::string_view message, std::initializer_list<LogField> fields);

// Replaces GitHub tokens (ghs_, ghp_, gho_, ghu_, ghr_, github_pat_ up to white space or quote),
// JWTs, PEM blocks, and what follows "Authorization:", "Bearer ", "token=", "secret=" or
// "password=" (also as JSON members) by "[redacted]". In doubt it takes too much. Linear in the
// length of the text.
std::string redact(std::string_view text);

}  // namespace stepscope::runtime
