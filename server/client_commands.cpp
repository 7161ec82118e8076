#include "server/client_commands.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>
#include <optional>
#include <ostream>
#include <thread>
#include <vector>

#include "analysis/reports/text.h"
#include "runtime/blocking_pool.h"
#include "runtime/curl_client.h"

namespace stepscope::server {
namespace {

using nlohmann::json;
using runtime::HttpResponse;

constexpr std::chrono::milliseconds kPollEvery{200};
constexpr std::chrono::minutes kFetchTimeout{10};
constexpr std::uint64_t kFetchBytesMax = 4ULL << 30;

// The message may quote a server or a runner: a terminal must not obey it.
int fail(std::ostream& err, int exit_code, std::string_view message) {
  err << "stepscope: " << analysis::harmless_text(message) << '\n';
  return exit_code;
}

// Members of an answer that may not be one of ours: "", 0 or null when absent or of another type.
std::string text_at(const json& object, const char* key) {
  const auto found = object.is_object() ? object.find(key) : object.end();
  return found != object.end() && found->is_string() ? found->get<std::string>() : "";
}

std::int64_t number_at(const json& object, const char* key) {
  const auto found = object.is_object() ? object.find(key) : object.end();
  return found != object.end() && found->is_number_integer() ? found->get<std::int64_t>() : 0;
}

json member(const json& object, const char* key) {
  return object.is_object() && object.contains(key) ? object[key] : json();
}

std::string from_environment(const char* name, std::string otherwise) {
  const char* value = std::getenv(name);
  return value != nullptr && *value != '\0' ? std::string(value) : std::move(otherwise);
}

// One daemon, spoken to on this thread.
class Daemon {
 public:
  explicit Daemon(const ClientOptions& options)
      : server_(options.server.empty() ? from_environment("STEPSCOPE_URL", "http://127.0.0.1:8080")
                                       : options.server),
        client_(unused_, "stepscope-cli/" STEPSCOPE_VERSION) {
    while (server_.ends_with('/')) server_.pop_back();
    std::filesystem::path file = options.token_file;
    if (file.empty()) file = from_environment("STEPSCOPE_TOKEN_FILE", "");
    std::ifstream in(file);
    if (!file.empty() && !std::getline(in, token_)) {
      fault_ = fmt::format("can not read the token file {}", file.string());
    }
  }

  const std::string& fault() const { return fault_; }

  // The body of a 2xx answer, else one line.
  runtime::Result<std::string> call(std::string method, const std::string& path,
                                    std::string body = {}) {
    runtime::OutgoingRequest request;
    request.method = std::move(method);
    request.url = server_ + path;
    request.body = std::move(body);
    request.response_bytes_max = 256 << 20;
    return send(std::move(request));
  }

  runtime::Result<std::string> send(runtime::OutgoingRequest request) {
    if (!request.body.empty()) request.headers.emplace("Content-Type", "application/json");
    if (!token_.empty()) request.headers.emplace("Authorization", "Bearer " + token_);
    const auto response = client_.send_blocking(request);
    if (!response) {
      return runtime::fail(
          fmt::format("{} does not answer: {}", server_, response.error().message));
    }
    if (response->status / 100 == 2) return response->body;
    return runtime::fail(message_of(*response));
  }

  const std::string& server() const { return server_; }

 private:
  static std::string message_of(const HttpResponse& response) {
    const auto body = json::parse(response.body, nullptr, false);
    const std::string text = fmt::format("the server answered {}", response.status);
    const std::string message = text_at(member(body, "error"), "message");
    return message.empty() ? text : text + ": " + message;
  }

