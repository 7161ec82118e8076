#include "runtime/curl_client.h"

#include <arpa/inet.h>
#include <doctest/doctest.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>
#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>

#include <boost/asio/co_spawn.hpp>
#include <cstdio>
#include <filesystem>
#include <optional>

#include "tests/runtime/test_server.h"

namespace stepscope::runtime {

namespace {

namespace asio = boost::asio;

OutgoingRequest request_to(std::uint16_t port, const std::string& target) {
  OutgoingRequest request;
  request.url = "http://127.0.0.1:" + std::to_string(port) + target;
  return request;
}

// What send_blocking() gives, from a client of its own.
Result<HttpResponse> fetch(const OutgoingRequest& request, std::string ca_file = {}) {
  BlockingPool pool("http_out", 1);
  CurlClient client(pool, "stepscope-test", std::move(ca_file));
  return client.send_blocking(request);
}

Error error_of(const OutgoingRequest& request) {
  const Result<HttpResponse> result = fetch(request);
  return result ? Error{"no error"} : result.error();
}

// Accepts one connection, reads a little, answers `bytes`, closes.
class OneAnswer {
 public:
  explicit OneAnswer(std::string bytes) : listener_(::socket(AF_INET, SOCK_STREAM, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof(address);
    ::bind(listener_, reinterpret_cast<const sockaddr*>(&address), size);
    ::listen(listener_, 1);
    ::getsockname(listener_, reinterpret_cast<sockaddr*>(&address), &size);
    port = ntohs(address.sin_port);
    thread_ = std::jthread([this, answer = std::move(bytes)] { serve(answer); });
  }
  ~OneAnswer() {
    ::shutdown(listener_, SHUT_RDWR);
    thread_.join();
    ::close(listener_);
  }
  OneAnswer(const OneAnswer&) = delete;
  OneAnswer& operator=(const OneAnswer&) = delete;

  std::uint16_t port = 0;

 private:
  void serve(const std::string& answer) const {
    const int connection = ::accept(listener_, nullptr, nullptr);
    std::array<char, 4096> request{};
    if (::recv(connection, request.data(), request.size(), 0) > 0) {
      ::send(connection, answer.data(), answer.size(), MSG_NOSIGNAL);
    }
    ::close(connection);
  }

  int listener_;
  std::jthread thread_;
};

// A TLS server for 127.0.0.1 with a certificate that only itself vouches for.
class TlsServer {
 public:
  TlsServer()
      : key_(EVP_PKEY_Q_keygen(nullptr, nullptr, "RSA", std::size_t{2048})),
        certificate_(X509_new()),
        context_(SSL_CTX_new(TLS_server_method())),
        listener_(BIO_new_accept("127.0.0.1:0")) {
    sign();
    SSL_CTX_use_certificate(context_, certificate_);
    SSL_CTX_use_PrivateKey(context_, key_);
    BIO_do_accept(listener_);  // the first call binds
    port = static_cast<std::uint16_t>(std::stoi(BIO_get_accept_port(listener_)));
    std::string name = (std::filesystem::temp_directory_path() / "curl_client_XXXXXX").string();
    std::FILE* file = ::fdopen(::mkstemp(name.data()), "w");
    PEM_write_X509(file, certificate_);
    std::fclose(file);
    ca_file = name;
    thread_ = std::jthread([this] { serve(); });
  }
  ~TlsServer() {
    ::shutdown(static_cast<int>(BIO_get_fd(listener_, nullptr)), SHUT_RDWR);
    thread_.join();
    BIO_free_all(listener_);
    SSL_CTX_free(context_);
    X509_free(certificate_);
    EVP_PKEY_free(key_);
    std::filesystem::remove(ca_file);
  }
  TlsServer(const TlsServer&) = delete;
  TlsServer& operator=(const TlsServer&) = delete;

  std::uint16_t port = 0;
  std::filesystem::path ca_file;

 private:
  void sign() {
    X509_set_version(certificate_, X509_VERSION_3);
    ASN1_INTEGER_set(X509_get_serialNumber(certificate_), 1);
    X509_gmtime_adj(X509_getm_notBefore(certificate_), -3600);
    X509_gmtime_adj(X509_getm_notAfter(certificate_), 3600);
    X509_set_pubkey(certificate_, key_);
    X509_NAME* name = X509_get_subject_name(certificate_);
    X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_ASC,
                               reinterpret_cast<const unsigned char*>("test"), -1, -1, 0);
    X509_set_issuer_name(certificate_, name);
    for (const auto& [kind, text] : {std::pair{NID_subject_alt_name, "IP:127.0.0.1"},
                                     std::pair{NID_basic_constraints, "critical,CA:TRUE"}}) {
      X509_EXTENSION* extension = X509V3_EXT_conf_nid(nullptr, nullptr, kind, text);
      X509_add_ext(certificate_, extension, -1);
      X509_EXTENSION_free(extension);
    }
    X509_sign(certificate_, key_, EVP_sha256());
  }

