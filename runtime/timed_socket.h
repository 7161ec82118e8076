#pragma once
// Owns one TCP connection whose every read and write has a deadline: when it passes, the connection
// is closed and the operation fails. One io_context thread; one read or write at a time.

#include <array>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/buffer.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/system/error_code.hpp>
#include <chrono>
#include <cstddef>
#include <expected>
#include <memory>
#include <string>

namespace stepscope::runtime {

class TimedSocket {
 public:
  using TimePoint = std::chrono::steady_clock::time_point;
  using Transferred = std::expected<std::size_t, boost::system::error_code>;

  explicit TimedSocket(boost::asio::ip::tcp::socket socket);
  ~TimedSocket();  // closes
  TimedSocket(const TimedSocket&) = delete;
  TimedSocket& operator=(const TimedSocket&) = delete;

  // At least one byte, or an error (asio::error::eof at the end of what the other side sends).
  boost::asio::awaitable<Transferred> read_some(boost::asio::mutable_buffer space,
                                                TimePoint deadline);
  // All bytes of both buffers, the second of which may be empty.
  boost::asio::awaitable<Transferred> write(std::array<boost::asio::const_buffer, 2> bytes,
                                            TimePoint deadline);
  void shutdown_send();
  void close();  // a pending operation fails

  std::string peer() const;  // address of the other side, "" when it has gone

 private:
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace stepscope::runtime
