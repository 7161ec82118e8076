#include "server/config.h"

#include <fmt/format.h>
// toml++ asserts on a header like "[.a]" where, without the assertion, it reports the fault.
#define TOML_ASSERT(condition) static_cast<void>(0)
#include <toml++/toml.h>

#include <boost/asio/ip/address.hpp>
#include <fstream>
#include <functional>
#include <limits>
#include <map>
#include <optional>
#include <sstream>
#include <string_view>
#include <utility>

namespace stepscope::server {
namespace {

namespace fs = std::filesystem;

constexpr std::uintmax_t kSecretBytesMax = 64 << 10;

// Walks the file's tables and collects every fault with its place.
class Reader {
 public:
  explicit Reader(fs::path file) : file_(std::move(file)), folder_(file_.parent_path()) {}

  using Setter = std::function<void(const std::string& key, const toml::node& value)>;
  using Keys = std::map<std::string, Setter, std::less<>>;

  void fault(const toml::node& at, std::string_view key, std::string_view what) {
    const auto line = at.source().begin.line;
    faults_.emplace(line, fmt::format("{}:{}: {}: {}", file_.string(), line, key, what));
  }

  // Calls the setter of each key of a table; a key without one is a fault.
  void table(const toml::table& table, std::string_view name, const Keys& keys) {
    for (auto&& [key, value] : table) {
      const std::string full =
          name.empty() ? std::string(key.str()) : fmt::format("{}.{}", name, key.str());
      const auto setter = keys.find(key.str());
      if (setter == keys.end()) {
        std::vector<std::string> known;
        for (const auto& [one, unused] : keys) known.push_back(one);
        fault(value, full, fmt::format("unknown key; known are: {}", fmt::join(known, ", ")));
        continue;
      }
      setter->second(full, value);
    }
  }

  Setter section(Keys keys) {
    return [this, keys = std::move(keys)](const std::string& key, const toml::node& value) {
      if (const auto* inner = value.as_table()) return table(*inner, key, keys);
      fault(value, key, "must be a table");
    };
  }

  Setter text(std::string& target) {
    return [this, &target](const std::string& key, const toml::node& value) {
      const auto read = value.value_exact<std::string>();
      if (!read || read->empty()) return fault(value, key, "must be a string, not an empty one");
      target = *read;
    };
  }

  Setter flag(bool& target) {
    return [this, &target](const std::string& key, const toml::node& value) {
      if (const auto read = value.value_exact<bool>()) {
        target = *read;
      } else {
        fault(value, key, "must be true or false");
      }
    };
  }

  Setter number(std::int64_t least, std::int64_t most, std::function<void(std::int64_t)> set) {
    return
        [this, least, most, set = std::move(set)](const std::string& key, const toml::node& value) {
          const auto read = value.value_exact<std::int64_t>();
          if (!read || *read < least || *read > most) {
            fault(value, key, fmt::format("must be a whole number from {} to {}", least, most));
          } else {
            set(*read);
          }
        };
  }

  Setter path(fs::path& target) {
    return [this, &target](const std::string& key, const toml::node& value) {
      const auto read = value.value_exact<std::string>();
      if (!read || read->empty()) return fault(value, key, "must be a path");
      target = folder_ / *read;
    };
  }

  // A file's content without its last line break.
  Setter secret(std::function<void(std::string)> set) {
    return [this, set = std::move(set)](const std::string& key, const toml::node& value) {
      fs::path file;
      path(file)(key, value);
      if (file.empty()) return;
      auto content = read_secret(file);
      if (!content) return fault(value, key, fmt::format("can not read {}", file.string()));
      if (content->empty()) return fault(value, key, fmt::format("{} is empty", file.string()));
      set(std::move(*content));
    };
  }

  std::vector<std::string> words(const std::string& key, const toml::node& value) {
    std::vector<std::string> result;
    const auto* array = value.as_array();
    if (array == nullptr || array->empty()) {
      fault(value, key, "must be a list of strings, with at least one");
      return result;
    }
    for (const auto& element : *array) {
      const auto word = element.value_exact<std::string>();
      if (!word) {
        fault(element, key, "must be a list of strings, with at least one");
        return {};
      }
      result.push_back(*word);
    }
    return result;
  }

  // In the order of the file, a line each; toml++ hands out keys sorted by name.
  std::string faults() const {
    std::string text;
    for (const auto& [line, fault] : faults_) text += (text.empty() ? "" : "\n") + fault;
    return text;
  }

