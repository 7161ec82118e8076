#include "runtime/curl_client.h"

#include <arpa/inet.h>
#include <curl/curl.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <mutex>
#include <stdexcept>
#include <string_view>
#include <utility>
#include <vector>

#include "runtime/log.h"

namespace stepscope::runtime {

namespace {

constexpr std::size_t idle_handles_max = 8;  // each keeps its connections open
constexpr std::size_t header_bytes_max = 256 << 10;
constexpr long connect_timeout_ms = 10'000;

struct Free {
  void operator()(CURL* handle) const { curl_easy_cleanup(handle); }
  void operator()(CURLU* url) const { curl_url_cleanup(url); }
  void operator()(curl_slist* list) const { curl_slist_free_all(list); }
  void operator()(char* text) const { curl_free(text); }
};
using Handle = std::unique_ptr<CURL, Free>;
using Url = std::unique_ptr<CURLU, Free>;
using List = std::unique_ptr<curl_slist, Free>;

std::string part_of(CURLU* url, CURLUPart part) {
  char* text = nullptr;
  if (curl_url_get(url, part, &text, 0) != CURLUE_OK) {
    return {};
  }
  const std::unique_ptr<char, Free> owned(text);
  return text;
}

bool is_loopback(std::string_view host) {
  if (host == "localhost" || host == "[::1]") {
    return true;
  }
  in_addr address{};
  return ::inet_pton(AF_INET, std::string(host).c_str(), &address) == 1 &&
         ntohl(address.s_addr) >> 24 == 127;
}

struct Destination {
  Url url;
  bool https = false;
  std::string shown;  // without user and query, which may hold secrets
};

Result<Destination> destination_of(const OutgoingRequest& request) {
  Destination to;
  to.url.reset(curl_url());
  const CURLUcode code = curl_url_set(to.url.get(), CURLUPART_URL, request.url.c_str(), 0);
  if (code != CURLUE_OK) {
    return fail(
        fmt::format("{}: the URL can not be used: {}", request.method, curl_url_strerror(code)));
  }
  const std::string scheme = part_of(to.url.get(), CURLUPART_SCHEME);
  const std::string host = part_of(to.url.get(), CURLUPART_HOST);
  const std::string port = part_of(to.url.get(), CURLUPART_PORT);
  to.https = scheme == "https";
  to.shown = fmt::format("{}://{}{}{}{}", scheme, host, port.empty() ? "" : ":", port,
                         part_of(to.url.get(), CURLUPART_PATH));
  if (!to.https && !(scheme == "http" && is_loopback(host))) {
    return fail(fmt::format("{} {}: only https is spoken, and http to loopback addresses",
                            request.method, to.shown));
  }
  if (!part_of(to.url.get(), CURLUPART_USER).empty() ||
      !part_of(to.url.get(), CURLUPART_PASSWORD).empty()) {
    return fail(fmt::format("{} {}: the URL holds a user or password: use a header", request.method,
                            to.shown));
  }
  return to;
}

bool breaks_line(std::string_view text) {
  return std::any_of(text.begin(), text.end(), [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return (byte < 0x20 && c != '\t') || byte == 0x7f;
  });
}

Result<List> header_list(const OutgoingRequest& request) {
  // Without a value curl leaves its own header out: no wait for "100 Continue", no form type.
  std::vector<std::string> lines{"Expect:"};
  if (!request.headers.contains("Content-Type")) {
    lines.emplace_back("Content-Type:");
  }
  for (const auto& [name, value] : request.headers) {
    if (name.empty() || name.contains(':') || breaks_line(name) || breaks_line(value)) {
      return fail(
          "a request header holds a line break or its name a colon: check the configuration");
    }
    // A semicolon is how curl is told to send a header with an empty value.
    lines.push_back(fmt::format("{}{}{}", name, value.empty() ? ";" : ": ", value));
  }
  List list;
  for (const std::string& line : lines) {
    curl_slist* longer = curl_slist_append(list.get(), line.c_str());
    if (longer == nullptr) {
      throw std::bad_alloc();
    }
    if (list == nullptr) {
      list.reset(longer);  // later ones only hang on to the first
    }
  }
  return list;
}

// What the callbacks fill. They are called from C and must not throw.
struct Incoming {
  HttpResponse response;
  std::uint64_t body_bytes_max = 0;
  std::size_t header_bytes = 0;
  bool too_large = false;
};

std::size_t take_body(const char* data, std::size_t, std::size_t count, void* target) noexcept {
  auto& incoming = *static_cast<Incoming*>(target);
  if (count > incoming.body_bytes_max - incoming.response.body.size()) {
    incoming.too_large = true;
    return 0;  // anything but count ends the transfer
  }
  incoming.response.body.append(data, count);
  return count;
}

std::size_t take_header(const char* data, std::size_t, std::size_t count, void* target) noexcept {
  auto& incoming = *static_cast<Incoming*>(target);
  incoming.header_bytes += count;
  if (incoming.header_bytes > header_bytes_max) {
    incoming.too_large = true;
    return 0;
  }
  std::string_view line(data, count);
  if (line.starts_with("HTTP/")) {  // a 1xx answer may precede the real one
    incoming.response.headers.clear();
    return count;
  }
  const std::size_t colon = line.find(':');
  if (colon != std::string_view::npos) {
    constexpr std::string_view blank = " \t\r\n";
    std::string_view value = line.substr(colon + 1);
    value.remove_prefix(std::min(value.find_first_not_of(blank), value.size()));
    value = value.substr(0, value.find_last_not_of(blank) + 1);
    incoming.response.headers.emplace(line.substr(0, colon), value);
  }
  return count;
}

template <class Value>
void set(CURL* handle, CURLoption option, Value value) {
  const CURLcode code = curl_easy_setopt(handle, option, value);
  if (code != CURLE_OK) {
    throw std::runtime_error(fmt::format("libcurl refuses option {}: {}", static_cast<int>(option),
                                         curl_easy_strerror(code)));
  }
}

void set_method(CURL* handle, const OutgoingRequest& request) {
  if (request.method == "HEAD") {
    set(handle, CURLOPT_NOBODY, 1L);
    return;
  }
  const bool carries = request.method == "POST" || request.method == "PUT" ||
                       request.method == "PATCH" || !request.body.empty();
  if (carries) {  // an empty body too: its length is then said
    set(handle, CURLOPT_POST, 1L);
    // libcurl repeats a request by itself when a kept connection breaks before the answer: what
    // writes goes over a connection of its own, so that a lost answer is an error and not a second
    // write.
    set(handle, CURLOPT_FRESH_CONNECT, 1L);
    set(handle, CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(request.body.size()));
    set(handle, CURLOPT_POSTFIELDS, request.body.data());
  }
  set(handle, CURLOPT_CUSTOMREQUEST, request.method.c_str());
}

// Another attempt may go better; all others are wrong addresses, certificates or limits.
bool is_retryable(CURLcode code) {
  constexpr std::array<CURLcode, 12> passing{CURLE_COULDNT_RESOLVE_PROXY,
                                             CURLE_COULDNT_RESOLVE_HOST,
                                             CURLE_COULDNT_CONNECT,
                                             CURLE_OPERATION_TIMEDOUT,
                                             CURLE_SSL_CONNECT_ERROR,
                                             CURLE_SEND_ERROR,
                                             CURLE_RECV_ERROR,
                                             CURLE_GOT_NOTHING,
                                             CURLE_PARTIAL_FILE,
                                             CURLE_HTTP2,
                                             CURLE_HTTP2_STREAM,
                                             CURLE_AGAIN};
  return std::find(passing.begin(), passing.end(), code) != passing.end();
}

}  // namespace

struct CurlClient::Transfers {
  Transfers(std::string agent, std::string authority)
      : user_agent(std::move(agent)), ca_file(std::move(authority)) {
    static const CURLcode ready = curl_global_init(CURL_GLOBAL_DEFAULT);
    if (ready != CURLE_OK) {
      throw std::runtime_error("libcurl can not be started");
    }
  }

