#pragma once
// HTTP as plain values: no type of Beast or libcurl crosses this header. Header names are compared
// without case; bodies are bytes.

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace stepscope::runtime {

struct CaseInsensitiveLess {
  using is_transparent = void;
  bool operator()(std::string_view a, std::string_view b) const;
};
using Headers = std::multimap<std::string, std::string, CaseInsensitiveLess>;

// The first value of a header, or nothing.
std::optional<std::string_view> header(const Headers& headers, std::string_view name);

struct HttpRequest {
  std::string method;  // upper case
  std::string target;  // as sent: path and query
  std::string path;    // before the first '?', percent-encoding kept
  std::map<std::string, std::string, std::less<>> query;  // decoded; the last of equal keys
  Headers headers;
  std::string body;
  std::map<std::string, std::string, std::less<>> path_values;  // set by the router, decoded
  std::string peer;                                             // address of the other side
};

// Sets target, path and query from a request target in origin form ("/a?b=c") or absolute form
// ("http://host/a"). False when it is neither, or when its query holds a malformed
// percent-encoding.
bool parse_target(std::string_view target, HttpRequest& request);

// A file, or a range of it, streamed as a body.
struct FileBody {
  std::filesystem::path path;
  std::uint64_t offset = 0;
  std::uint64_t length = 0;
};

struct HttpResponse {
  int status = 200;
  Headers headers;  // Content-Length is set by whoever sends it
  std::string body;
  std::optional<FileBody> file;  // instead of body
};

std::string percent_encode(std::string_view text);  // all but unreserved characters of RFC 3986
std::optional<std::string> percent_decode(std::string_view text);  // nothing when malformed

}  // namespace stepscope::runtime