 private:
  static std::optional<std::string> read_secret(const fs::path& file) {
    std::error_code error;
    const auto bytes = fs::file_size(file, error);
    if (error || bytes > kSecretBytesMax) return std::nullopt;
    std::ifstream in(file, std::ios::binary);
    std::stringstream text;
    text << in.rdbuf();
    if (!in) return bytes == 0 ? std::optional<std::string>("") : std::nullopt;
    std::string content = text.str();
    while (!content.empty() && (content.back() == '\n' || content.back() == '\r')) {
      content.pop_back();
    }
    return content;
  }

  fs::path file_;
  fs::path folder_;
  std::multimap<toml::source_index, std::string> faults_;  // by line
};

Reader::Setter listen_setter(Reader& reader, ServerConfig& server) {
  return [&reader, &server](const std::string& key, const toml::node& value) {
    const auto text = value.value_exact<std::string>();
    const auto colon = text ? text->rfind(':') : std::string::npos;
    int port = -1;
    if (colon != std::string::npos) {
      const std::string digits = text->substr(colon + 1);
      const bool plain = !digits.empty() && digits.size() <= 5 &&
                         digits.find_first_not_of("0123456789") == std::string::npos;
      if (plain) port = std::stoi(digits);
    }
    if (port < 0 || port > std::numeric_limits<std::uint16_t>::max()) {
      return reader.fault(value, key, "must be \"ADDRESS:PORT\", for instance \"127.0.0.1:8080\"");
    }
    server.address = text->substr(0, colon);
    if (server.address.starts_with('[') && server.address.ends_with(']')) {
      server.address = server.address.substr(1, server.address.size() - 2);
    }
    boost::system::error_code error;
    boost::asio::ip::make_address(server.address, error);
    if (error) return reader.fault(value, key, "must begin with an IP address, not a name");
    server.port = static_cast<std::uint16_t>(port);
  };
}

Reader::Setter url_setter(Reader& reader, std::string& target) {
  return [&reader, &target](const std::string& key, const toml::node& value) {
    auto text = value.value_exact<std::string>().value_or("");
    while (text.ends_with('/')) text.pop_back();
    if (!text.starts_with("https://") && !text.starts_with("http://")) {
      return reader.fault(value, key, "must be an http or https URL");
    }
    target = text;
  };
}

Reader::Setter server_section(Reader& reader, ServerConfig& server) {
  return reader.section({
      {"listen", listen_setter(reader, server)},
      {"public_url", url_setter(reader, server.public_url)},
      {"public_read", reader.flag(server.public_read)},
      {"share_links", reader.flag(server.share_links)},
      {"data", reader.path(server.data)},
      {"api_token_file", reader.path(server.api_token_file)},
      {"queued_jobs_max",
       reader.number(1, 1'000'000, [&](std::int64_t value) { server.queued_jobs_max = value; })},
  });
}

Reader::Setter github_section(Reader& reader, GithubConfig& github, std::string& previous_secret) {
  return reader.section({
      {"mention", reader.text(github.mention)},
      {"api_url", url_setter(reader, github.api_url)},
      {"api_version", reader.text(github.api_version)},
      {"webhook_secret_file",
       reader.secret([&](std::string text) { github.webhook_secrets = {std::move(text)}; })},
      {"webhook_secret_previous_file",
       reader.secret([&](std::string text) { previous_secret = std::move(text); })},
      {"app_id", reader.text(github.app_id)},
      {"private_key_file",
       reader.secret([&](std::string text) { github.private_key = std::move(text); })},
      {"token_file", reader.secret([&](std::string text) { github.token = std::move(text); })},
      {"ca_file", reader.path(github.ca_file)},
      {"edit_interval_s", reader.number(0, 3600,
                                        [&](std::int64_t value) {
                                          github.edit_interval = std::chrono::seconds(value);
                                        })},
      {"write_interval_ms", reader.number(0, 60'000,
                                          [&](std::int64_t value) {
                                            github.write_interval =
                                                std::chrono::milliseconds(value);
                                          })},
  });
}

Reader::Setter runner_section(Reader& reader, RunnerConfig& runner) {
  return reader.section({
      {"enabled", reader.flag(runner.enabled)},
      {"name", reader.text(runner.name)},
      {"jobs_max",
       reader.number(
           1, 64, [&](std::int64_t value) { runner.jobs_max = static_cast<std::size_t>(value); })},
      {"lease_s",
       reader.number(3, 3600,
                     [&](std::int64_t value) { runner.lease = std::chrono::seconds(value); })},
  });
}

void read_recipe(Reader& reader, const toml::node& node, RunnerConfig& runner) {
  workers::Recipe recipe;
  const auto* table = node.as_table();
  if (table == nullptr) return reader.fault(node, "recipe", "must be written as [[recipe]]");
  reader.table(*table, "recipe",
               {
                   {"name", reader.text(recipe.name)},
                   {"hardware",
                    [&](const std::string& key, const toml::node& value) {
                      recipe.hardware = reader.words(key, value);
                    }},
                   {"argv",
                    [&](const std::string& key, const toml::node& value) {
                      recipe.argv = reader.words(key, value);
                      const auto checked = workers::check_argv(recipe.argv);
                      if (!recipe.argv.empty() && !checked) {
                        reader.fault(value, key, checked.error().message);
                      }
                    }},
                   {"time_limit_s", reader.number(1, 604'800,
                                                  [&](std::int64_t value) {
                                                    recipe.time_limit = std::chrono::seconds(value);
                                                  })},
               });
  for (const std::string_view key : {"name", "hardware", "argv"}) {
    if (!table->contains(key)) reader.fault(node, fmt::format("recipe.{}", key), "is missing");
  }
  runner.recipes.push_back(std::move(recipe));
}

Reader::Setter recipes_setter(Reader& reader, RunnerConfig& runner) {
  return [&reader, &runner](const std::string& key, const toml::node& value) {
    const auto* array = value.as_array();
    if (array == nullptr) return reader.fault(value, key, "must be written as [[recipe]]");
    for (const auto& node : *array) read_recipe(reader, node, runner);
  };
}

Reader::Setter traces_section(Reader& reader, Config& config) {
  return reader.section({
      {"keep_days", reader.number(1, 36'500,
                                  [&](std::int64_t value) {
                                    config.traces_kept = std::chrono::hours(24 * value);
                                  })},
      {"keep_gb", reader.number(1, 1'000'000,
                                [&](std::int64_t value) { config.trace_bytes_max = value << 30; })},
  });
}

Reader::Setter log_level_setter(Reader& reader, std::string& level) {
  return [&reader, &level](const std::string& key, const toml::node& value) {
    const auto text = value.value_exact<std::string>().value_or("");
    if (text != "debug" && text != "info" && text != "warning" && text != "error") {
      return reader.fault(value, key, "must be debug, info, warning or error");
    }
    level = text;
  };
}

// What holds between keys; reported at the table that should have them.
void check_github(Reader& reader, const toml::table& root) {
  const auto* table = root["github"].as_table();
  if (table == nullptr) return;
  const bool app_id = table->contains("app_id");
  const bool private_key = table->contains("private_key_file");
  const bool token = table->contains("token_file");
  if (!table->contains("webhook_secret_file")) {
    reader.fault(*table, "github.webhook_secret_file", "is missing: every delivery must be signed");
  }
  if (app_id != private_key) {
    reader.fault(*table, "github", "an App needs both app_id and private_key_file");
  }
  if (!app_id && !private_key && !token) {
    reader.fault(*table, "github", "give app_id and private_key_file, or token_file");
  }
  if ((app_id || private_key) && token) {
    reader.fault(*table, "github", "give either an App or token_file, not both");
  }
}

}  // namespace

std::expected<Config, std::string> load_config(const fs::path& file) {
  if (!std::ifstream(file).is_open() || fs::is_directory(file)) {
    return std::unexpected(fmt::format("{}: can not be read", file.string()));
  }
  Config config;
  Reader reader(file);
  std::string previous_secret;
  try {
    const toml::table root = toml::parse_file(file.string());
    const auto folder = file.parent_path();
    config.server.data = folder / config.server.data;
    reader.table(
        root, "",
        {
            {"server", server_section(reader, config.server)},
            {"github", github_section(reader, config.github, previous_secret)},
            {"runner", runner_section(reader, config.runner)},
            {"recipe", recipes_setter(reader, config.runner)},
            {"catalog", reader.section({{"file", reader.path(config.catalog_file)}})},
            {"analysis", reader.section({{"rules_file", reader.path(config.rules_file)}})},
            {"traces", traces_section(reader, config)},
            {"log", reader.section({{"level", log_level_setter(reader, config.log_level)}})},
        });
    check_github(reader, root);
  } catch (const toml::parse_error& error) {
    return std::unexpected(
        fmt::format("{}:{}: {}", file.string(), error.source().begin.line, error.description()));
  }
  if (!previous_secret.empty()) config.github.webhook_secrets.push_back(previous_secret);
  std::string faults = reader.faults();
  if (!faults.empty()) return std::unexpected(std::move(faults));
  return config;
}

}  // namespace stepscope::server