  Handle take() {
    const std::lock_guard lock(mutex);
    if (!idle.empty()) {
      Handle handle = std::move(idle.back());
      idle.pop_back();
      return handle;
    }
    Handle handle(curl_easy_init());
    if (!handle) {
      throw std::bad_alloc();
    }
    return handle;
  }

  void give_back(Handle handle) {
    curl_easy_reset(handle.get());  // forgets the request, keeps the connections
    const std::lock_guard lock(mutex);
    if (idle.size() < idle_handles_max) {
      idle.push_back(std::move(handle));
    }
  }

  void set_common(CURL* handle, const OutgoingRequest& request, const Destination& to) const {
    const auto asked_ms = static_cast<long>(request.timeout.count());
    const long timeout_ms = std::max(asked_ms, 1L);  // 0 would mean none
    set(handle, CURLOPT_CURLU, to.url.get());
    set(handle, CURLOPT_PROTOCOLS_STR, to.https ? "https" : "http");
    set(handle, CURLOPT_FOLLOWLOCATION, 0L);
    set(handle, CURLOPT_NOSIGNAL, 1L);  // signals and threads do not go together
    set(handle, CURLOPT_TIMEOUT_MS, timeout_ms);
    set(handle, CURLOPT_CONNECTTIMEOUT_MS, std::min(timeout_ms, connect_timeout_ms));
    set(handle, CURLOPT_USERAGENT, user_agent.c_str());
    set(handle, CURLOPT_SUPPRESS_CONNECT_HEADERS, 1L);
    if (!to.https) {
      set(handle, CURLOPT_PROXY, "");  // loopback means this machine, whatever http_proxy says
    }
    if (!ca_file.empty()) {  // beside libcurl's default directory of authorities
      set(handle, CURLOPT_CAINFO, ca_file.c_str());
    }
  }

