#include "runtime/http_server.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/beast/core/buffers_prefix.hpp>
#include <boost/beast/core/buffers_to_string.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/string_body.hpp>
#include <exception>
#include <expected>
#include <stdexcept>
#include <unordered_set>
#include <utility>

#include "runtime/admission.h"
#include "runtime/answer.h"
#include "runtime/http_wire.h"
#include "runtime/log.h"
#include "runtime/timed_socket.h"

namespace stepscope::runtime {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = boost::beast::http;
using asio::awaitable;
using asio::ip::tcp;
using boost::system::error_code;

namespace {

using Parser = http::request_parser<http::string_body>;
using SteadyClock = std::chrono::steady_clock;
using Step = std::expected<void, Refusal>;

constexpr std::size_t read_bytes = 32 << 10;  // a webhook in one read, not in five
constexpr std::chrono::milliseconds accept_pause{100};

std::unexpected<Refusal> refuse(int status, std::string message) {
  return std::unexpected(Refusal{status, std::move(message), {}});
}

struct Session;

// What the sessions share with the server; they keep it alive when the server has gone.
struct Shared {
  Shared(asio::io_context& context, const Router& routes, HttpServerLimits bounds,
         ErrorAnswer answer)
      : router(routes),
        limits(bounds),
        on_error(std::move(answer)),
        acceptor(context),
        pause(context) {}

  const Router& router;
  const HttpServerLimits limits;
  const ErrorAnswer on_error;
  tcp::acceptor acceptor;
  asio::steady_timer pause;
  std::unordered_set<Session*> sessions;
  std::uint64_t bodies_bytes = 0;  // of all requests under way
  bool stopping = false;
};

// One connection, listed as long as it lives.
struct Session {
  Session(Shared& server, tcp::socket connection)
      : shared(server),
        socket(std::move(connection)),
        peer(socket.peer()),
        buffer(server.limits.header_bytes_max + read_bytes) {
    shared.sessions.insert(this);
  }
  ~Session() {
    hold(0);
    shared.sessions.erase(this);
  }
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  // Accounts for the body of the present request. False when all bodies together are too much.
  bool hold(std::uint64_t bytes) {
    shared.bodies_bytes += bytes - body_bytes;
    body_bytes = bytes;
    return shared.bodies_bytes <= shared.limits.bodies_bytes_max;
  }

