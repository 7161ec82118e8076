#pragma once
// The error that a caller is expected to decide on. One line of text that says what, where and what
// to do; never a secret.

#include <expected>
#include <string>

namespace stepscope::runtime {

struct Error {
  std::string message;
  bool retryable = false;
};

template <class T>
using Result = std::expected<T, Error>;

inline std::unexpected<Error> fail(std::string message, bool retryable = false) {
  return std::unexpected(Error{std::move(message), retryable});
}

}  // namespace stepscope::runtime
