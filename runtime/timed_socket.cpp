#include "runtime/timed_socket.h"

#include <boost/asio/redirect_error.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>
#include <utility>

namespace stepscope::runtime {

namespace asio = boost::asio;
using boost::system::error_code;

// Shared with the handler of the timer, which may run once more after the socket has gone.
struct TimedSocket::State : std::enable_shared_from_this<State> {
  explicit State(asio::ip::tcp::socket connection)
      : socket(std::move(connection)), timer(socket.get_executor()) {}

  // The timer runs on between operations and looks at the deadline only when it fires: a connection
  // that is served quickly costs one timer operation in all, not two for every read.
  void expect(TimePoint new_deadline) {
    deadline = new_deadline;
    if (!watched || new_deadline < timer.expiry()) {
      watch();
    }
  }

  void expect_nothing() { deadline = TimePoint::max(); }

  void watch() {
    watched = true;
    timer.expires_at(deadline);
    timer.async_wait([self = shared_from_this()](const error_code& error) {
      if (!error) {  // else a later watch() took over, or the socket is closed
        self->on_timer();
      }
    });
  }

  void on_timer() {
    if (deadline == TimePoint::max()) {
      watched = false;
    } else if (std::chrono::steady_clock::now() >= deadline) {
      close();
    } else {
      watch();
    }
  }

  void close() {
    error_code ignored;
    ignored = socket.close(ignored);
    timer.cancel();
  }

  asio::ip::tcp::socket socket;
  asio::steady_timer timer;
  TimePoint deadline = TimePoint::max();
  bool watched = false;
};

TimedSocket::TimedSocket(asio::ip::tcp::socket socket)
    : state_(std::make_shared<State>(std::move(socket))) {}

TimedSocket::~TimedSocket() { state_->close(); }

asio::awaitable<TimedSocket::Transferred> TimedSocket::read_some(asio::mutable_buffer space,
                                                                 TimePoint deadline) {
  const std::shared_ptr<State> state = state_;
  error_code error;
  auto token = asio::redirect_error(asio::use_awaitable, error);
  state->expect(deadline);
  const std::size_t bytes = co_await state->socket.async_read_some(space, token);
  state->expect_nothing();
  if (error) {
    co_return std::unexpected(error);
  }
  co_return bytes;
}

asio::awaitable<TimedSocket::Transferred> TimedSocket::write(
    std::array<asio::const_buffer, 2> bytes, TimePoint deadline) {
  const std::shared_ptr<State> state = state_;
  error_code error;
  auto token = asio::redirect_error(asio::use_awaitable, error);
  state->expect(deadline);
  const std::size_t written = co_await asio::async_write(state->socket, bytes, token);
  state->expect_nothing();
  if (error) {
    co_return std::unexpected(error);
  }
  co_return written;
}

void TimedSocket::shutdown_send() {
  error_code ignored;
  ignored = state_->socket.shutdown(asio::ip::tcp::socket::shutdown_send, ignored);
}

void TimedSocket::close() { state_->close(); }

std::string TimedSocket::peer() const {
  error_code error;
  const auto endpoint = state_->socket.remote_endpoint(error);
  return error ? std::string() : endpoint.address().to_string();
}

}  // namespace stepscope::runtime
