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

int fail(std::ostream& err, int exit_code, std::string_view message) {
  err << "stepscope: " << message << '\n';
  return exit_code;
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
    std::string text = fmt::format("the server answered {}", response.status);
    if (body.is_object() && body.contains("error") && body["error"].is_object()) {
      text += ": " + body["error"].value("message", std::string("no reason given"));
    }
    return text;
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
    const auto state = db::job_state_from(run.value("state", std::string()));
    if (state && db::is_final(*state)) return run;
    if (std::chrono::steady_clock::now() >= until) {
      return runtime::fail(fmt::format("run {} is still {} after {} s", id,
                                       run.value("state", std::string("?")), limit.count()));
    }
    std::this_thread::sleep_for(kPollEvery);
  }
}

int print_result(Daemon& daemon, const json& run, std::ostream& out, std::ostream& err) {
  const auto id = run.value("id", db::JobId{0});
  const std::string state = run.value("state", std::string());
  if (state != "done") {
    std::string why;
    if (run.contains("failure") && run["failure"].is_object()) {
      why = fmt::format(": {}: {}", run["failure"].value("layer", std::string()),
                        run["failure"].value("message", std::string()));
    }
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
  if (!answer.is_object() || !answer.contains("runs")) return ids;
  for (const json& run : answer["runs"]) ids.push_back(run.value("id", db::JobId{0}));
  return ids;
}

}  // namespace

int run_submit(const ClientOptions& options, const SubmitCommand& command, std::ostream& out,
               std::ostream& err) {
  Daemon daemon(options);
  if (!daemon.fault().empty()) return fail(err, 2, daemon.fault());
  const auto answer = daemon.call(
      "POST", "/api/v1/runs",
      json{{"text", command.text}}.dump(-1, ' ', false, json::error_handler_t::replace));
  if (!answer) return fail(err, 1, answer.error().message);
  const auto parsed = json::parse(*answer, nullptr, false);
  if (parsed.is_object()) err << parsed.value("understood", std::string()) << '\n';
  int exit_code = 0;
  for (const db::JobId id : ids_of(parsed)) {
    err << fmt::format("run {}: {}/runs/{}", id, daemon.server(), id) << std::endl;
    if (!command.wait) continue;
    const auto run = wait_until_final(daemon, id, command.time_limit);
    if (!run) return fail(err, 1, run.error().message);
    exit_code = std::max(exit_code, print_result(daemon, *run, out, err));
  }
  return exit_code;
}

int run_runs(const ClientOptions& options, const std::string& query, std::ostream& out,
             std::ostream& err) {
  Daemon daemon(options);
  if (!daemon.fault().empty()) return fail(err, 2, daemon.fault());
  const auto answer = daemon.call("GET", "/api/v1/runs" + (query.empty() ? "" : "?" + query));
  if (!answer) return fail(err, 1, answer.error().message);
  const auto parsed = json::parse(*answer, nullptr, false);
  if (!parsed.is_object() || !parsed.contains("runs")) return fail(err, 1, "unexpected answer");
  for (const json& run : parsed["runs"]) {
    const std::string wall = run["wall_ns"].is_number_integer()
                                 ? analysis::format_ms(run["wall_ns"].get<std::int64_t>()) + " ms"
                                 : "-";
    out << fmt::format("{:>6}  {:<10}  {:>12}  {} conc {}\n", run.value("id", db::JobId{0}),
                       run.value("state", std::string()), wall,
                       run["config"].value("key", std::string()), run["config"].value("conc", 0));
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
