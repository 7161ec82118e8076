#include "tests/support/http_probe.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <stdexcept>

namespace stepscope::tests {

namespace {

std::string lower(std::string_view text) {
  std::string out(text);
  std::transform(out.begin(), out.end(), out.begin(), [](char c) {
    return static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  });
  return out;
}

// "HTTP/1.1 200 OK\r\nName: value..." without the empty line.
ProbeResponse parse_head(std::string_view head) {
  ProbeResponse response;
  const std::size_t status = head.find(' ');
  if (!head.starts_with("HTTP/1.1 ") || head.size() < status + 4) {
    return response;
  }
  response.status = std::stoi(std::string(head.substr(status + 1, 3)));
  while (true) {
    const std::size_t line_end = head.find("\r\n");
    if (line_end == std::string_view::npos) {
      return response;
    }
    head.remove_prefix(line_end + 2);
    const std::string_view line = head.substr(0, head.find("\r\n"));
    const std::size_t colon = std::min(line.find(": "), line.size());
    response.headers[lower(line.substr(0, colon))] = line.substr(std::min(colon + 2, line.size()));
  }
}

}  // namespace

std::string ProbeResponse::header(const std::string& lower_case_name) const {
  const auto found = headers.find(lower_case_name);
  return found == headers.end() ? std::string() : found->second;
}

HttpProbe::HttpProbe(std::uint16_t port) : socket_(::socket(AF_INET, SOCK_STREAM, 0)) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  const timeval patience{.tv_sec = 30, .tv_usec = 0};
  ::setsockopt(socket_, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
  ::setsockopt(socket_, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof(patience));
  if (::connect(socket_, reinterpret_cast<const sockaddr*>(&address), sizeof(address)) != 0) {
    ::close(socket_);
    throw std::runtime_error("nothing listens on 127.0.0.1 port " + std::to_string(port));
  }
}

HttpProbe::~HttpProbe() { ::close(socket_); }

bool HttpProbe::send(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t sent = ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent <= 0) {
      return false;
    }
    bytes.remove_prefix(static_cast<std::size_t>(sent));
  }
  return true;
}

void HttpProbe::shutdown_send() { ::shutdown(socket_, SHUT_WR); }

ProbeResponse HttpProbe::read_response(bool body_follows) {
  std::size_t head_end = received_.find("\r\n\r\n");
  while (head_end == std::string::npos) {
    if (!receive()) {
      return {};
    }
    head_end = received_.find("\r\n\r\n");
  }
  ProbeResponse response = parse_head(std::string_view(received_).substr(0, head_end));
  received_.erase(0, head_end + 4);
  const std::string length = response.header("content-length");
  const std::size_t body_bytes = body_follows && !length.empty() ? std::stoul(length) : 0;
  while (received_.size() < body_bytes) {
    if (!receive()) {
      return {};
    }
  }
  response.body = received_.substr(0, body_bytes);
  received_.erase(0, body_bytes);
  return response;
}

ProbeResponse HttpProbe::exchange(std::string_view request, bool body_follows) {
  send(request);
  return read_response(body_follows);
}

std::string HttpProbe::read_until_eof() {
  while (receive()) {
  }
  return std::move(received_);
}

bool HttpProbe::receive() {
  std::array<char, 64 << 10> block{};
  const ssize_t got = ::recv(socket_, block.data(), block.size(), 0);
  if (got <= 0) {
    return false;
  }
  received_.append(block.data(), static_cast<std::size_t>(got));
  return true;
}

}  // namespace stepscope::tests
