#pragma once
// The daemon's one TOML file as values. Secrets are named by `*_file` keys and read at start; they
// never stand in the file itself. Every fault is reported with file, line and key; unknown keys are
// faults.

#include <chrono>
#include <cstdint>
#include <expected>
#include <filesystem>
#include <string>
#include <vector>

#include "workers/recipe.h"

namespace stepscope::server {

struct ServerConfig {
  std::string address = "127.0.0.1";
  std::uint16_t port = 8080;
  std::string public_url;               // without a trailing slash; empty: comments carry no links
  bool public_read = false;             // reads need no token
  bool share_links = false;             // a signed URL per run opens it without a token
  std::filesystem::path data = "data";  // database and traces
  // Made with a random token at the first start; empty: nothing can be submitted over REST.
  std::filesystem::path api_token_file;
  std::int64_t queued_jobs_max = 1000;
};

struct GithubConfig {
  std::string mention = "stepscope";
  std::string api_url = "https://api.github.com";
  std::string api_version = "2022-11-28";
  std::vector<std::string> webhook_secrets;  // current, then previous
  std::string app_id;                        // App id or client id
  std::string private_key;                   // PEM
  std::string token;                         // personal token, instead of an App
  std::filesystem::path ca_file;             // for a server with a private authority
  std::chrono::seconds edit_interval{30};
  std::chrono::milliseconds write_interval{1000};

  bool enabled() const { return !webhook_secrets.empty(); }
};

struct RunnerConfig {
  bool enabled = true;
  std::string name = "local";
  std::size_t jobs_max = 1;
  std::chrono::seconds lease{30};
  std::vector<workers::Recipe> recipes;  // the operator's, checked
};

struct Config {
  ServerConfig server;
  GithubConfig github;
  RunnerConfig runner;
  std::filesystem::path catalog_file;  // empty: the built-in entries only
  std::filesystem::path rules_file;    // empty: the built-in categories only
  std::chrono::hours traces_kept{30 * 24};
  std::int64_t trace_bytes_max = 50LL << 30;
  std::string log_level = "info";
};

// Relative paths are taken from the file's folder. Error: "FILE:LINE: key: what is wrong", a line
// each.
std::expected<Config, std::string> load_config(const std::filesystem::path& file);

}  // namespace stepscope::server
