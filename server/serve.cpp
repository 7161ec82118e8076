#include "server/serve.h"

#include <fmt/format.h>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <chrono>
#include <csignal>
#include <exception>
#include <filesystem>
#include <fstream>
#include <memory>
#include <ostream>
#include <stdexcept>
#include <utility>

#include "db/catalog.h"
#include "db/database.h"
#include "db/schema.h"
#include "runtime/blocking_pool.h"
#include "runtime/clock.h"
#include "runtime/crypto.h"
#include "runtime/curl_client.h"
#include "runtime/http_server.h"
#include "runtime/log.h"
#include "runtime/router.h"
#include "runtime/task_group.h"
#include "server/access.h"
#include "server/analyze_command.h"
#include "server/answers.h"
#include "server/api_routes.h"
#include "server/app.h"
#include "server/page_routes.h"
#include "server/webhook_route.h"
#include "webhooks/explanation.h"
#include "webhooks/github_auth.h"
#include "webhooks/github_client.h"
#include "webhooks/permission.h"
#include "webhooks/request_reader.h"
#include "webhooks/responder.h"
#include "workers/artifacts.h"
#include "workers/dispatcher.h"
#include "workers/local_runner.h"

namespace stepscope::server {
namespace {

namespace fs = std::filesystem;
using runtime::LogLevel;

LogLevel log_level_of(const std::string& text) {
  if (text == "debug") return LogLevel::debug;
  if (text == "warning") return LogLevel::warning;
  return text == "error" ? LogLevel::error : LogLevel::info;
}

// The data folder holds other people's questions and traces: for the daemon's account alone.
void make_data_folder(const fs::path& folder) {
  fs::create_directories(folder);
  fs::permissions(folder, fs::perms::owner_all);
}

fs::path database_file(const ServerConfig& config) {
  make_data_folder(config.data);
  return config.data / "stepscope.db";
}

// Before anybody reads: a read-only connection can not bring a file up to date.
fs::path migrated(db::Database& writer, const ServerConfig& config) {
  db::migrate(writer);
  return config.data / "stepscope.db";
}

// The first line of a file, which is made with a random one when it is not there.
std::string secret_in(const fs::path& file) {
  std::string secret;
  if (fs::exists(file)) {
    std::ifstream in(file);
    if (!std::getline(in, secret) || secret.empty()) {
      throw std::runtime_error(fmt::format("{} holds no secret", file.string()));
    }
    return secret;
  }
  secret = runtime::hex(runtime::random_bytes(32));
  std::ofstream(file).close();
  fs::permissions(file, fs::perms::owner_read | fs::perms::owner_write);
  std::ofstream out(file);
  out << secret << '\n';
  out.close();
  if (!out) throw std::runtime_error(fmt::format("can not write {}", file.string()));
  runtime::log(LogLevel::info, "a new secret was made", {{"file", file.string()}});
  return secret;
}

// The key of signed links; whoever deletes its file ends all links.
std::string share_key(const ServerConfig& config) {
  return config.share_links ? secret_in(config.data / "share.key") : "";
}

db::Catalog load_catalog(const fs::path& file) {
  if (file.empty()) return db::Catalog();
  auto catalog = db::Catalog::load(file);
  if (!catalog) throw std::runtime_error(catalog.error());
  return std::move(*catalog);
}

// Replaying needs no hardware: it serves whatever hardware the catalog's replay rows name.
std::vector<std::string> replay_hardware(const db::Catalog& catalog) {
  std::vector<std::string> words;
  for (const db::CatalogEntry& entry : catalog.entries()) {
    if (entry.recipe == "replay") words.push_back(entry.hardware);
  }
  return words;
}

std::vector<workers::Recipe> recipes_of(const Config& config, const db::Catalog& catalog) {
  auto recipes =
      workers::builtin_recipes(fs::read_symlink("/proc/self/exe"), replay_hardware(catalog));
  recipes.insert(recipes.end(), config.runner.recipes.begin(), config.runner.recipes.end());
  return recipes;
}

workers::DispatcherSettings dispatcher_settings(const Config& config) {
  auto rules = read_rules(config.rules_file);
  if (!rules) throw std::runtime_error(rules.error());
  workers::DispatcherSettings settings;
  settings.lease = config.runner.lease;
  settings.jobs_max = config.runner.jobs_max;
  settings.ingest.extra_rules = std::move(*rules);
  settings.ingest.public_url = config.server.public_url;
  settings.traces_kept = config.traces_kept;
  settings.trace_bytes_max = config.trace_bytes_max;
  return settings;
}

// What only a daemon that is connected to GitHub has.
struct GithubParts {
  GithubParts(const GithubConfig& config, runtime::HttpClient& http_client,
              const runtime::Clock& clock)
      : http(http_client, clock, {config.api_url, config.api_version}),
        auth(http, clock, {config.app_id, config.private_key, config.token}),
        client(http, auth),
        permission(client, clock) {}
  webhooks::GitHubHttp http;
  webhooks::GitHubAuth auth;
  webhooks::GitHubClient client;
  webhooks::Permission permission;
};

// The token of the REST API, made at the first start so that there is never a default one.
std::string api_token(const ServerConfig& config) {
  if (config.api_token_file.empty()) return "";
  return secret_in(config.api_token_file);
}

class Daemon {
 public:
  explicit Daemon(const Config& config);
  // Until a signal; false when an essential part failed.
  bool run(std::ostream& out);

 private:
  void start_github();
  void start_runner();
  boost::asio::awaitable<void> stop_on_signal();

