#pragma once
// Runs one coroutine to its end on an io_context of its own and hands back its result or exception.

#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <exception>
#include <optional>
#include <stdexcept>
#include <utility>

namespace stepscope::tests {

template <class T>
T run_coroutine(boost::asio::io_context& context, boost::asio::awaitable<T> coroutine) {
  std::optional<T> result;
  std::exception_ptr error;
  auto on_end = [&](std::exception_ptr thrown, T value) {
    error = thrown;
    if (!thrown) result.emplace(std::move(value));
    context.stop();
  };
  boost::asio::co_spawn(context, std::move(coroutine), on_end);
  context.restart();
  context.run();
  if (error) std::rethrow_exception(error);
  if (!result) throw std::logic_error("the coroutine never ended");
  return std::move(*result);
}

template <class T>
T run_coroutine(boost::asio::awaitable<T> coroutine) {
  boost::asio::io_context context;
  return run_coroutine(context, std::move(coroutine));
}

}  // namespace stepscope::tests
