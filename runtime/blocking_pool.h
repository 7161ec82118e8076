#pragma once
// A named pool of threads for work that blocks (SQLite, libcurl, the analysis). A coroutine awaits
// run() and resumes on its own executor; an exception of the work arrives there too. The pool must
// outlive every run(); its destructor waits for work that has begun and drops what has not.

#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/thread_pool.hpp>
#include <boost/asio/use_awaitable.hpp>
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

  // `work` is a plain callable, moved to a thread of the pool and called once. Build it in a line of
  // its own: the operand of co_await is a name.
  template <class Work>
  boost::asio::awaitable<std::invoke_result_t<Work&>> run(Work work) {
    using Value = std::invoke_result_t<Work&>;
    auto call = call_on_pool<Value, Work>(std::move(work));
    if constexpr (std::is_void_v<Value>) {
      co_await boost::asio::co_spawn(pool_, std::move(call), boost::asio::use_awaitable);
    } else {
      co_return co_await boost::asio::co_spawn(pool_, std::move(call), boost::asio::use_awaitable);
    }
  }

 private:
  template <class Value, class Work>
  static boost::asio::awaitable<Value> call_on_pool(Work work) {
    co_return work();
  }

  std::string name_;
  boost::asio::thread_pool pool_;
};

}  // namespace stepscope::runtime