  const Config& config_;
  runtime::SystemClock clock_;
  db::Catalog catalog_;
  db::Database writer_;
  db::Database reader_;
  Access access_;
  workers::Artifacts artifacts_;
  webhooks::RequestReader requests_;
  boost::asio::io_context context_{1};
  // From the start on: a signal while the daemon comes up waits until it can be obeyed.
  boost::asio::signal_set signals_{context_, SIGTERM, SIGINT};
  // After the context, so that a pool ends before it: what the pool still holds belongs to
  // coroutines.
  runtime::BlockingPool db_write_{"db_write", 1};
  runtime::BlockingPool db_read_{"db_read", 1};
  runtime::BlockingPool cpu_{"cpu", 2};
  runtime::BlockingPool http_out_{"http_out", 4};
  runtime::CurlClient curl_;
  runtime::TaskGroup tasks_{context_};
  std::unique_ptr<GithubParts> github_;
  std::unique_ptr<webhooks::Responder> responder_;
  std::unique_ptr<workers::LocalRunner> runner_;
  std::unique_ptr<workers::Dispatcher> dispatcher_;
  App app_;
  runtime::Router router_;
  runtime::HttpServer server_;
};

Daemon::Daemon(const Config& config)
    : config_(config),
      catalog_(load_catalog(config.catalog_file)),
      writer_(database_file(config.server), db::Database::Mode::read_write),
      reader_(migrated(writer_, config.server), db::Database::Mode::read_only),
      access_(api_token(config.server), config.server.public_read, share_key(config.server)),
      artifacts_(config.server.data / "traces"),
      requests_(catalog_, config.github.mention),
      curl_(http_out_, "stepscope/" STEPSCOPE_VERSION, config.github.ca_file.string()),
      app_{.config = config_,
           .clock = clock_,
           .db_write = db_write_,
           .writer = writer_,
           .db_read = db_read_,
           .reader = reader_,
           .catalog = catalog_,
           .artifacts = artifacts_,
           .access = access_,
           .job_queued =
               [this] {
                 if (dispatcher_) dispatcher_->poke();
               },
           .reply_due =
               [this] {
                 if (responder_) responder_->poke();
               }},
      server_(
          context_, router_, runtime::HttpServerLimits{},
          [](int status, const std::string& message) { return error_answer(status, message); }) {
  add_api_routes(router_, app_);
  add_page_routes(router_, app_);
  if (config_.github.enabled()) start_github();
  if (config_.runner.enabled) start_runner();
}

void Daemon::start_github() {
  github_ = std::make_unique<GithubParts>(config_.github, curl_, clock_);
  add_webhook_route(router_, app_, {github_->client, github_->permission, requests_});
  webhooks::ResponderSettings settings;
  settings.public_url = config_.server.public_url;
  settings.mention = config_.github.mention;
  settings.limits.edit_interval_ms =
      std::chrono::milliseconds(config_.github.edit_interval).count();
  settings.limits.write_interval_ms = config_.github.write_interval.count();
  settings.explain = [this](const db::Request& request) {
    return webhooks::explanation(request, catalog_, config_.github.mention);
  };
  settings.link_suffix = [this](db::JobId id) { return access_.link_suffix(id); };
  const webhooks::ResponderParts parts{context_.get_executor(), clock_, db_write_, writer_,
                                       github_->client};
  responder_ = std::make_unique<webhooks::Responder>(parts, std::move(settings));
  tasks_.spawn("responder", responder_->run(), runtime::TaskGroup::Kind::essential);
}

void Daemon::start_runner() {
  runner_ =
      std::make_unique<workers::LocalRunner>(config_.runner.name, recipes_of(config_, catalog_));
  workers::DispatcherParts parts{.context = context_,
                                 .clock = clock_,
                                 .db_pool = db_write_,
                                 .database = writer_,
                                 .cpu_pool = cpu_,
                                 .artifacts = artifacts_,
                                 .catalog = catalog_,
                                 .runner = *runner_,
                                 .tasks = tasks_,
                                 .on_change = app_.reply_due};
  dispatcher_ =
      std::make_unique<workers::Dispatcher>(std::move(parts), dispatcher_settings(config_));
  tasks_.spawn("dispatcher", dispatcher_->run(), runtime::TaskGroup::Kind::essential);
}

boost::asio::awaitable<void> Daemon::stop_on_signal() {
  const int number = co_await signals_.async_wait(boost::asio::use_awaitable);
  runtime::log(LogLevel::info, "stopping", {{"signal", std::to_string(number)}});
  server_.stop();
  tasks_.stop();
  co_await tasks_.wait();
  context_.stop();
}

bool Daemon::run(std::ostream& out) {
  server_.listen(config_.server.address, config_.server.port);
  const bool v6 = config_.server.address.find(':') != std::string::npos;
  out << fmt::format("stepscope listens on http://{}{}{}:{}", v6 ? "[" : "", config_.server.address,
                     v6 ? "]" : "", server_.port())
      << std::endl;
  boost::asio::co_spawn(context_, stop_on_signal(), boost::asio::detached);
  context_.run();
  return !tasks_.failed();
}

}  // namespace

int serve(const Config& config, std::ostream& out, std::ostream& err) {
  runtime::set_log_level(log_level_of(config.log_level));
  // A client that has gone is an error of its own write, no end of ours.
  std::signal(SIGPIPE, SIG_IGN);
  try {
    Daemon daemon(config);
    return daemon.run(out) ? 0 : 1;
  } catch (const std::exception& error) {
    err << "stepscope: " << runtime::redact(error.what()) << '\n';
    return 1;
  }
}

}  // namespace stepscope::server
