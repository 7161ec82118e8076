#include "runtime/timed_socket.h"

#include <doctest/doctest.h>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <memory>

#include "tests/support/http_probe.h"

namespace stepscope::runtime {

namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using tests::HttpProbe;
using namespace std::chrono_literals;
using Transferred = TimedSocket::Transferred;

// How an operation ended, once it has.
struct Ending {
  bool reached = false;
  Transferred result = 0;

  std::size_t bytes() const { return result.value_or(0); }
  boost::system::error_code error() const {
    return result ? boost::system::error_code() : result.error();
  }
};

asio::awaitable<void> read_into(TimedSocket& socket, std::chrono::milliseconds limit,
                                std::string& text, Ending& ending) {
  text.resize(100);
  const auto space = asio::buffer(text);
  const auto deadline = std::chrono::steady_clock::now() + limit;
  ending.result = co_await socket.read_some(space, deadline);
  ending.reached = true;
  text.resize(ending.bytes());
}

asio::awaitable<void> write_all(TimedSocket& socket, std::chrono::milliseconds limit,
                                std::string first, std::string second, Ending& ending) {
  const std::array<asio::const_buffer, 2> bytes{asio::buffer(first), asio::buffer(second)};
  const auto deadline = std::chrono::steady_clock::now() + limit;
  ending.result = co_await socket.write(bytes, deadline);
  ending.reached = true;
}

// Both ends of a connection, without a second thread: the kernel holds what is under way.
struct Fixture {
  asio::io_context context;
  tcp::acceptor acceptor{context, tcp::endpoint(asio::ip::address_v4::loopback(), 0)};
  HttpProbe probe{acceptor.local_endpoint().port()};
  std::unique_ptr<TimedSocket> socket = std::make_unique<TimedSocket>(acceptor.accept());
  std::string text;
  Ending ending;

  void begin_read(std::chrono::milliseconds limit) {
    ending = {};
    asio::co_spawn(context, read_into(*socket, limit, text, ending), asio::detached);
  }
  void begin_write(std::chrono::milliseconds limit, std::string first, std::string second) {
    asio::co_spawn(context, write_all(*socket, limit, std::move(first), std::move(second), ending),
                   asio::detached);
  }
  void finish() {
    while (!ending.reached) {
      context.run_one();
    }
  }
};

}  // namespace

TEST_CASE_FIXTURE(Fixture, "reads what comes, then the end") {
  CHECK(socket->peer() == "127.0.0.1");
  probe.send("hello");
  begin_read(1h);
  finish();
  CHECK(ending.bytes() == 5);
  CHECK(text == "hello");
  probe.shutdown_send();
  begin_read(1h);
  finish();
  CHECK(ending.error() == asio::error::eof);
  socket.reset();
  context.run();  // the destructor leaves no timer behind
  CHECK(context.stopped());
}

TEST_CASE_FIXTURE(Fixture, "a read without data ends at its deadline and closes the connection") {
  begin_read(1ms);
  finish();
  CHECK(ending.error() == asio::error::operation_aborted);
  CHECK(probe.read_until_eof() == "");
  CHECK(socket->peer() == "");
}

TEST_CASE_FIXTURE(Fixture, "an earlier deadline replaces a later one") {
  probe.send("x");
  begin_read(1h);
  finish();
  CHECK(text == "x");
  begin_read(1ms);
  finish();  // does not last an hour
  CHECK(ending.error() == asio::error::operation_aborted);
}

TEST_CASE_FIXTURE(Fixture, "a deadline that has been met does not close the next operation") {
  probe.send("x");
  begin_read(200ms);
  finish();
  CHECK(text == "x");
  begin_read(1h);
  context.poll();
  context.run_one();  // the timer of the first deadline fires and finds another one
  CHECK(!ending.reached);
  probe.send("y");
  finish();
  CHECK(text == "y");
}

TEST_CASE_FIXTURE(Fixture, "writes two buffers as one") {
  begin_write(1h, "head ", "body");
  finish();
  CHECK(ending.bytes() == 9);
  socket->shutdown_send();
  CHECK(probe.read_until_eof() == "head body");
}

TEST_CASE_FIXTURE(Fixture, "a write that nobody reads ends at its deadline") {
  begin_write(20ms, std::string(64 << 20, 'x'), "");  // more than two socket buffers
  finish();
  CHECK(ending.error().failed());  // aborted, or between two parts: bad descriptor
}

TEST_CASE_FIXTURE(Fixture, "close ends a pending read") {
  begin_read(1h);
  context.poll();
  CHECK(!ending.reached);
  socket->close();
  finish();
  CHECK(ending.error() == asio::error::operation_aborted);
}

TEST_CASE_FIXTURE(Fixture, "the destructor ends a pending read") {
  begin_read(1h);
  context.poll();
  CHECK(!ending.reached);
  socket.reset();
  finish();
  CHECK(ending.error() == asio::error::operation_aborted);
}

}  // namespace stepscope::runtime
