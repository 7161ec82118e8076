#pragma once
// A named pool of threads for work that blocks (SQLite, libcurl, the analysis). A coroutine awaits
// run() and resumes on its own executor; an exception of the work arrives there too. The destructor
// waits for work that has begun, and drops what has not together with the coroutines that await it:
// declare the io_context first and the pools after it, so that a pool goes before the io_context.

#include <boost/asio/associated_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/execution/outstanding_work.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/prefer.hpp>
#include <boost/asio/thread_pool.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <cassert>
#include <cstddef>
#include <exception>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>

namespace stepscope::runtime {

class BlockingPool {
 public:
  BlockingPool(std::string name, std::size_t threads) : name_(std::move(name)), pool_(threads) {}
  ~BlockingPool() {
    pool_.stop();
    pool_.join();
  }
  BlockingPool(const BlockingPool&) = delete;
  BlockingPool& operator=(const BlockingPool&) = delete;

  const std::string& name() const { return name_; }

  // `work` is a plain callable, moved here and called once on a thread of the pool. Build it in a
  // line of its own: the operand of co_await is a name. Work that has been queued is not cancelled:
  // a cancelled coroutine still waits for it, and is thrown out of its next co_await.
  template <class Work>
  boost::asio::awaitable<std::invoke_result_t<Work&>> run(Work work) {
    using Value = std::invoke_result_t<Work&>;
    // Both live in this coroutine's frame, and the frame in the handler that the pool holds: they
    // stay valid until the work has ended, whatever happens to the io_context.
    Outcome<Value> outcome;
    auto initiate = [this, &work, &outcome](auto handler) {
      this->start(work, outcome, std::move(handler));
    };
    co_await boost::asio::async_initiate<const boost::asio::use_awaitable_t<>&, void()>(
        initiate, boost::asio::use_awaitable);
    if (outcome.exception) {
      std::rethrow_exception(outcome.exception);
    }
    if constexpr (!std::is_void_v<Value>) {
      assert(outcome.value.has_value());
      co_return std::move(*outcome.value);
    }
  }

 private:
  struct Nothing {};
  template <class Value>
  struct Outcome {
    std::optional<std::conditional_t<std::is_void_v<Value>, Nothing, Value>> value;
    std::exception_ptr exception;
  };

  template <class Work, class Value, class Handler>
  void start(Work& work, Outcome<Value>& outcome, Handler handler) {
    // Tracked: io_context::run() does not return while it is owed this answer.
    auto executor = boost::asio::prefer(boost::asio::get_associated_executor(handler),
                                        boost::asio::execution::outstanding_work.tracked);
    auto on_pool = [&work, &outcome, executor, handler = std::move(handler)]() mutable {
      call(work, outcome);
      auto resume = [handler = std::move(handler)]() mutable { std::move(handler)(); };
      boost::asio::post(executor, std::move(resume));
    };
    boost::asio::post(pool_, std::move(on_pool));
  }

  template <class Work, class Value>
  static void call(Work& work, Outcome<Value>& outcome) noexcept {
    try {
      if constexpr (std::is_void_v<Value>) {
        work();
      } else {
        outcome.value.emplace(work());
      }
    } catch (...) {
      outcome.exception = std::current_exception();
    }
  }

  std::string name_;
  boost::asio::thread_pool pool_;
};

}  // namespace stepscope::runtime