  Result<HttpResponse> run(const OutgoingRequest& request) {
    Result<Destination> to = destination_of(request);
    if (!to) {
      return std::unexpected(to.error());
    }
    Result<List> headers = header_list(request);
    if (!headers) {
      return fail(fmt::format("{} {}: {}", request.method, to->shown, headers.error().message));
    }
    Incoming incoming;
    incoming.body_bytes_max = request.response_bytes_max;
    std::array<char, CURL_ERROR_SIZE> detail{};
    Handle handle = take();
    set_common(handle.get(), request, *to);
    set_method(handle.get(), request);
    set(handle.get(), CURLOPT_HTTPHEADER, headers->get());
    set(handle.get(), CURLOPT_WRITEFUNCTION, &take_body);
    set(handle.get(), CURLOPT_WRITEDATA, static_cast<void*>(&incoming));
    set(handle.get(), CURLOPT_HEADERFUNCTION, &take_header);
    set(handle.get(), CURLOPT_HEADERDATA, static_cast<void*>(&incoming));
    set(handle.get(), CURLOPT_ERRORBUFFER, detail.data());
    const CURLcode code = curl_easy_perform(handle.get());
    long status = 0;
    curl_easy_getinfo(handle.get(), CURLINFO_RESPONSE_CODE, &status);
    give_back(std::move(handle));
    if (incoming.too_large) {
      return fail(fmt::format("{} {}: the answer is larger than {} bytes", request.method,
                              to->shown, request.response_bytes_max));
    }
    if (code != CURLE_OK) {
      const char* reason = detail[0] == '\0' ? curl_easy_strerror(code) : detail.data();
      return fail(redact(fmt::format("{} {}: {}", request.method, to->shown, reason)),
                  is_retryable(code));
    }
    incoming.response.status = static_cast<int>(status);
    return std::move(incoming.response);
  }

  const std::string user_agent;
  const std::string ca_file;
  std::mutex mutex;
  std::vector<Handle> idle;
};

CurlClient::CurlClient(BlockingPool& pool, std::string user_agent, std::string ca_file)
    : pool_(pool),
      transfers_(std::make_shared<Transfers>(std::move(user_agent), std::move(ca_file))) {}

CurlClient::~CurlClient() = default;

boost::asio::awaitable<Result<HttpResponse>> CurlClient::send(OutgoingRequest request) {
  auto transfer = [transfers = transfers_, request = std::move(request)] {
    return transfers->run(request);
  };
  co_return co_await pool_.run(std::move(transfer));
}

Result<HttpResponse> CurlClient::send_blocking(const OutgoingRequest& request) {
  return transfers_->run(request);
}

}  // namespace stepscope::runtime