  std::string server_;
  std::string token_;
  std::string fault_;
  runtime::BlockingPool unused_{"client", 1};
  runtime::CurlClient client_;
};

// Asks until the run is final; its last state.
runtime::Result<json> wait_until_final(Daemon& daemon, db::JobId id, std::chrono::seconds limit) {
  const auto until = std::chrono::steady_clock::now() + limit;
  while (true) {
    const auto text = daemon.call("GET", fmt::format("/api/v1/runs/{}", id));
    if (!text) return std::unexpected(text.error());
    auto run = json::parse(*text, nullptr, false);
    if (!run.is_object()) return runtime::fail("the server's answer is no JSON object");
    const std::string word = text_at(run, "state");
    const auto state = db::job_state_from(word);
    if (state && db::is_final(*state)) return run;
    if (std::chrono::steady_clock::now() >= until) {
      return runtime::fail(fmt::format("run {} is still {} after {} s", id, word, limit.count()));
    }
    std::this_thread::sleep_for(kPollEvery);
  }
}

int print_result(Daemon& daemon, db::JobId id, const json& run, std::ostream& out,
                 std::ostream& err) {
  const std::string state = text_at(run, "state");
  if (state != "done") {
    const json failure = member(run, "failure");
    const std::string why = failure.is_object() ? fmt::format(": {}: {}", text_at(failure, "layer"),
                                                              text_at(failure, "message"))
                                                : "";
    return fail(err, 1, fmt::format("run {} is {}{}", id, state, why));
  }
  const auto report =
      daemon.call("GET", fmt::format("/api/v1/runs/{}/breakdown?format=markdown", id));
  if (!report) return fail(err, 1, report.error().message);
  out << *report;
  return 0;
}

std::vector<db::JobId> ids_of(const json& answer) {
  std::vector<db::JobId> ids;
  for (const json& run : member(answer, "runs")) {
    const db::JobId id = number_at(run, "id");
    if (id > 0) ids.push_back(id);
  }
  return ids;
}

}  // namespace

std::expected<std::string, FetchFault> fetch(const ClientOptions& options,
                                             const std::string& path) {
  Daemon daemon(options);
  if (!daemon.fault().empty()) return std::unexpected(FetchFault{true, daemon.fault()});
  runtime::OutgoingRequest request;
  request.url = daemon.server() + path;
  request.timeout = kFetchTimeout;
  request.response_bytes_max = kFetchBytesMax;
  auto body = daemon.send(std::move(request));
  if (!body) return std::unexpected(FetchFault{false, body.error().message});
  return *std::move(body);
}

int run_submit(const ClientOptions& options, const SubmitCommand& command, std::ostream& out,
               std::ostream& err) {
  Daemon daemon(options);
  if (!daemon.fault().empty()) return fail(err, 2, daemon.fault());
  const auto answer = daemon.call(
      "POST", "/api/v1/runs",
      json{{"text", command.text}}.dump(-1, ' ', false, json::error_handler_t::replace));
  if (!answer) return fail(err, 1, answer.error().message);
  const auto parsed = json::parse(*answer, nullptr, false);
  for (const json& line : member(parsed, "understood")) {
    if (line.is_string()) err << analysis::harmless_text(line.get<std::string>()) << '\n';
  }
  int exit_code = 0;
  for (const db::JobId id : ids_of(parsed)) {
    err << fmt::format("run {}: {}/runs/{}", id, daemon.server(), id) << std::endl;
    if (!command.wait) continue;
    const auto run = wait_until_final(daemon, id, command.time_limit);
    if (!run) return fail(err, 1, run.error().message);
    exit_code = std::max(exit_code, print_result(daemon, id, *run, out, err));
  }
  return exit_code;
}

int run_runs(const ClientOptions& options, const std::string& query, std::ostream& out,
             std::ostream& err) {
  Daemon daemon(options);
  if (!daemon.fault().empty()) return fail(err, 2, daemon.fault());
  const auto answer = daemon.call("GET", "/api/v1/runs" + (query.empty() ? "" : "?" + query));
  if (!answer) return fail(err, 1, answer.error().message);
  const json runs = member(json::parse(*answer, nullptr, false), "runs");
  if (!runs.is_array()) return fail(err, 1, "the server's answer is no list of runs");
  for (const json& run : runs) {
    const std::string wall = member(run, "wall_ns").is_number_integer()
                                 ? analysis::format_ms(number_at(run, "wall_ns")) + " ms"
                                 : "-";
    const json config = member(run, "config");
    const std::string line =
        fmt::format("{:>6}  {:<10}  {:>12}  {} conc {}", number_at(run, "id"),
                    text_at(run, "state"), wall, text_at(config, "key"), number_at(config, "conc"));
    out << analysis::harmless_text(line) << '\n';
  }
  return 0;
}

int run_health(const ClientOptions& options, std::ostream& out, std::ostream& err) {
  Daemon daemon(options);
  const auto answer = daemon.call("GET", "/readyz");
  if (!answer) return fail(err, 1, answer.error().message);
  out << *answer;
  return 0;
}

int run_show(const ClientOptions& options, const ShowCommand& command, std::ostream& out,
             std::ostream& err) {
  Daemon daemon(options);
  if (!daemon.fault().empty()) return fail(err, 2, daemon.fault());
  const std::string path =
      command.format == "run"
          ? fmt::format("/api/v1/runs/{}", command.id)
          : fmt::format("/api/v1/runs/{}/breakdown?format={}", command.id, command.format);
  const auto answer = daemon.call("GET", path);
  if (!answer) return fail(err, 1, answer.error().message);
  out << *answer;
  return 0;
}

}  // namespace stepscope::server
