#include "runtime/answer.h"

#include <array>
#include <boost/asio/buffer.hpp>
#include <cstdint>
#include <ctime>
#include <exception>
#include <string_view>
#include <utility>
#include <vector>

#include "runtime/body_source.h"
#include "runtime/log.h"

namespace stepscope::runtime {

namespace asio = boost::asio;
using SteadyClock = std::chrono::steady_clock;

namespace {

constexpr std::chrono::seconds linger_timeout{5};
constexpr std::uint64_t linger_bytes_max = 64 << 20;

Result<BodySource> open_answer(HttpResponse& response) {
  if (!is_sendable(response)) {
    return fail("the answer's status or one of its headers can not be sent");
  }
  return BodySource::open(response);
}

}  // namespace

asio::awaitable<bool> invite_body(TimedSocket& socket, std::chrono::milliseconds write_timeout) {
  constexpr std::string_view go_on = "HTTP/1.1 100 Continue\r\n\r\n";
  const std::array<asio::const_buffer, 2> bytes{asio::buffer(go_on), asio::const_buffer()};
  const auto deadline = SteadyClock::now() + write_timeout;
  const TimedSocket::Transferred sent = co_await socket.write(bytes, deadline);
  co_return sent.has_value();
}

asio::awaitable<HttpResponse> call_handler(const Handler& handler, HttpRequest request,
                                           const ErrorAnswer& on_error) {
  const std::string what = request.method + " " + request.path;
  std::string reason;
  try {
    co_return co_await handler(std::move(request));
  } catch (const std::exception& error) {
    reason = error.what();
  } catch (...) {
    reason = "unknown exception";
  }
  log(LogLevel::error, "request failed", {{"request", what}, {"error", reason}});
  co_return on_error(500, "internal error");
}

asio::awaitable<bool> send_answer(TimedSocket& socket, HttpResponse response, AnswerShape shape,
                                  std::chrono::milliseconds write_timeout,
                                  const ErrorAnswer& on_error) {
  Result<BodySource> first_try = open_answer(response);
  if (!first_try) {
    log(LogLevel::error, "answer replaced by status 500", {{"error", first_try.error().message}});
    response = on_error(500, "internal error");
  }
  Result<BodySource> source = first_try ? std::move(first_try) : open_answer(response);
  if (!source) {
    co_return false;
  }
  const bool has_body = !shape.head_only && !is_bodyless(response.status);
  std::string head = answer_head(response, source->size(), shape, std::time(nullptr));
  const auto begin = SteadyClock::now();
  std::uint64_t moved = 0;
  while (true) {
    const Result<std::string_view> block = has_body ? source->next() : std::string_view();
    if (!block) {
      log(LogLevel::error, "answer cut", {{"error", block.error().message}});
      co_return false;
    }
    if (head.empty() && block->empty()) {
      co_return true;
    }
    const std::array<asio::const_buffer, 2> bytes{asio::buffer(head), asio::buffer(*block)};
    const auto deadline = transfer_deadline(begin, SteadyClock::now(), write_timeout, moved);
    const TimedSocket::Transferred sent = co_await socket.write(bytes, deadline);
    if (!sent) {
      co_return false;
    }
    moved += *sent;
    head.clear();
  }
}

asio::awaitable<void> linger(TimedSocket& socket) {
  socket.shutdown_send();
  std::vector<char> bin(64 << 10);
  const auto space = asio::buffer(bin);
  const auto deadline = SteadyClock::now() + linger_timeout;
  std::uint64_t thrown_away = 0;
  while (thrown_away < linger_bytes_max) {
    const TimedSocket::Transferred got = co_await socket.read_some(space, deadline);
    if (!got) {
      co_return;
    }
    thrown_away += *got;
  }
}

void turn_away(asio::ip::tcp::socket socket, const HttpResponse& response) {
  const std::string bytes =
      answer_head(response, response.body.size(), AnswerShape(), std::time(nullptr)) +
      response.body;
  boost::system::error_code ignored;
  ignored = socket.non_blocking(true, ignored);
  socket.send(asio::buffer(bytes), 0, ignored);
  ignored = socket.shutdown(asio::ip::tcp::socket::shutdown_send, ignored);
}

}  // namespace stepscope::runtime
