#include "runtime/wakeup.h"

#include <algorithm>
#include <boost/asio/error.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/system/system_error.hpp>

namespace stepscope::runtime {

namespace asio = boost::asio;

// Longer limits would overflow the steady clock; a year is for ever here.
constexpr std::chrono::milliseconds longest_sleep = std::chrono::hours(24 * 365);

Wakeup::Wakeup(const asio::any_io_executor& executor) : timer_(executor) {}

void Wakeup::poke() {
  poked_ = true;
  timer_.cancel();
}

asio::awaitable<void> Wakeup::sleep(std::chrono::milliseconds limit) {
  if (!poked_) {
    timer_.expires_after(std::min(limit, longest_sleep));
    boost::system::error_code error;  // a poke and a cancelled coroutine look alike in it
    auto token = asio::redirect_error(asio::use_awaitable, error);
    co_await timer_.async_wait(token);
  }
  const auto state = co_await asio::this_coro::cancellation_state;
  if (state.cancelled() != asio::cancellation_type::none) {
    throw boost::system::system_error(asio::error::operation_aborted);
  }
  poked_ = false;
}

}  // namespace stepscope::runtime
