#include "server/serve.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <future>
#include <mutex>
#include <ostream>
#include <sstream>
#include <streambuf>
#include <thread>

#include "runtime/crypto.h"
#include "runtime/curl_client.h"
#include "tests/support/temp_folder.h"

using namespace stepscope;
using namespace stepscope::server;
namespace fs = std::filesystem;

namespace {

// What a daemon prints; its first line can be waited for.
class Lines : public std::streambuf {
 public:
  std::string first_line() {
    std::unique_lock lock(mutex_);
    // Only a daemon that never comes up reaches the limit.
    changed_.wait_for(lock, std::chrono::minutes(2), [this] { return text_.contains('\n'); });
    return text_.substr(0, text_.find('\n'));
  }

 protected:
  int overflow(int c) override {
    const char one = static_cast<char>(c);
    xsputn(&one, 1);
    return c;
  }
  std::streamsize xsputn(const char* text, std::streamsize size) override {
    const std::lock_guard lock(mutex_);
    text_.append(text, static_cast<std::size_t>(size));
    changed_.notify_all();
    return size;
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::string text_;
};

// Sends SIGTERM the moment something is printed, before the daemon has begun to work.
class SignalWhenPrinted : public std::stringbuf {
 protected:
  int sync() override {
    std::raise(SIGTERM);
    return 0;
  }
};

Config config_in(const fs::path& folder) {
  Config config;
  config.server.port = 0;
  config.server.data = folder / "data";
  config.server.api_token_file = folder / "api.token";
  config.log_level = "error";
  return config;
}

std::string content_of(const fs::path& file) {
  std::ifstream in(file);
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

fs::perms mode_of(const fs::path& file) { return fs::status(file).permissions(); }

struct Ended {
  int exit_code = 0;
  std::string out;
  std::string err;
};

// A daemon that ends by itself or as soon as it listens.
Ended start_and_stop(const Config& config) {
  SignalWhenPrinted lines;
  std::ostream out(&lines);
  std::ostringstream err;
  const int exit_code = serve(config, out, err);
  return {exit_code, lines.str(), err.str()};
}

// A daemon on a thread of its own, stopped by SIGTERM at the end. The signal reaches every daemon
// of the process, and kills it when there is none.
class Running {
 public:
  explicit Running(Config config) : config_(std::move(config)) {
    ended_ = std::async(std::launch::async, [this] {
      std::ostream out(&lines_);
      return serve(config_, out, err_);
    });
    const std::string line = lines_.first_line();
    constexpr std::string_view kBefore = "stepscope listens on ";
    REQUIRE(line.starts_with(kBefore));
    url = line.substr(kBefore.size());
  }
  ~Running() {
    if (ended_.valid()) stop();
  }
  Running(const Running&) = delete;
  Running& operator=(const Running&) = delete;

  int stop() {
    std::raise(SIGTERM);
    return ended_.get();
  }
  std::uint16_t port() const {
    return static_cast<std::uint16_t>(std::stoi(url.substr(url.rfind(':') + 1)));
  }
  runtime::HttpResponse ask(const std::string& method, const std::string& path,
                            runtime::Headers headers = {}, std::string body = {}) {
    runtime::OutgoingRequest request;
    request.method = method;
    request.url = url + path;
    request.headers = std::move(headers);
    request.body = std::move(body);
    const auto answer = client_.send_blocking(request);
    REQUIRE(answer.has_value());
    return *answer;
  }

  std::string url;

 private:
  Config config_;
  Lines lines_;
  std::ostringstream err_;
  std::future<int> ended_;
  runtime::BlockingPool unused_{"client", 1};
  runtime::CurlClient client_{unused_, "test"};
};

constexpr fs::perms kOwnerOnly = fs::perms::owner_read | fs::perms::owner_write;

}  // namespace

TEST_CASE("a daemon says where it listens, serves, and ends with 0 on SIGTERM") {
  const tests::TempFolder folder;
  Running daemon(config_in(folder.path()));
  CHECK(daemon.url.starts_with("http://127.0.0.1:"));
  CHECK(daemon.ask("GET", "/healthz").body == "ok\n");
  CHECK(daemon.ask("GET", "/readyz").body == "ready\n");
  CHECK(daemon.ask("GET", "/static/style.css").status == 200);
  const auto absent = daemon.ask("GET", "/nothing");
  CHECK(absent.status == 404);
  CHECK(absent.body.contains("\"code\":\"not_found\""));
  CHECK(daemon.ask("DELETE", "/runs").body.contains("\"code\":\"method_not_allowed\""));
  // Without GitHub in the configuration there is no hook.
  CHECK(daemon.ask("POST", "/webhooks/github", {}, "{}").status == 404);
  CHECK(daemon.stop() == 0);
}

TEST_CASE("the first start makes a token for the owner alone, which the next one keeps") {
  const tests::TempFolder folder;
  const Config config = config_in(folder.path());
  std::string token;
  {
    Running daemon(config);
    token = content_of(config.server.api_token_file);
    // 32 random bytes as hex and a line break.
    CHECK(token.size() == 65);
    CHECK(mode_of(config.server.api_token_file) == kOwnerOnly);
    CHECK(mode_of(config.server.data) == fs::perms::owner_all);
    CHECK(fs::exists(config.server.data / "stepscope.db"));
    CHECK_FALSE(fs::exists(config.server.data / "share.key"));
    const runtime::Headers headers{{"Authorization", "Bearer " + token.substr(0, 64)}};
    CHECK(daemon.ask("GET", "/api/v1/runs").status == 401);
    CHECK(daemon.ask("GET", "/api/v1/runs", headers).status == 200);
    CHECK(daemon.ask("POST", "/api/v1/runs", headers, R"({"text":"help"})").status == 422);
  }
  CHECK(start_and_stop(config).exit_code == 0);
  CHECK(content_of(config.server.api_token_file) == token);
}

TEST_CASE("an empty token file is refused: it would be a token that everybody knows") {
  const tests::TempFolder folder;
  const Config config = config_in(folder.path());
  std::ofstream(config.server.api_token_file).close();
  const Ended ended = start_and_stop(config);
  CHECK(ended.exit_code == 1);
  CHECK(ended.out.empty());
  CHECK(ended.err == "stepscope: " + config.server.api_token_file.string() + " holds no secret\n");
}

TEST_CASE("signed links have a key of their own, made at the first start") {
  const tests::TempFolder folder;
  Config config = config_in(folder.path());
  config.server.share_links = true;
  config.server.api_token_file.clear();
  const fs::path file = config.server.data / "share.key";
  {
    Running daemon(config);
    CHECK(mode_of(file) == kOwnerOnly);
    const std::string key = content_of(file).substr(0, 64);
    const std::string good = runtime::hex(runtime::hmac_sha256(key, "run:1"));
    // There is no run 1; who may read it is told so.
    CHECK(daemon.ask("GET", "/runs/1?sig=" + good).status == 404);
    CHECK(daemon.ask("GET", "/runs/2?sig=" + good).status == 401);
    CHECK(daemon.ask("POST", "/api/v1/runs", {}, "{}").status == 403);
  }
  CHECK_FALSE(fs::exists(folder.path() / "api.token"));
}

TEST_CASE("a database that another daemon writes is refused in one line") {
  const tests::TempFolder folder;
  const Config config = config_in(folder.path());
  Running daemon(config);
  const Ended second = start_and_stop(config);
  CHECK(second.exit_code == 1);
  CHECK(second.out.empty());
  CHECK(second.err.starts_with("stepscope: stepscope.db is written by process "));
  CHECK(second.err.ends_with("stop it first\n"));
  CHECK(std::ranges::count(second.err, '\n') == 1);
  CHECK(daemon.ask("GET", "/healthz").status == 200);
}

TEST_CASE("a port that is taken is refused in one line, with everything taken down again") {
  const tests::TempFolder folder;
  Running daemon(config_in(folder.path()));
  const tests::TempFolder other;
  Config config = config_in(other.path());
  config.server.port = daemon.port();
  config.github.webhook_secrets = {"secret"};
  config.github.token = "ghp_secret";
  const Ended second = start_and_stop(config);
  CHECK(second.exit_code == 1);
  CHECK(second.out.empty());
  CHECK(second.err == "stepscope: can not listen on 127.0.0.1 port " +
                          std::to_string(daemon.port()) + ": Address already in use\n");
  CHECK(daemon.stop() == 0);
  // The database of the one that failed is free again.
  config.server.port = 0;
  CHECK(start_and_stop(config).exit_code == 0);
}

TEST_CASE("a signal that comes while the daemon starts is obeyed, not lost and not fatal") {
  const tests::TempFolder folder;
  Config config = config_in(folder.path());
  for (const bool with_runner : {true, false}) {
    config.runner.enabled = with_runner;
    const Ended ended = start_and_stop(config);
    CHECK(ended.exit_code == 0);
    CHECK(ended.out.starts_with("stepscope listens on http://127.0.0.1:"));
    CHECK(ended.err.empty());
  }
}

TEST_CASE("with GitHub in the configuration deliveries are taken, signed ones only") {
  const tests::TempFolder folder;
  Config config = config_in(folder.path());
  config.github.webhook_secrets = {"a secret"};
  config.github.token = "ghp_x";
  config.github.api_url = "http://127.0.0.1:1";
  Running daemon(config);
  const std::string body = R"({"zen":"x"})";
  runtime::Headers headers{{"Content-Type", "application/json"}, {"X-GitHub-Event", "ping"}};
  CHECK(daemon.ask("POST", "/webhooks/github", headers, body).status == 401);
  headers.emplace("X-Hub-Signature-256",
                  "sha256=" + runtime::hex(runtime::hmac_sha256("a secret", body)));
  CHECK(daemon.ask("POST", "/webhooks/github", headers, body).body == "{\"outcome\":\"pong\"}\n");
  CHECK(daemon.stop() == 0);
}

TEST_CASE("what the daemon can not start without is named in one line") {
  const tests::TempFolder folder;
  const auto refused = [](const Config& config, const std::string& part) {
    const Ended ended = start_and_stop(config);
    CHECK(ended.exit_code == 1);
    CHECK(ended.out.empty());
    CHECK(ended.err.starts_with("stepscope: "));
    CHECK(ended.err.contains(part));
    CHECK(std::ranges::count(ended.err, '\n') == 1);
  };
  const Config good = config_in(folder.path());
  Config config = good;
  config.catalog_file = folder.path() / "catalog.json";
  refused(config, "catalog.json: cannot be read");
  config = good;
  config.rules_file = folder.path();
  refused(config, "can not read the rules file");
  config = good;
  config.server.address = "localhost";
  refused(config, "this is no IP address");
  config = good;
  config.server.api_token_file = folder.path() / "absent" / "api.token";
  refused(config, "api.token");
  config = good;
  std::ofstream(folder.path() / "file").close();
  config.server.data = folder.path() / "file" / "data";
  refused(config, "data");
  // A database of something else.
  config = good;
  config.server.data = folder.path() / "foreign";
  fs::create_directories(config.server.data);
  std::ofstream(config.server.data / "stepscope.db") << std::string(4096, 'x');
  refused(config, "stepscope.db");
}
