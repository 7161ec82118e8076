#include "server/serve.h"

#include <fmt/format.h>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <fstream>
#include <memory>
#include <ostream>
#include <sstream>
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
#include "server/answers.h"
#include "server/api_routes.h"
#include "server/app.h"
#include "server/page_routes.h"
#include "server/webhook_route.h"
#include "webhooks/explanation.h"
#include "webhooks/github_auth.h"
#include "webhooks/github_client.h"
#include "webhooks/permission.h"
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

// The key of signed links, made once; whoever deletes the file ends all links.
std::string share_key(const ServerConfig& config) {
  if (!config.share_links) return "";
  const fs::path file = config.data / "share.key";
  std::string key;
  if (std::ifstream in(file); in && std::getline(in, key) && !key.empty()) return key;
  key = runtime::hex(runtime::random_bytes(32));
  std::ofstream out(file);
  out << key << '\n';
  out.close();
  if (!out) throw std::runtime_error(fmt::format("can not write {}", file.string()));
  fs::permissions(file, fs::perms::owner_read | fs::perms::owner_write);
  return key;
}

db::Catalog load_catalog(const fs::path& file) {
  if (file.empty()) return db::Catalog();
  auto catalog = db::Catalog::load(file);
  if (!catalog) throw std::runtime_error(catalog.error());
  return std::move(*catalog);
}

std::string read_rules(const fs::path& file) {
  if (file.empty()) return "";
  std::ifstream in(file, std::ios::binary);
  std::stringstream text;
  text << in.rdbuf();
  if (!in) throw std::runtime_error(fmt::format("can not read {}", file.string()));
  return text.str();
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
  workers::DispatcherSettings settings;
  settings.lease = config.runner.lease;
  settings.jobs_max = config.runner.jobs_max;
  settings.ingest.extra_rules = read_rules(config.rules_file);
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

class Daemon {
 public:
  explicit Daemon(const Config& config);
  // True: ended by a signal.
  bool run(std::ostream& out);

 private:
  webhooks::ResponderSettings responder_settings() const;
  void start_github();
  void start_runner();
  boost::asio::awaitable<void> stop_on_signal();

  const Config& config_;
  runtime::SystemClock clock_;
  db::Catalog catalog_;
  db::Database writer_;
  std::unique_ptr<db::Database> reader_;
  Access access_;
  workers::Artifacts artifacts_;
  boost::asio::io_context context_{1};
  // After the context: a pool's work that is still under way ends before what it touches goes.
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
  bool signalled_ = false;
};

fs::path prepared(const ServerConfig& config) {
  make_data_folder(config.data);
  return config.data / "stepscope.db";
}

Daemon::Daemon(const Config& config)
    : config_(config),
      catalog_(load_catalog(config.catalog_file)),
      writer_(prepared(config.server), db::Database::Mode::read_write),
      access_(config.server.api_token, config.server.public_read, share_key(config.server)),
      artifacts_(config.server.data / "traces"),
      curl_(http_out_, "stepscope/" STEPSCOPE_VERSION, config.github.ca_file.string()),
      app_{config_,
           clock_,
           db_write_,
           writer_,
           db_read_,
           writer_,
           catalog_,
           artifacts_,
           access_,
           [this] {
             if (dispatcher_) dispatcher_->poke();
           },
           [this] {
             if (responder_) responder_->poke();
           }},
      server_(context_, router_, runtime::HttpServerLimits{},
              [](int status, std::string message) { return error_answer(status, message); }) {}

}  // namespace
}  // namespace stepscope::server
