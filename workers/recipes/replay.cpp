#include "workers/recipes/replay.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <chrono>
#include <fstream>
#include <nlohmann/json.hpp>
#include <system_error>

#include "runtime/blocking_pool.h"
#include "runtime/curl_client.h"

namespace stepscope::workers {
namespace {

namespace fs = std::filesystem;

bool is_url(const std::string& source) {
  return source.starts_with("https://") || source.starts_with("http://");
}

// A name for the copy: the last part of the path, reduced to harmless characters.
std::string file_name_of(const std::string& source) {
  const std::string path = source.substr(0, source.find_first_of("?#"));
  std::string name = path.substr(path.find_last_of('/') + 1);
  std::ranges::replace_if(
      name,
      [](unsigned char c) { return std::isalnum(c) == 0 && c != '.' && c != '-' && c != '_'; },
      '_');
  while (name.starts_with('.')) name.erase(0, 1);
  return name.empty() ? "trace.json" : name;
}

runtime::Result<void> copy_file(const ReplayOptions& options, const fs::path& target) {
  std::error_code error;
  const std::uintmax_t bytes = fs::file_size(options.source, error);
  const std::string name = fs::path(options.source).filename().string();
  if (error) return runtime::fail(fmt::format("can not read {}: {}", name, error.message()));
  if (bytes > options.bytes_max) {
    return runtime::fail(
        fmt::format("{} has {} bytes, allowed are {}", name, bytes, options.bytes_max));
  }
  fs::copy_file(options.source, target, fs::copy_options::overwrite_existing, error);
  if (error) return runtime::fail(fmt::format("can not copy {}: {}", name, error.message()));
  return {};
}

runtime::Result<void> download(const ReplayOptions& options, const fs::path& target) {
  runtime::BlockingPool unused("download", 1);
  runtime::CurlClient client(unused, "stepscope-replay");
  runtime::OutgoingRequest request;
  request.url = options.source;
  request.timeout = std::chrono::minutes{5};
  request.response_bytes_max = std::min(options.bytes_max, kDownloadBytesMax);
  const auto response = client.send_blocking(request);
  if (!response) return std::unexpected(response.error());
  if (response->status != 200) {
    return runtime::fail(fmt::format("the trace's server answered {}", response->status));
  }
  std::ofstream out(target, std::ios::binary | std::ios::trunc);
  out << response->body;
  out.close();
  if (!out) return runtime::fail("can not write the downloaded trace");
  return {};
}

}  // namespace

runtime::Result<void> run_replay(const ReplayOptions& options) {
  if (options.source.empty()) {
    return runtime::fail("the catalog entry has no \"trace\": give it a file path or an https URL");
  }
  const std::string name = file_name_of(options.source);
  const fs::path target = options.folder / name;
  const auto brought =
      is_url(options.source) ? download(options, target) : copy_file(options, target);
  if (!brought) return brought;
  std::ofstream out(options.folder / "result.json", std::ios::trunc);
  out << nlohmann::json{{"traces", {name}}, {"hardware", ""}}.dump() << '\n';
  out.close();
  if (!out) return runtime::fail("can not write result.json");
  return {};
}

}  // namespace stepscope::workers
