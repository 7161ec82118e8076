#include "server/config.h"

#include <doctest/doctest.h>

#include <fstream>
#include <string_view>

#include "tests/support/temp_folder.h"

using namespace stepscope;
using namespace stepscope::server;

namespace {

// A folder with a configuration and the secrets that it names.
struct Folder {
  void write(const std::string& name, std::string_view text) const {
    std::ofstream(folder.path() / name, std::ios::binary) << text;
  }
  std::expected<Config, std::string> load(std::string_view text) const {
    write("s.toml", text);
    return load_config(folder.path() / "s.toml");
  }
  // The faults without the file's folder, "s.toml:2: ..." a line; "" when there are none.
  std::string faults(std::string_view text) const {
    const auto config = load(text);
    if (config) return "";
    std::string error = config.error();
    const std::string prefix = folder.path().string() + "/";
    for (auto at = error.find(prefix); at != std::string::npos; at = error.find(prefix)) {
      error.erase(at, prefix.size());
    }
    return error;
  }
  std::filesystem::path path(const std::string& name) const { return folder.path() / name; }

  tests::TempFolder folder;
};

constexpr std::string_view kEveryKey = R"(
[server]
listen = "0.0.0.0:9000"
public_url = "https://stepscope.example/"
public_read = true
share_links = true
data = "/var/lib/stepscope"
api_token_file = "api.token"
queued_jobs_max = 7

[github]
mention = "stepper"
api_url = "https://github.example/api/v3/"
api_version = "2026-01-01"
webhook_secret_file = "hook"
webhook_secret_previous_file = "hook.old"
app_id = "12345"
private_key_file = "key.pem"
ca_file = "ca.pem"
edit_interval_s = 11
write_interval_ms = 12

[runner]
enabled = false
name = "box"
jobs_max = 3
lease_s = 4

[[recipe]]
name = "sglang"
hardware = ["b200", "h200"]
argv = ["/opt/run", "{model_name}", "--conc={conc}"]
time_limit_s = 90

[[recipe]]
name = "vllm"
hardware = ["b200"]
argv = ["/opt/run"]

[catalog]
file = "catalog.json"
[analysis]
rules_file = "rules.tsv"
[traces]
keep_days = 2
keep_gb = 3
[log]
level = "debug"
)";

}  // namespace