  void serve() {
    sigset_t
        broken_pipe;  // a client that rejects the certificate has gone when the alert is written
    sigemptyset(&broken_pipe);
    sigaddset(&broken_pipe, SIGPIPE);
    pthread_sigmask(SIG_BLOCK, &broken_pipe, nullptr);
    while (BIO_do_accept(listener_) == 1) {
      BIO* connection = BIO_pop(listener_);
      SSL* ssl = SSL_new(context_);
      SSL_set_bio(ssl, connection, connection);
      std::array<char, 4096> request{};
      if (SSL_accept(ssl) == 1 && SSL_read(ssl, request.data(), request.size()) > 0) {
        constexpr std::string_view answer = "HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nsecret";
        SSL_write(ssl, answer.data(), answer.size());
        SSL_shutdown(ssl);
      }
      SSL_free(ssl);
    }
  }

  EVP_PKEY* key_;
  X509* certificate_;
  SSL_CTX* context_;
  BIO* listener_;
  std::jthread thread_;
};

}  // namespace

TEST_CASE("method, headers and body arrive, status, headers and body come back") {
  const Server server;
  OutgoingRequest request = request_to(server.port, "/echo?say=a%20b");
  Result<HttpResponse> response = fetch(request);
  REQUIRE(response.has_value());
  CHECK(response->status == 200);
  CHECK(response->body == "a b");
  CHECK(header(response->headers, "x-method") == "GET");

  request = request_to(server.port, "/echo");
  request.method = "POST";
  request.body = std::string("\0\r\n\xff", 4);
  response = fetch(request);
  REQUIRE(response.has_value());
  CHECK(response->body == request.body);
  CHECK(header(response->headers, "X-Method") == "POST");

  request.method = "DELETE";
  request.body.clear();
  response = fetch(request);
  REQUIRE(response.has_value());
  CHECK(response->status == 405);  // any status is a response
  CHECK(header(response->headers, "Allow") == "GET, HEAD, POST");

  request.method = "HEAD";
  response = fetch(request);
  REQUIRE(response.has_value());
  CHECK(response->status == 200);
  CHECK(response->body == "");
}

TEST_CASE("the request on the wire holds what was asked and no more") {
  const Server server;
  OutgoingRequest request = request_to(server.port, "/head");
  request.method = "POST";
  request.headers.emplace("Authorization", "Bearer abc");
  request.headers.emplace("X-Empty", "");
  const Result<HttpResponse> response = fetch(request);
  REQUIRE(response.has_value());
  CHECK(response->body ==
        "Accept: */*\nAuthorization: Bearer abc\nContent-Length: 0\nHost: 127.0.0.1:" +
            std::to_string(server.port) + "\nUser-Agent: stepscope-test\nX-Empty: \n");
}

TEST_CASE("a large body is sent and comes back whole") {
  const Server server;
  OutgoingRequest request = request_to(server.port, "/hook");
  request.method = "PUT";
  CHECK(fetch(request)->status == 405);
  request.method = "POST";
  for (int i = 0; i < 5'000'000; ++i) {
    request.body += static_cast<char>(i % 251);
  }
  const Result<HttpResponse> response = fetch(request);
  REQUIRE(response.has_value());
  const bool same = response->body == request.body;
  CHECK(same);
}

TEST_CASE("an answer may be as large as asked and no larger") {
  const Server server;
  OutgoingRequest request = request_to(server.port, "/echo?say=12345&secret=hide");
  request.response_bytes_max = 5;
  CHECK(fetch(request).value().body == "12345");
  request.response_bytes_max = 4;
  const Error error = error_of(request);
  CHECK(error.message == "GET http://127.0.0.1:" + std::to_string(server.port) +
                             "/echo: the answer is larger than 4 bytes");
  CHECK(!error.retryable);
}

TEST_CASE("connections are kept between requests") {
  const Server server({.connections_max = 1});  // a second connection would be refused
  BlockingPool pool("http_out", 1);
  CurlClient client(pool, "test");
  for (int i = 0; i < 3; ++i) {
    const Result<HttpResponse> response = client.send_blocking(request_to(server.port, "/echo"));
    REQUIRE(response.has_value());
    CHECK(response->status == 200);
  }
}

TEST_CASE("send runs on the pool, several at once, and comes back to the coroutine") {
  const Server server;
  asio::io_context context;
  BlockingPool pool("http_out", 4);
  CurlClient client(pool, "test");
  std::string bodies;
  auto on_end = [&](const std::exception_ptr&, Result<HttpResponse> response) {
    bodies += response.value().body;
  };
  for (int i = 0; i < 20; ++i) {
    asio::co_spawn(context, client.send(request_to(server.port, "/echo?say=x")), on_end);
  }
  context.run();
  CHECK(bodies == std::string(20, 'x'));
}

TEST_CASE("a client may go while its request is under way") {
  Server server;
  asio::io_context context;
  BlockingPool pool("http_out", 1);
  std::optional<CurlClient> client(std::in_place, pool, "test");
  std::string body;
  auto on_end = [&](const std::exception_ptr&, Result<HttpResponse> response) {
    body = response.value().body;
  };
  asio::co_spawn(context, client->send(request_to(server.port, "/wait")), on_end);
  context.poll();
  server.begun.wait();
  client.reset();
  server.poke();
  context.run();
  CHECK(body == "late");
}

TEST_CASE("redirects are answers, not orders") {
  const OneAnswer server(
      "HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1:1/\r\nContent-Length: 0\r\n\r\n");
  const Result<HttpResponse> response = fetch(request_to(server.port, "/"));
  REQUIRE(response.has_value());
  CHECK(response->status == 302);
  CHECK(header(response->headers, "location") == "http://127.0.0.1:1/");
}

TEST_CASE("interim answers leave no headers behind, values lose their blanks") {
  const OneAnswer server(
      "HTTP/1.1 103 Early Hints\r\nX-Early: 1\r\n\r\n"
      "HTTP/1.1 200 OK\r\nA:  b c \r\nA: second\r\nEmpty:\r\nContent-Length: 2\r\n\r\nok");
  const Result<HttpResponse> response = fetch(request_to(server.port, "/"));
  REQUIRE(response.has_value());
  CHECK(response->status == 200);
  CHECK(response->headers ==
        Headers{{"A", "b c"}, {"A", "second"}, {"Empty", ""}, {"Content-Length", "2"}});
}

TEST_CASE("errors worth another attempt: no connection, no answer in time, a cut answer") {
  std::uint16_t unused = 0;
  {
    const OneAnswer gone("");
    unused = gone.port;
  }
  const Error refused = error_of(request_to(unused, "/p?token=abc"));
  CHECK(refused.retryable);
  CHECK(refused.message.starts_with("GET http://127.0.0.1:" + std::to_string(unused) + "/p: "));
  CHECK(!refused.message.contains("abc"));

  const Server server;
  OutgoingRequest slow = request_to(server.port, "/wait");
  slow.timeout = std::chrono::milliseconds(20);
  slow.headers.emplace("Authorization", "Bearer abc");
  const Error late = error_of(slow);
  CHECK(late.retryable);
  CHECK(!late.message.contains("abc"));

  const OneAnswer cut("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf");
  CHECK(error_of(request_to(cut.port, "/")).retryable);
  const OneAnswer silent("");
  CHECK(error_of(request_to(silent.port, "/")).retryable);
}

TEST_CASE("only https, and http to loopback") {
  for (const char* url : {"http://example.org/x?secret=hide", "http://128.0.0.1/",
                          "ftp://127.0.0.1/", "file:///etc/passwd", "http://127.0.0.1.example.org/",
                          "http://[::2]/", "gopher://localhost/"}) {
    OutgoingRequest request;
    request.url = url;
    const Error error = error_of(request);
    CHECK_MESSAGE(error.message.ends_with("only https is spoken, and http to loopback addresses"),
                  error.message);
    CHECK(!error.message.contains("hide"));
    CHECK(!error.retryable);
  }
  const Server server;
  for (const char* host : {"localhost", "127.0.0.1", "127.1"}) {
    OutgoingRequest request;
    request.url = "http://" + std::string(host) + ":" + std::to_string(server.port) + "/echo";
    CHECK_MESSAGE(fetch(request).has_value(), host);
  }
}

TEST_CASE("what can not be asked is said, without secrets") {
  OutgoingRequest request;
  for (const char* url : {"", "not a url", "http://", "https://a b/", "https://h:99999999/"}) {
    request.url = url;
    CHECK_MESSAGE(error_of(request).message.starts_with("GET: the URL can not be used: "), url);
  }
  request.url = "https://user:hide@127.0.0.1/x";
  CHECK(error_of(request).message ==
        "GET https://127.0.0.1/x: the URL holds a user or password: use a header");
  request.url = "http://127.0.0.1/x";
  for (const auto& [name, value] : {std::pair<std::string, std::string>{"A", "hide\r\nB: c"},
                                    {"A\n", "b"},
                                    {"A:", "b"},
                                    {"", "b"},
                                    {"A", std::string("b\0c", 3)}}) {
    request.headers = {{name, value}};
    CHECK(error_of(request).message ==
          "GET http://127.0.0.1/x: a request header holds a line break or its name a colon: check "
          "the configuration");
  }
}

TEST_CASE("certificates are checked; an additional authority can be named") {
  const TlsServer server;
  OutgoingRequest request;
  request.url = "https://127.0.0.1:" + std::to_string(server.port) + "/";
  const Error error = error_of(request);
  CHECK(error.message.contains("certificate"));
  CHECK(!error.retryable);
  const Result<HttpResponse> trusted = fetch(request, server.ca_file.string());
  REQUIRE(trusted.has_value());
  CHECK(trusted->body == "secret");
  request.url = "https://localhost:" + std::to_string(server.port) + "/";  // another name
  const Result<HttpResponse> renamed = fetch(request, server.ca_file.string());
  REQUIRE(!renamed);
  CHECK(!renamed.error().retryable);
}

}  // namespace stepscope::runtime
