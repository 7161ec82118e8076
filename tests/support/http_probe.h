#pragma once
// A raw TCP client on loopback for tests of HTTP servers: sends any bytes, well-formed or not, and
// reads what comes back. Blocking; owns its connection. Gives up after 30 seconds, so that a broken
// server fails a test and does not hang it.

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

namespace stepscope::tests {

struct ProbeResponse {
  int status = 0;                              // 0: the connection ended before a whole response
  std::map<std::string, std::string> headers;  // names in lower case
  std::string body;

  // "" when absent.
  std::string header(const std::string& lower_case_name) const;
};

class HttpProbe {
 public:
  // Throws std::runtime_error when nothing listens on 127.0.0.1 at this port.
  explicit HttpProbe(std::uint16_t port);
  ~HttpProbe();
  HttpProbe(const HttpProbe&) = delete;
  HttpProbe& operator=(const HttpProbe&) = delete;

  // False when the other side has closed before all was sent.
  bool send(std::string_view bytes);
  // No more will be sent; reading goes on.
  void shutdown_send();

  // The next response with its Content-Length; `body_follows` is false for answers to HEAD. Bytes
  // of the response after it stay for the next call.
  ProbeResponse read_response(bool body_follows = true);
  // One request, one response.
  ProbeResponse exchange(std::string_view request, bool body_follows = true);
  // All that still comes until the other side closes (or resets) the connection.
  std::string read_until_eof();

 private:
  bool receive();  // appends to received_; false at the end

  int socket_ = -1;
  std::string received_;
};

}  // namespace stepscope::tests