TEST_CASE("an empty file is a configuration: the defaults, with its folder for the data") {
  const Folder folder;
  const auto config = folder.load("");
  REQUIRE(config.has_value());
  CHECK(config->server.address == "127.0.0.1");
  CHECK(config->server.port == 8080);
  CHECK(config->server.data == folder.path("data"));
  CHECK(config->server.api_token_file.empty());
  CHECK_FALSE(config->server.public_read);
  CHECK_FALSE(config->github.enabled());
  CHECK(config->runner.enabled);
  CHECK(config->runner.recipes.empty());
  CHECK(config->traces_kept == std::chrono::hours(720));
  CHECK(config->trace_bytes_max == 53'687'091'200);  // 50 * 2^30
}

TEST_CASE("every key is read") {
  const Folder folder;
  folder.write("hook", "now\n");
  folder.write("hook.old", "before\r\n");
  folder.write("key.pem", "-----BEGIN KEY-----\nabc\n-----END KEY-----\n\n");
  const auto config = folder.load(kEveryKey);
  REQUIRE(config.has_value());
  const ServerConfig& server = config->server;
  CHECK(server.address == "0.0.0.0");
  CHECK(server.port == 9000);
  CHECK(server.public_url == "https://stepscope.example");
  CHECK(server.public_read);
  CHECK(server.share_links);
  CHECK(server.data == "/var/lib/stepscope");
  CHECK(server.api_token_file == folder.path("api.token"));
  CHECK(server.queued_jobs_max == 7);
  const GithubConfig& github = config->github;
  CHECK(github.enabled());
  CHECK(github.mention == "stepper");
  CHECK(github.api_url == "https://github.example/api/v3");
  CHECK(github.api_version == "2026-01-01");
  CHECK(github.webhook_secrets == std::vector<std::string>{"now", "before"});
  CHECK(github.app_id == "12345");
  CHECK(github.private_key == "-----BEGIN KEY-----\nabc\n-----END KEY-----");
  CHECK(github.token.empty());
  CHECK(github.ca_file == folder.path("ca.pem"));
  CHECK(github.edit_interval == std::chrono::seconds(11));
  CHECK(github.write_interval == std::chrono::milliseconds(12));
  CHECK(config->catalog_file == folder.path("catalog.json"));
  CHECK(config->rules_file == folder.path("rules.tsv"));
  CHECK(config->traces_kept == std::chrono::hours(48));
  CHECK(config->trace_bytes_max == 3'221'225'472);  // 3 * 2^30
  CHECK(config->log_level == "debug");
  const RunnerConfig& runner = config->runner;
  CHECK_FALSE(runner.enabled);
  CHECK(runner.name == "box");
  CHECK(runner.jobs_max == 3);
  CHECK(runner.lease == std::chrono::seconds(4));
  REQUIRE(runner.recipes.size() == 2);
  CHECK(runner.recipes[0].name == "sglang");
  CHECK(runner.recipes[0].hardware == std::vector<std::string>{"b200", "h200"});
  CHECK(runner.recipes[0].argv ==
        std::vector<std::string>{"/opt/run", "{model_name}", "--conc={conc}"});
  CHECK(runner.recipes[0].time_limit == std::chrono::seconds(90));
  CHECK(runner.recipes[1].name == "vllm");
  CHECK(runner.recipes[1].time_limit == std::chrono::seconds(1800));
}

TEST_CASE("all faults are reported at once, each with its line and key") {
  const Folder folder;
  CHECK(folder.faults("[server]\n"
                      "public_read = \"yes\"\n"
                      "queued_jobs_max = 0\n"
                      "[traces]\n"
                      "keep_gb = 1.5\n") ==
        "s.toml:2: server.public_read: must be true or false\n"
        "s.toml:3: server.queued_jobs_max: must be a whole number from 1 to 1000000\n"
        "s.toml:5: traces.keep_gb: must be a whole number from 1 to 1000000");
}

TEST_CASE("a key that is not known is a fault that names those that are") {
  const Folder folder;
  CHECK(folder.faults("[traces]\nkeep_day = 1\n") ==
        "s.toml:2: traces.keep_day: unknown key; known are: keep_days, keep_gb");
  CHECK(folder.faults("colour = 1\n") ==
        "s.toml:1: colour: unknown key; known are: analysis, catalog, github, log, recipe, runner, "
        "server, traces");
}

TEST_CASE("every key refuses what it can not be") {
  const Folder folder;
  const struct {
    std::string_view text;
    std::string_view fault;
  } cases[] = {
      {"server = 1", "s.toml:1: server: must be a table"},
      {"[server]\npublic_url = \"stepscope.example\"",
       "s.toml:2: server.public_url: must be an http or https URL"},
      {"[server]\npublic_url = \"https:///\"",
       "s.toml:2: server.public_url: must be an http or https URL"},
      {"[server]\npublic_url = 5", "s.toml:2: server.public_url: must be an http or https URL"},
      {"[server]\ndata = \"\"", "s.toml:2: server.data: must be a path"},
      {"[server]\ndata = 1", "s.toml:2: server.data: must be a path"},
      {"[server]\nqueued_jobs_max = 1000001",
       "s.toml:2: server.queued_jobs_max: must be a whole number from 1 to 1000000"},
      {"[runner]\nname = \"\"", "s.toml:2: runner.name: must be a string, not an empty one"},
      {"[runner]\nname = 5", "s.toml:2: runner.name: must be a string, not an empty one"},
      {"[runner]\nenabled = 1", "s.toml:2: runner.enabled: must be true or false"},
      {"[runner]\njobs_max = 65", "s.toml:2: runner.jobs_max: must be a whole number from 1 to 64"},
      {"[runner]\nlease_s = 2", "s.toml:2: runner.lease_s: must be a whole number from 3 to 3600"},
      {"[log]\nlevel = \"loud\"", "s.toml:2: log.level: must be debug, info, warning or error"},
      {"[catalog]\nfile = []", "s.toml:2: catalog.file: must be a path"},
      {"[analysis]\nrules_file = true", "s.toml:2: analysis.rules_file: must be a path"},
      {"[traces]\nkeep_days = -1",
       "s.toml:2: traces.keep_days: must be a whole number from 1 to 36500"},
      {"[traces]\nkeep_days = \"1\"",
       "s.toml:2: traces.keep_days: must be a whole number from 1 to 36500"},
  };
  for (const auto& [text, fault] : cases) CHECK(folder.faults(text) == fault);
}

TEST_CASE("listen is an address and a port") {
  const Folder folder;
  const auto listen = [&folder](const std::string& text) {
    return folder.load("[server]\nlisten = \"" + text + "\"\n");
  };
  const struct {
    std::string text;
    std::string address;
    int port;
  } good[] = {{"127.0.0.1:0", "127.0.0.1", 0},
              {"[::1]:65535", "::1", 65535},
              {"::1:80", "::1", 80},
              {"0.0.0.0:00080", "0.0.0.0", 80}};
  for (const auto& [text, address, port] : good) {
    INFO(text);
    const auto config = listen(text);
    REQUIRE(config.has_value());
    CHECK(config->server.address == address);
    CHECK(config->server.port == port);
  }
  for (const char* bad :
       {"", ":", "127.0.0.1", "127.0.0.1:", "127.0.0.1:65536", "127.0.0.1:-1", "127.0.0.1:+1",
        "127.0.0.1: 80", "127.0.0.1:8x", "127.0.0.1:999999999999", "[::1]"}) {
    CHECK(folder.faults("[server]\nlisten = \"" + std::string(bad) + "\"") ==
          "s.toml:2: server.listen: must be \"ADDRESS:PORT\", for instance \"127.0.0.1:8080\"");
  }
  for (const char* name : {":80", "localhost:80", "*:80", "300.0.0.1:80", "[127.0.0.1:80"}) {
    CHECK(folder.faults("[server]\nlisten = \"" + std::string(name) + "\"") ==
          "s.toml:2: server.listen: must begin with an IP address, not a name");
  }
  CHECK(folder.faults("[server]\nlisten = 8080").starts_with("s.toml:2: server.listen: must be"));
}

TEST_CASE("a secret is a file that is there, not empty, and not huge") {
  const Folder folder;
  folder.write("empty", "");
  folder.write("newline", "\r\n\n");
  folder.write("huge", std::string(65'537, 'x'));
  folder.write("largest", std::string(65'536, 'x'));
  std::filesystem::create_directory(folder.path("folder"));
  const auto faults = [&folder](const std::string& name) {
    return folder.faults("[github]\ntoken_file = \"largest\"\nwebhook_secret_file = \"" + name +
                         "\"\n");
  };
  CHECK(faults("largest").empty());
  const std::string key = "s.toml:3: github.webhook_secret_file: ";
  CHECK(faults("absent") == key + "can not read absent");
  CHECK(faults("empty") == key + "empty is empty");
  CHECK(faults("newline") == key + "newline is empty");
  CHECK(faults("huge") == key + "can not read huge");
  CHECK(faults("folder") == key + "can not read folder");
  CHECK(faults("") == key + "must be a path");
}

TEST_CASE("a secret keeps its blanks and inner line breaks, and stays out of every message") {
  const Folder folder;
  folder.write("hook", " a b\nc \n");
  folder.write("token", "ghp_topsecret\n");
  const auto config =
      folder.load("[github]\nwebhook_secret_file = \"hook\"\ntoken_file = \"token\"\n");
  REQUIRE(config.has_value());
  CHECK(config->github.webhook_secrets == std::vector<std::string>{" a b\nc "});
  CHECK(config->github.token == "ghp_topsecret");
  const std::string faults = folder.faults(
      "[github]\nwebhook_secret_file = \"hook\"\ntoken_file = \"token\"\napp_id = \"1\"\n");
  CHECK_FALSE(faults.empty());
  CHECK_FALSE(faults.contains("topsecret"));
  CHECK_FALSE(faults.contains("a b"));
}

TEST_CASE("GitHub needs a webhook secret, and an App or a token but not both") {
  const Folder folder;
  folder.write("x", "secret\n");
  const std::string head = "[github]\nwebhook_secret_file = \"x\"\n";
  const std::string both = "s.toml:1: github: give either an App or token_file, not both";
  const std::string half = "s.toml:1: github: an App needs both app_id and private_key_file";
  CHECK(folder.faults(head + "token_file = \"x\"").empty());
  CHECK(folder.faults(head + "app_id = \"1\"\nprivate_key_file = \"x\"").empty());
  CHECK(folder.faults(head) == "s.toml:1: github: give app_id and private_key_file, or token_file");
  CHECK(folder.faults(head + "app_id = \"1\"") == half);
  CHECK(folder.faults(head + "private_key_file = \"x\"") == half);
  CHECK(folder.faults(head + "app_id = \"1\"\nprivate_key_file = \"x\"\ntoken_file = \"x\"") ==
        both);
  CHECK(folder.faults(head + "app_id = \"1\"\ntoken_file = \"x\"") == half + "\n" + both);
  CHECK(folder.faults("[github]\ntoken_file = \"x\"") ==
        "s.toml:1: github.webhook_secret_file: is missing: every delivery must be signed");
  CHECK(folder.faults("github = 5") == "s.toml:1: github: must be a table");
}

TEST_CASE("a key that is there but wrong is not called missing as well") {
  const Folder folder;
  folder.write("x", "secret\n");
  CHECK(folder.faults("[github]\nwebhook_secret_file = \"absent\"\ntoken_file = \"x\"") ==
        "s.toml:2: github.webhook_secret_file: can not read absent");
  CHECK(folder.faults("[github]\nwebhook_secret_file = \"x\"\napp_id = 5\n"
                      "private_key_file = \"x\"") ==
        "s.toml:3: github.app_id: must be a string, not an empty one");
}

TEST_CASE("a recipe has a name, hardware and a command whose placeholders are known") {
  const Folder folder;
  const std::string name = "name = \"a\"\n";
  const std::string hardware = "hardware = [\"b200\"]\n";
  const std::string argv = "argv = [\"/bin/x\"]\n";
  const auto faults = [&folder](const std::string& lines) {
    return folder.faults("[[recipe]]\n" + lines);
  };
  CHECK(faults(name + hardware + argv).empty());
  CHECK(faults("") ==
        "s.toml:1: recipe.name: is missing\n"
        "s.toml:1: recipe.hardware: is missing\n"
        "s.toml:1: recipe.argv: is missing");
  CHECK(faults("name = 1\n" + hardware + argv) ==
        "s.toml:2: recipe.name: must be a string, not an empty one");
  for (const char* list : {"[]", "\"b200\"", "[1]", "[\"b200\", 1]", "[[\"b200\"]]"}) {
    CHECK(faults("hardware = " + std::string(list) + "\n" + name + argv) ==
          "s.toml:2: recipe.hardware: must be a list of strings, with at least one");
  }
  CHECK(faults("argv = []\n" + name + hardware) ==
        "s.toml:2: recipe.argv: must be a list of strings, with at least one");
  CHECK(faults("argv = [\"x\"]\n" + name + hardware) ==
        "s.toml:2: recipe.argv: the program \"x\" is no absolute path");
  CHECK(faults("argv = [\"/x\", \"{conc\"]\n" + name + hardware) ==
        "s.toml:2: recipe.argv: unbalanced brace in \"{conc\"");
  CHECK(faults("argv = [\"/x\", \"{shell}\"]\n" + name + hardware)
            .starts_with("s.toml:2: recipe.argv: unknown placeholder {shell}; known are: conc, "));
  CHECK(faults("time_limit_s = 604801\n" + name + hardware + argv) ==
        "s.toml:2: recipe.time_limit_s: must be a whole number from 1 to 604800");
  CHECK(faults("user = \"root\"\n" + name + hardware + argv) ==
        "s.toml:2: recipe.user: unknown key; known are: argv, hardware, name, time_limit_s");
}

TEST_CASE("recipes are written in double brackets") {
  const Folder folder;
  CHECK(folder.faults("[recipe]\nname = \"a\"") ==
        "s.toml:1: recipe: must be written as [[recipe]]");
  CHECK(folder.faults("recipe = [1]") == "s.toml:1: recipe: must be written as [[recipe]]");
}

TEST_CASE("what is no TOML is reported with its line") {
  const Folder folder;
  CHECK(folder.faults("[server]\nlisten = \n").starts_with("s.toml:2: "));
  CHECK(folder.faults("[server]\n[server]\n").starts_with("s.toml:2: "));
  CHECK(folder.faults("a = \"\xFF\"").starts_with("s.toml:1: "));
  CHECK(folder.faults("a = \"unfinished").starts_with("s.toml:1: "));
  CHECK(folder.faults(std::string(10'000, '[')).starts_with("s.toml:1: "));
}

TEST_CASE("a file that can not be read is named") {
  const Folder folder;
  const auto absent = load_config(folder.path("absent.toml"));
  REQUIRE_FALSE(absent.has_value());
  CHECK(absent.error() == folder.path("absent.toml").string() + ": can not be read");
  const auto no_file = load_config(folder.folder.path());
  REQUIRE_FALSE(no_file.has_value());
  CHECK(no_file.error() == folder.folder.path().string() + ": can not be read");
}
