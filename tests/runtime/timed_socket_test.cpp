#include "runtime/timed_socket.h"

#include <doctest/doctest.h>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <optional>

#include "tests/support/http_probe.h"

namespace stepscope::runtime {

namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using test_support::HttpProbe;
using namespace std::chrono_literals;
using Transferred = TimedSocket::Transferred;

// Both ends of a connection, without a second thread: the kernel holds what is under way.
struct Fixture {
  asio::io_context context;
  tcp::acceptor acceptor{context, tcp::endpoint(asio::ip::address_v4::loopback(), 0)};
  HttpProbe probe{acceptor.local_endpoint().port()};
  std::optional<TimedSocket> socket{acceptor.accept()};
};

asio::awaitable<void> read_into(TimedSocket& socket, std::chrono::milliseconds limit,
                                std::string& text, std::optional<Transferred>& result) {
  text.resize(100);
  const auto space = asio::buffer(text);
  const auto deadline = std::chrono::steady_clock::now() + limit;
  result = co_await socket.read_some(space, deadline);
  text.resize(result->value_or(0));
}

asio::awaitable<void> write_all(TimedSocket& socket, std::chrono::milliseconds limit,
                                std::string first, std::string second,
                                std::optional<Transferred>& result) {
  const std::array<asio::const_buffer, 2> bytes{asio::buffer(first), asio::buffer(second)};
  const auto deadline = std::chrono::steady_clock::now() + limit;
  result = co_await socket.write(bytes, deadline);
}

}  // namespace

TEST_CASE_FIXTURE(Fixture, "reads what comes, then the end") {
  std::string text;
  std::optional<Transferred> result;
  CHECK(socket->peer() == "127.0.0.1");
  probe.send("hello");
  asio::co_spawn(context, read_into(*socket, 1h, text, result), asio::detached);
  while (!result) {
    context.run_one();
  }
  CHECK(result->value() == 5);
  CHECK(text == "hello");
  result.reset();
  probe.shutdown_send();
  asio::co_spawn(context, read_into(*socket, 1h, text, result), asio::detached);
  while (!result) {
    context.run_one();
  }
  REQUIRE(!*result);
  CHECK(result->error() == asio::error::eof);
  socket.reset();
  context.run();  // the destructor leaves no timer behind
  CHECK(context.stopped());
}

TEST_CASE_FIXTURE(Fixture, "a read without data ends at its deadline and closes the connection") {
  std::string text;
  std::optional<Transferred> result;
  asio::co_spawn(context, read_into(*socket, 1ms, text, result), asio::detached);
  context.run();
  REQUIRE(result.has_value());
  REQUIRE(!*result);
  CHECK(result->error() == asio::error::operation_aborted);
  CHECK(probe.read_until_eof() == "");
  CHECK(socket->peer() == "");
}

TEST_CASE_FIXTURE(Fixture, "an earlier deadline replaces a later one") {
  std::string text;
  std::optional<Transferred> result;
  probe.send("x");
  asio::co_spawn(context, read_into(*socket, 1h, text, result), asio::detached);
  while (!result) {
    context.run_one();
  }
  CHECK(text == "x");
  asio::co_spawn(context, read_into(*socket, 1ms, text, result), asio::detached);
  context.run();  // does not last an hour
  REQUIRE(!*result);
  CHECK(result->error() == asio::error::operation_aborted);
}

TEST_CASE_FIXTURE(Fixture, "a deadline that has been met does not close the next operation") {
  std::string text;
  std::optional<Transferred> result;
  probe.send("x");
  asio::co_spawn(context, read_into(*socket, 1ms, text, result), asio::detached);
  while (!result) {
    context.run_one();
  }
  const bool in_time = result->has_value();
  CHECK(in_time);
  result.reset();
  asio::co_spawn(context, read_into(*socket, 1h, text, result), asio::detached);
  context.run_one_for(50ms);  // the timer of the first deadline fires and finds another one
  CHECK(!result.has_value());
  probe.send("y");
  while (!result) {
    context.run_one();
  }
  CHECK(text == "y");
}

TEST_CASE_FIXTURE(Fixture, "writes two buffers as one") {
  std::optional<Transferred> result;
  asio::co_spawn(context, write_all(*socket, 1h, "head ", "body", result), asio::detached);
  while (!result) {
    context.run_one();
  }
  CHECK(result->value() == 9);
  socket->shutdown_send();
  CHECK(probe.read_until_eof() == "head body");
}

TEST_CASE_FIXTURE(Fixture, "a write that nobody reads ends at its deadline") {
  const std::string much(64 << 20, 'x');  // more than two socket buffers
  std::optional<Transferred> result;
  asio::co_spawn(context, write_all(*socket, 20ms, much, "", result), asio::detached);
  context.run();
  REQUIRE(!*result);
  CHECK(result->error() == asio::error::operation_aborted);
}

TEST_CASE_FIXTURE(Fixture, "close ends a pending read, the destructor too") {
  for (const bool by_destructor : {false, true}) {
    socket.reset();
    HttpProbe other(acceptor.local_endpoint().port());
    probe.shutdown_send();
    socket.emplace(acceptor.accept());
    std::string text;
    std::optional<Transferred> result;
    asio::co_spawn(context, read_into(*socket, 1h, text, result), asio::detached);
    context.restart();
    context.poll();
    CHECK(!result.has_value());
    if (by_destructor) {
      socket.reset();
    } else {
      socket->close();
    }
    context.run();
    REQUIRE(!*result);
    CHECK(result->error() == asio::error::operation_aborted);
  }
}

}  // namespace stepscope::runtime
