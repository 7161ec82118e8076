#pragma once
// Sends an answer over a connection, streaming its body in blocks, and takes leave of a client that
// may still be sending. Owns nothing.

#include <boost/asio/awaitable.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <chrono>
#include <functional>
#include <string>

#include "runtime/http_message.h"
#include "runtime/http_wire.h"
#include "runtime/router.h"
#include "runtime/timed_socket.h"

namespace stepscope::runtime {

// Makes the answer to a request that reached no handler: status and one line of reason.
using ErrorAnswer = std::function<HttpResponse(int status, std::string message)>;

// Sends "100 Continue", for which a client waits that said Expect. False when the connection is
// gone.
boost::asio::awaitable<bool> invite_body(TimedSocket& socket,
                                         std::chrono::milliseconds write_timeout);

// The handler's answer, or on_error(500) and a line in the log when it throws.
boost::asio::awaitable<HttpResponse> call_handler(const Handler& handler, HttpRequest request,
                                                  const ErrorAnswer& on_error);

// False when the connection can not be used any more. An answer that can not be sent as it is
// (header, file) is logged and replaced by on_error(500). `socket` and `on_error` outlive the call.
boost::asio::awaitable<bool> send_answer(TimedSocket& socket, HttpResponse response,
                                         AnswerShape shape, std::chrono::milliseconds write_timeout,
                                         const ErrorAnswer& on_error);

// After an answer that the client may not have waited for: closing at once would reset the
// connection under the answer. Ends sending, and throws away what still arrives, for at most 5
// seconds and 64 MiB.
boost::asio::awaitable<void> linger(TimedSocket& socket);

// Sends a short answer without waiting, as far as the connection takes it, and closes: a connection
// too many costs next to nothing.
void turn_away(boost::asio::ip::tcp::socket socket, const HttpResponse& response);

}  // namespace stepscope::runtime
