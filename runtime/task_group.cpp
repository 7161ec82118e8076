#include "runtime/task_group.h"

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/dispatch.hpp>
#include <boost/asio/error.hpp>
#include <boost/system/system_error.hpp>
#include <chrono>
#include <cstdint>
#include <exception>
#include <map>
#include <utility>
#include <vector>

#include "runtime/log.h"
#include "runtime/wakeup.h"

namespace stepscope::runtime {

namespace asio = boost::asio;

// Shared with the end of every task, which may come after the group has gone.
struct TaskGroup::State {
  struct Task {
    std::string name;
    Kind kind;
    asio::cancellation_signal signal;
  };

  explicit State(asio::io_context& owner) : context(owner), ended(owner.get_executor()) {}

  void finish(std::uint64_t id, const std::exception_ptr& exception) {
    const std::shared_ptr<Task> task = std::move(tasks.extract(id).mapped());
    if (exception) {
      report(*task, exception);
    }
    ended.poke();
  }

  void report(const Task& task, const std::exception_ptr& exception) {
    std::string reason;
    try {
      std::rethrow_exception(exception);
    } catch (const boost::system::system_error& error) {
      if (stopping && error.code() == asio::error::operation_aborted) {
        return;
      }
      reason = error.what();
    } catch (const std::exception& error) {
      reason = error.what();
    } catch (...) {
      reason = "unknown exception";
    }
    log(LogLevel::error, "task failed", {{"task", task.name}, {"error", reason}});
    if (task.kind == Kind::essential) {
      failed = true;
      context.stop();
    }
  }

  asio::io_context& context;
  Wakeup ended;
  std::map<std::uint64_t, std::shared_ptr<Task>> tasks;
  std::uint64_t next_id = 0;
  bool stopping = false;
  bool failed = false;
};

TaskGroup::TaskGroup(asio::io_context& context) : state_(std::make_shared<State>(context)) {}

void TaskGroup::spawn(std::string name, asio::awaitable<void> coroutine, Kind kind) {
  if (state_->stopping) {
    return;
  }
  const std::uint64_t id = state_->next_id++;
  auto task = std::make_shared<State::Task>();
  task->name = std::move(name);
  task->kind = kind;
  state_->tasks.emplace(id, task);
  auto on_end = [state = state_, id](const std::exception_ptr& exception) {
    state->finish(id, exception);
  };
  asio::co_spawn(state_->context, std::move(coroutine),
                 asio::bind_cancellation_slot(task->signal.slot(), std::move(on_end)));
}

void TaskGroup::stop() {
  state_->stopping = true;
  // Inside the io_context: a signal that is emitted beside it reaches coroutines only later, when
  // they may have ended.
  auto cancel_all = [state = state_] {
    std::vector<std::shared_ptr<State::Task>> running;
    for (const auto& [id, task] : state->tasks) running.push_back(task);
    for (const auto& task : running) task->signal.emit(asio::cancellation_type::terminal);
  };
  asio::dispatch(state_->context, std::move(cancel_all));
}

asio::awaitable<void> TaskGroup::wait() {
  const std::shared_ptr<State> state = state_;
  while (!state->tasks.empty()) {
    co_await state->ended.sleep(std::chrono::hours(1));
  }
}

std::size_t TaskGroup::size() const { return state_->tasks.size(); }

bool TaskGroup::failed() const { return state_->failed; }

}  // namespace stepscope::runtime
