#include "runtime/blocking_pool.h"

#include <doctest/doctest.h>

#include <atomic>
#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <latch>
#include <memory>
#include <optional>
#include <stdexcept>
#include <thread>

namespace stepscope::runtime {

namespace {

namespace asio = boost::asio;
using asio::awaitable;

template <class Work, class Value>
awaitable<void> run_into(BlockingPool& pool, Work work, std::optional<Value>& result) {
  Value value = co_await pool.run(std::move(work));
  result = std::move(value);
}

// Adds what work returned, and notes on which thread it came back.
template <class Work>
awaitable<void> run_and_add(BlockingPool& pool, Work work, long& sum, std::thread::id& resumed_on) {
  sum += co_await pool.run(std::move(work));
  resumed_on = std::this_thread::get_id();
}

awaitable<void> run_failing(BlockingPool& pool, std::string& caught) {
  auto work = [] { throw std::runtime_error("disk full"); };
  try {
    co_await pool.run(work);
  } catch (const std::runtime_error& error) {
    caught = error.what();
  }
}

template <class Work>
awaitable<void> run_only(BlockingPool& pool, Work work) {
  co_await pool.run(std::move(work));
}

template <class Work>
awaitable<void> run_twice(BlockingPool& pool, Work work) {
  co_await pool.run(work);
  co_await pool.run(work);
}

}  // namespace

TEST_CASE("work runs on a thread of the pool and comes back to the io_context's thread") {
  asio::io_context context;
  BlockingPool pool("test", 2);
  CHECK(pool.name() == "test");
  std::thread::id worked_on;
  long sum = 0;
  std::thread::id resumed_on;
  auto work = [&] {
    worked_on = std::this_thread::get_id();
    return 42L;
  };
  asio::co_spawn(context, run_and_add(pool, work, sum, resumed_on), asio::detached);
  context.run();  // does not return before the answer has come
  CHECK(sum == 42);
  CHECK(worked_on != std::thread::id());
  CHECK(worked_on != std::this_thread::get_id());
  CHECK(resumed_on == std::this_thread::get_id());
}

TEST_CASE("values that only move, and types without a default") {
  struct NoDefault {
    explicit NoDefault(int n) : number(n) {}
    int number;
  };
  asio::io_context context;
  BlockingPool pool("test", 1);
  std::optional<std::unique_ptr<int>> pointer;
  std::optional<NoDefault> plain;
  auto make_pointer = [source = std::make_unique<int>(7)]() mutable { return std::move(source); };
  auto make_plain = [] { return NoDefault(8); };
  asio::co_spawn(context, run_into(pool, std::move(make_pointer), pointer), asio::detached);
  asio::co_spawn(context, run_into(pool, make_plain, plain), asio::detached);
  context.run();
  REQUIRE(pointer.has_value());
  CHECK(**pointer == 7);
  REQUIRE(plain.has_value());
  CHECK(plain->number == 8);
}

TEST_CASE("an exception of the work arrives at the coroutine") {
  asio::io_context context;
  BlockingPool pool("test", 1);
  std::string caught;
  asio::co_spawn(context, run_failing(pool, caught), asio::detached);
  context.run();
  CHECK(caught == "disk full");
}

TEST_CASE("many at once: every answer comes back once, on one thread") {
  asio::io_context context;
  BlockingPool pool("test", 4);
  long sum = 0;  // only touched on this thread; TSan holds us to it
  std::thread::id resumed_on;
  for (long i = 1; i <= 1000; ++i) {
    auto work = [i] { return i; };
    asio::co_spawn(context, run_and_add(pool, work, sum, resumed_on), asio::detached);
  }
  context.run();
  CHECK(sum == 500'500);  // 1000 * 1001 / 2
}

TEST_CASE("an io_context that stops while work runs loses the answer and nothing else") {
  std::atomic<int> finished = 0;
  long sum = 0;
  std::thread::id resumed_on;
  {
    std::latch begun(1);
    std::latch go_on(1);
    asio::io_context context;
    BlockingPool pool("test", 1);
    auto work = [&] {
      begun.count_down();
      go_on.wait();
      return long{++finished};
    };
    asio::co_spawn(context, run_and_add(pool, work, sum, resumed_on), asio::detached);
    context.poll();
    begun.wait();
    context.stop();
    go_on.count_down();
  }
  CHECK(finished == 1);
  CHECK(sum == 0);
}

TEST_CASE("work that has not begun is dropped with its coroutine when the pool goes") {
  asio::io_context context;
  std::optional<BlockingPool> pool(std::in_place, "test", 0);  // without threads none ever begins
  auto token = std::make_shared<int>(1);
  const std::weak_ptr<int> held = token;
  auto work = [kept = std::move(token)] { return *kept; };
  asio::co_spawn(context, run_only(*pool, std::move(work)), asio::detached);
  context.poll();
  CHECK(!held.expired());
  pool.reset();
  context.run();  // unwinds the coroutine; nothing is owed any more, so it returns
  CHECK(held.expired());
}

TEST_CASE("a cancelled coroutine waits for work that runs, and begins no more") {
  std::atomic<int> runs = 0;
  std::latch begun(1);
  std::latch go_on(1);
  asio::io_context context;
  BlockingPool pool("test", 2);
  auto work = [&] {
    ++runs;
    begun.count_down();
    go_on.wait();
  };
  asio::cancellation_signal signal;
  bool failed = false;
  auto on_end = [&](const std::exception_ptr& exception) { failed = exception != nullptr; };
  asio::co_spawn(context, run_twice(pool, work),
                 asio::bind_cancellation_slot(signal.slot(), on_end));
  context.poll();
  begun.wait();
  signal.emit(asio::cancellation_type::terminal);
  go_on.count_down();
  context.run();
  CHECK(runs == 1);
  CHECK(failed);
}

}  // namespace stepscope::runtime
