#pragma once
// Lets one coroutine sleep until another pokes it or a time has passed: the loops of the dispatcher
// and the responder. One io_context thread; not for use from other threads (post to it instead).

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/steady_timer.hpp>
#include <chrono>

namespace stepscope::runtime {

class Wakeup {
 public:
  explicit Wakeup(const boost::asio::any_io_executor& executor);
  // Wakes the sleeper; remembered when there is none, so that no poke is lost.
  void poke();
  // Returns after poke() or `limit`, whichever is first. Throws when the coroutine is cancelled.
  boost::asio::awaitable<void> sleep(std::chrono::milliseconds limit);

 private:
  boost::asio::steady_timer timer_;
  bool poked_ = false;
};

}  // namespace stepscope::runtime
