#include "workers/recipes/op_stream.h"

#include <chrono>
#include <utility>

namespace stepscope::workers {

std::int64_t steady_now_ns() {
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::nanoseconds>(now).count();
}

OpStream::OpStream(int id) : id_(id), thread_([this] { serve(); }) {}

OpStream::~OpStream() {
  {
    const std::lock_guard lock(mutex_);
    closing_ = true;
  }
  ready_.notify_one();
  thread_.join();
}

void OpStream::push(Item item) {
  {
    const std::lock_guard lock(mutex_);
    queue_.push_back(std::move(item));
  }
  ready_.notify_one();
}

TimedLaunch OpStream::launch(std::string_view name, std::int64_t correlation,
                             std::function<void()> op) {
  const std::int64_t start_ns = steady_now_ns();
  push({name, correlation, std::move(op)});
  return {correlation, start_ns, steady_now_ns() - start_ns};
}

StreamEvent OpStream::record() {
  auto event = std::make_shared<std::latch>(1);
  push({{}, 0, [event] { event->count_down(); }});
  return event;
}

void OpStream::wait(StreamEvent event) {
  push({{}, 0, [event = std::move(event)] { event->wait(); }});
}

std::vector<TimedOp> OpStream::take_ops() {
  const std::lock_guard lock(mutex_);
  return std::exchange(ops_, {});
}

void OpStream::serve() {
  while (true) {
    Item item;
    {
      std::unique_lock lock(mutex_);
      ready_.wait(lock, [this] { return closing_ || !queue_.empty(); });
      if (queue_.empty()) return;
      item = std::move(queue_.front());
      queue_.pop_front();
    }
    if (item.name.empty()) {
      item.op();
      continue;
    }
    const std::int64_t start_ns = steady_now_ns();
    item.op();
    const std::int64_t dur_ns = steady_now_ns() - start_ns;
    const std::lock_guard lock(mutex_);
    ops_.push_back({item.name, id_, item.correlation, start_ns, dur_ns});
  }
}

}  // namespace stepscope::workers
