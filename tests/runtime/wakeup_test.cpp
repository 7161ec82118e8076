#include "runtime/wakeup.h"

#include <doctest/doctest.h>

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/system/system_error.hpp>
#include <exception>
#include <string>

namespace stepscope::runtime {

namespace {

using boost::asio::awaitable;
using namespace std::chrono_literals;

awaitable<void> sleep_and_note(Wakeup& wakeup, std::chrono::milliseconds limit,
                               std::string& notes) {
  notes += 's';
  co_await wakeup.sleep(limit);
  notes += 'w';
}

awaitable<void> sleep_twice(Wakeup& wakeup, std::string& notes) {
  co_await sleep_and_note(wakeup, 1h, notes);
  co_await sleep_and_note(wakeup, 1h, notes);
}

bool is_abort(const std::exception_ptr& exception) {
  try {
    if (exception) {
      std::rethrow_exception(exception);
    }
  } catch (const boost::system::system_error& error) {
    return error.code() == boost::asio::error::operation_aborted;
  }
  return false;
}

}  // namespace

TEST_CASE("a poke ends a sleep, a poke without sleeper is remembered once") {
  boost::asio::io_context context;
  Wakeup wakeup(context.get_executor());
  std::string notes;
  wakeup.poke();
  wakeup.poke();
  boost::asio::co_spawn(context, sleep_twice(wakeup, notes), boost::asio::detached);
  context.poll();
  CHECK(notes == "sws");  // both pokes ended the first sleep, the second one lasts
  wakeup.poke();
  context.poll();
  CHECK(notes == "swsw");
}

TEST_CASE("a poke from the same turn as the start of the sleep is not lost") {
  boost::asio::io_context context;
  Wakeup wakeup(context.get_executor());
  std::string notes;
  boost::asio::co_spawn(context, sleep_and_note(wakeup, 1h, notes), boost::asio::detached);
  boost::asio::post(context, [&] { wakeup.poke(); });
  context.run();
  CHECK(notes == "sw");
}

TEST_CASE("the limit ends a sleep; none and less than none end it at once") {
  boost::asio::io_context context;
  Wakeup wakeup(context.get_executor());
  std::string notes;
  for (const std::chrono::milliseconds limit : {1ms, 0ms, -5ms}) {
    boost::asio::co_spawn(context, sleep_and_note(wakeup, limit, notes), boost::asio::detached);
    context.run();
    context.restart();
  }
  CHECK(notes == "swswsw");
}

TEST_CASE("for ever is a long time, not an overflow") {
  boost::asio::io_context context;
  Wakeup wakeup(context.get_executor());
  std::string notes;
  boost::asio::co_spawn(context, sleep_and_note(wakeup, std::chrono::milliseconds::max(), notes),
                        boost::asio::detached);
  context.poll();
  CHECK(notes == "s");
}

TEST_CASE("a cancelled sleep throws, poked or not") {
  for (const bool poked : {false, true}) {
    boost::asio::io_context context;
    Wakeup wakeup(context.get_executor());
    std::string notes;
    bool aborted = false;
    boost::asio::cancellation_signal signal;
    auto on_end = [&](const std::exception_ptr& exception) { aborted = is_abort(exception); };
    boost::asio::co_spawn(context, sleep_twice(wakeup, notes),
                          boost::asio::bind_cancellation_slot(signal.slot(), on_end));
    context.poll();
    auto poke_and_cancel = [&] {
      if (poked) {
        wakeup.poke();
      }
      signal.emit(boost::asio::cancellation_type::terminal);
    };
    boost::asio::post(context, poke_and_cancel);
    context.run();
    CHECK(notes == "s");
    CHECK(aborted);
  }
}

}  // namespace stepscope::runtime
