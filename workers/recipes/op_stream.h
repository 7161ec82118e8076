#pragma once
// A thread that runs operations in the order in which they were launched and times each: the CPU's
// counterpart of a GPU stream. An OpStream joins its thread when it goes.

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <latch>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace stepscope::workers {

// Nanoseconds of the steady clock.
std::int64_t steady_now_ns();

struct TimedOp {
  std::string_view name;  // of static storage
  int stream = 0;
  std::int64_t correlation = 0;
  std::int64_t start_ns = 0;
  std::int64_t dur_ns = 0;
};

// What a framework records beside a launch: the operator and the sizes of its inputs.
struct Operator {
  std::string_view name{};  // of static storage; empty: not recorded
  std::string dims{};       // "[[4, 64], [64, 192]]"
};

struct TimedLaunch {
  std::int64_t correlation = 0;
  std::int64_t start_ns = 0;
  std::int64_t dur_ns = 0;
  Operator by{};
};

struct TimedMarker {
  std::string name;
  std::int64_t start_ns = 0;
  std::int64_t dur_ns = 0;
};

// Set by one stream, awaited by another or by the host.
using StreamEvent = std::shared_ptr<std::latch>;

class OpStream {
 public:
  explicit OpStream(int id);
  ~OpStream();
  OpStream(const OpStream&) = delete;
  OpStream& operator=(const OpStream&) = delete;

  // Called by one host thread. The operation is timed without the wait for those before it.
  TimedLaunch launch(std::string_view name, std::int64_t correlation, std::function<void()> op);
  // What has been launched so far is done once the event is set.
  StreamEvent record();
  // What is launched from now on starts after `event`.
  void wait(StreamEvent event);
  // After an awaited record() nothing runs any more: all operations in order.
  std::vector<TimedOp> take_ops();

 private:
  struct Item {
    std::string_view name;  // empty: no operation, not timed
    std::int64_t correlation = 0;
    std::function<void()> op;
  };
  void push(Item item);
  void serve();

  int id_;
  std::mutex mutex_;
  std::condition_variable ready_;
  std::deque<Item> queue_;
  bool closing_ = false;
  std::vector<TimedOp> ops_;
  std::thread thread_;
};

}  // namespace stepscope::workers
