#pragma once
// Owns the long-lived coroutines of a process by name: starts them, cancels them, waits for their
// end, and makes sure that none dies unnoticed. All calls happen on the io_context's one thread (or
// while it does not run); it does not own the io_context, which must outlive it.

#include <boost/asio/awaitable.hpp>
#include <boost/asio/io_context.hpp>
#include <cstddef>
#include <memory>
#include <string>

namespace stepscope::runtime {

class TaskGroup {
 public:
  // An exception that escapes a task is logged. An essential task then also stops the io_context,
  // so that the process ends with an error and does not limp on without, say, its dispatcher.
  enum class Kind { ordinary, essential };

  explicit TaskGroup(boost::asio::io_context& context);

  // After stop() nothing is started any more.
  void spawn(std::string name, boost::asio::awaitable<void> task, Kind kind = Kind::ordinary);
  // Cancels every task: its present or next co_await throws operation_aborted, which it lets pass.
  // A task that swallows this in a loop must leave the loop by itself.
  void stop();
  // Returns when no task is left. Not for a task of the group itself; one waiter at a time.
  boost::asio::awaitable<void> wait();

  std::size_t size() const;
  bool failed() const;  // an essential task has ended by an exception

 private:
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace stepscope::runtime