  Shared& shared;
  TimedSocket socket;
  const std::string peer;
  beast::flat_buffer buffer;
  std::uint64_t body_bytes = 0;
  bool idle = true;  // between requests: nothing is lost by closing
  bool used = false;
};

enum class Fill { more, full, end, gone };

awaitable<Fill> fill(Session& session, SteadyClock::time_point deadline) {
  const std::size_t room = session.buffer.max_size() - session.buffer.size();
  if (room == 0) {
    co_return Fill::full;
  }
  const auto space = session.buffer.prepare(std::min(room, read_bytes));
  const TimedSocket::Transferred got = co_await session.socket.read_some(space, deadline);
  if (!got) {
    co_return got.error() == asio::error::eof ? Fill::end : Fill::gone;
  }
  session.buffer.commit(*got);
  co_return Fill::more;
}

// Feeds the parser what the buffer holds, up to the end of the header or of the message.
error_code feed(Parser& parser, beast::flat_buffer& buffer) {
  const bool in_header = !parser.is_header_done();
  error_code error;
  while (buffer.size() > 0 && !parser.is_done() && in_header != parser.is_header_done()) {
    buffer.consume(parser.put(buffer.data(), error));
    if (error) {
      break;
    }
  }
  return error == http::error::need_more ? error_code() : error;
}

// Clients of old send an empty line after a body (RFC 9112, 2.2).
void skip_empty_lines(beast::flat_buffer& buffer) {
  constexpr std::string_view line_end = "\r\n";
  while (beast::buffers_to_string(beast::buffers_prefix(2, buffer.data())) == line_end) {
    buffer.consume(line_end.size());
  }
}

awaitable<Step> read_head(Session& session, Parser& parser) {
  const HttpServerLimits& limits = session.shared.limits;
  if (session.buffer.size() == 0) {
    const auto wait = session.used ? limits.idle_timeout : limits.read_timeout;
    const Fill first = co_await fill(session, SteadyClock::now() + wait);
    if (first != Fill::more) {
      co_return refuse(0, {});
    }
  }
  const auto deadline = SteadyClock::now() + limits.read_timeout;
  while (true) {
    if (!parser.got_some()) {
      skip_empty_lines(session.buffer);
    }
    const error_code error = feed(parser, session.buffer);
    if (error == http::error::header_limit) {
      co_return refuse(431, "the request's header is larger than " +
                                std::to_string(limits.header_bytes_max) + " bytes");
    }
    if (error) {
      co_return refuse(400, "malformed request: " + error.message());
    }
    if (parser.is_header_done()) {
      co_return Step();
    }
    const Fill filled = co_await fill(session, deadline);
    if (filled == Fill::gone || (filled == Fill::end && !parser.got_some())) {
      co_return refuse(0, {});
    }
    if (filled != Fill::more) {
      co_return refuse(400, "malformed request: it ends within its header");
    }
  }
}

// The header as plain values.
HttpRequest request_of(const Parser& parser) {
  const auto& message = parser.get();
  HttpRequest request;
  request.method = std::string(message.method_string());
  request.target = std::string(message.target());
  for (const auto& field : message) {
    request.headers.emplace(field.name_string(), field.value());
  }
  return request;
}

Framing framing_of(const Parser& parser) {
  Framing framing;
  framing.http_1_0 = parser.get().version() < 11;
  framing.chunked = parser.chunked();
  if (const auto length = parser.content_length()) {
    framing.content_length = *length;
  }
  return framing;
}

awaitable<Step> read_body(Session& session, Parser& parser, const HttpRequest& head,
                          std::uint64_t bytes_max) {
  const auto begin = SteadyClock::now();
  if (head.headers.contains("Expect") && session.buffer.size() == 0 && !parser.is_done()) {
    const auto timeout = session.shared.limits.write_timeout;
    const bool invited = co_await invite_body(session.socket, timeout);
    if (!invited) {
      co_return refuse(0, {});
    }
  }
  while (true) {
    const error_code error = feed(parser, session.buffer);
    const std::uint64_t have = parser.get().body().size();
    if (have > bytes_max) {
      co_return refuse(413, fmt::format("the body is larger than {} bytes", bytes_max));
    }
    if (error) {
      co_return refuse(400, "malformed request: " + error.message());
    }
    if (!session.hold(have)) {
      co_return refuse(503, "too many bytes of other requests are under way; try again later");
    }
    if (parser.is_done()) {
      co_return Step();
    }
    const auto deadline =
        transfer_deadline(begin, SteadyClock::now(), session.shared.limits.read_timeout, have);
    const Fill filled = co_await fill(session, deadline);
    if (filled == Fill::gone) {
      co_return refuse(0, {});
    }
    if (filled != Fill::more) {
      co_return refuse(400, "malformed request: it ends within its body");
    }
  }
}

// True when the next request may follow.
awaitable<bool> answer_refusal(Session& session, Parser& parser, const Refusal& refusal) {
  const Shared& shared = session.shared;
  parser.get().body() = std::string();  // nobody will read it, and the farewell may take a while
  session.hold(0);
  if (refusal.status == 0) {
    co_return false;
  }
  HttpResponse response = shared.on_error(refusal.status, refusal.message);
  if (!refusal.allow.empty()) {
    response.headers.emplace("Allow", refusal.allow);
  }
  AnswerShape shape;
  if (parser.is_header_done()) {
    // Only then is it certain where the next request begins.
    const bool whole = parser.is_done() && (refusal.status == 404 || refusal.status == 405);
    shape.keep_alive = whole && parser.keep_alive() && !shared.stopping;
    shape.http_1_0 = parser.get().version() < 11;
    shape.head_only = parser.get().method() == http::verb::head;
  }
  const bool sent = co_await send_answer(session.socket, std::move(response), shape,
                                         shared.limits.write_timeout, shared.on_error);
  if (sent && !parser.is_done()) {
    session.idle = true;
    co_await linger(session.socket);
  }
  if (!sent) {
    co_return false;
  }
  co_return shape.keep_alive;
}

// One request and its answer. True when the next request may follow.
awaitable<bool> serve_request(Session& session) {
  const Shared& shared = session.shared;
  Parser parser;
  parser.header_limit(shared.limits.header_bytes_max);
  parser.body_limit(boost::none);  // the route's limit is not known before the header
  session.hold(0);
  session.idle = true;
  Step step = co_await read_head(session, parser);
  session.idle = false;
  if (!step) {
    co_return co_await answer_refusal(session, parser, step.error());
  }
  HttpRequest request = request_of(parser);
  const auto match = admit(shared.router, framing_of(parser), request);
  if (!match) {
    co_return co_await answer_refusal(session, parser, match.error());
  }
  step = co_await read_body(session, parser, request, match->limits.body_bytes_max);
  if (!step) {
    co_return co_await answer_refusal(session, parser, step.error());
  }
  request.body = std::move(parser.get().body());
  request.peer = session.peer;
  AnswerShape shape;
  shape.head_only = request.method == "HEAD";
  shape.http_1_0 = parser.get().version() < 11;
  HttpResponse response =
      co_await call_handler(*match->handler, std::move(request), shared.on_error);
  shape.keep_alive = parser.keep_alive() && !shared.stopping;
  const bool sent = co_await send_answer(session.socket, std::move(response), shape,
                                         shared.limits.write_timeout, shared.on_error);
  if (!sent) {
    co_return false;
  }
  co_return shape.keep_alive;
}

awaitable<void> serve_connection(std::shared_ptr<Shared> shared, tcp::socket socket) {
  error_code ignored;
  ignored = socket.set_option(tcp::no_delay(true), ignored);
  Session session(*shared, std::move(socket));
  bool more = !shared->stopping;
  while (more) {
    more = co_await serve_request(session);
    session.used = true;
  }
}

void log_end(const std::exception_ptr& exception) {
  try {
    if (exception) {
      std::rethrow_exception(exception);
    }
  } catch (const std::exception& error) {
    log(LogLevel::error, "connection ended by an exception", {{"error", error.what()}});
  }
}

awaitable<void> accept_connections(std::shared_ptr<Shared> shared) {
  while (!shared->stopping) {
    error_code error;
    auto token = asio::redirect_error(asio::use_awaitable, error);
    tcp::socket socket = co_await shared->acceptor.async_accept(token);
    if (shared->stopping) {
      break;
    }
    if (error) {  // most likely out of file descriptors for a moment
      shared->pause.expires_after(accept_pause);
      co_await shared->pause.async_wait(token);
    } else if (shared->sessions.size() >= shared->limits.connections_max) {
      turn_away(std::move(socket), shared->on_error(503, "too many connections; try again later"));
    } else {
      asio::co_spawn(shared->acceptor.get_executor(), serve_connection(shared, std::move(socket)),
                     log_end);
    }
  }
}

}  // namespace

struct HttpServer::Impl {
  const std::shared_ptr<Shared> shared;
};

HttpServer::HttpServer(asio::io_context& context, const Router& router, HttpServerLimits limits,
                       ErrorAnswer on_error)
    : impl_(std::make_unique<Impl>(
          std::make_shared<Shared>(context, router, limits, std::move(on_error)))) {}

HttpServer::~HttpServer() {
  stop();
  for (Session* session : impl_->shared->sessions) {
    session->socket.close();
  }
}

void HttpServer::listen(const std::string& address, std::uint16_t port) {
  const std::string where = fmt::format("can not listen on {} port {}: ", address, port);
  error_code error;
  const auto ip = asio::ip::make_address(address, error);
  if (error) {
    throw std::runtime_error(where + "this is no IP address");
  }
  const tcp::endpoint endpoint(ip, port);
  tcp::acceptor& acceptor = impl_->shared->acceptor;
  try {
    acceptor.open(endpoint.protocol());
    acceptor.set_option(tcp::acceptor::reuse_address(true));
    acceptor.bind(endpoint);
    acceptor.listen();
  } catch (const boost::system::system_error& failure) {
    throw std::runtime_error(where + failure.code().message());
  }
  asio::co_spawn(acceptor.get_executor(), accept_connections(impl_->shared), log_end);
}

std::uint16_t HttpServer::port() const { return impl_->shared->acceptor.local_endpoint().port(); }

void HttpServer::stop() {
  Shared& shared = *impl_->shared;
  shared.stopping = true;
  error_code ignored;
  ignored = shared.acceptor.close(ignored);
  shared.pause.cancel();
  for (Session* session : shared.sessions) {
    if (session->idle) {
      session->socket.close();
    }
  }
}

}  // namespace stepscope::runtime
