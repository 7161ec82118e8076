#include "runtime/task_group.h"

#include <doctest/doctest.h>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <optional>
#include <stdexcept>
#include <vector>

#include "runtime/wakeup.h"

namespace stepscope::runtime {

namespace {

namespace asio = boost::asio;
using asio::awaitable;
using Notes = std::vector<std::string>;

// Notes its end in any way it comes.
struct Witness {
  Notes& notes;
  std::string text;
  ~Witness() { notes.push_back(text); }
};

awaitable<void> sleep_for_ever(Wakeup& wakeup, Notes& notes, std::string name) {
  const Witness witness{notes, name + " ended"};
  while (true) {
    co_await wakeup.sleep(std::chrono::hours(1));
    notes.push_back(name + " woken");
  }
}

awaitable<void> fail_when_woken(Wakeup& wakeup) {
  co_await wakeup.sleep(std::chrono::hours(1));
  throw std::runtime_error("the database is gone");
}

awaitable<void> note_at_once(Notes& notes) {
  notes.emplace_back("ran");
  co_return;
}

awaitable<void> wait_and_note(TaskGroup& group, Notes& notes) {
  co_await group.wait();
  notes.emplace_back("waited");
}

struct Fixture {
  Notes notes;  // outlives the coroutines that go with the io_context
  asio::io_context context;
  Wakeup first{context.get_executor()};
  Wakeup second{context.get_executor()};
  TaskGroup group{context};
};

}  // namespace

TEST_CASE_FIXTURE(Fixture, "stop cancels every task and wait returns after the last") {
  group.spawn("a", sleep_for_ever(first, notes, "a"));
  group.spawn("b", sleep_for_ever(second, notes, "b"), TaskGroup::Kind::essential);
  asio::co_spawn(context, wait_and_note(group, notes), asio::detached);
  context.poll();
  CHECK(group.size() == 2);
  first.poke();
  context.poll();
  CHECK(notes == Notes{"a woken"});
  group.stop();
  context.run();  // returns by itself: nothing is left
  CHECK(notes == Notes{"a woken", "a ended", "b ended", "waited"});
  CHECK(group.size() == 0);
  CHECK(!group.failed());  // being cancelled is no failure
}

TEST_CASE_FIXTURE(Fixture, "an ordinary task that fails leaves the others alone") {
  group.spawn("bad", fail_when_woken(first));
  group.spawn("good", sleep_for_ever(second, notes, "good"));
  context.poll();
  first.poke();
  context.poll();
  CHECK(group.size() == 1);
  CHECK(!group.failed());
  CHECK(!context.stopped());
  second.poke();
  context.poll();
  CHECK(notes == Notes{"good woken"});
}

TEST_CASE_FIXTURE(Fixture, "an essential task that fails ends the io_context") {
  group.spawn("bad", fail_when_woken(first), TaskGroup::Kind::essential);
  group.spawn("good", sleep_for_ever(second, notes, "good"));
  first.poke();
  context.run();  // would not return while "good" sleeps
  CHECK(context.stopped());
  CHECK(group.failed());
}

TEST_CASE_FIXTURE(Fixture, "a failure while stopping is a failure, too") {
  first.poke();
  group.spawn("bad", fail_when_woken(first), TaskGroup::Kind::essential);
  context.poll();
  group.stop();
  CHECK(group.failed());
}

TEST_CASE_FIXTURE(Fixture, "a task that was not yet begun is cancelled at its first wait") {
  group.spawn("a", sleep_for_ever(first, notes, "a"));
  group.stop();
  context.run();
  CHECK(notes == Notes{"a ended"});
}

TEST_CASE_FIXTURE(Fixture, "after stop nothing is started") {
  group.stop();
  group.spawn("late", note_at_once(notes));
  asio::co_spawn(context, wait_and_note(group, notes), asio::detached);
  context.run();
  CHECK(notes == Notes{"waited"});
}

TEST_CASE("tasks end safely whichever of group and io_context goes first") {
  Notes notes;
  {
    std::optional<TaskGroup> group;
    asio::io_context context;
    Wakeup wakeup(context.get_executor());
    group.emplace(context);
    group->spawn("a", sleep_for_ever(wakeup, notes, "a"));
    context.poll();
    group.reset();
    context.poll();
    CHECK(notes.empty());
  }
  CHECK(notes == Notes{"a ended"});
}

}  // namespace stepscope::runtime
