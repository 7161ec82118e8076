#include "server/client_commands.h"

#include <doctest/doctest.h>

#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <thread>
#include <vector>

#include "tests/server/fake_daemon.h"
#include "tests/support/temp_folder.h"

using namespace stepscope;
using namespace stepscope::server;
using nlohmann::json;
using stepscope::tests::FakeDaemon;

namespace {

struct Ran {
  int exit_code = 0;
  std::string out;
  std::string err;
};

template <class Command>
Ran ran(Command command) {
  std::ostringstream out;
  std::ostringstream err;
  const int exit_code = command(out, err);
  return {exit_code, out.str(), err.str()};
}

Ran submit(const FakeDaemon& daemon, const SubmitCommand& command) {
  return ran([&](auto& out, auto& err) { return run_submit(daemon.options, command, out, err); });
}
Ran runs(const ClientOptions& options, const std::string& query = "") {
  return ran([&](auto& out, auto& err) { return run_runs(options, query, out, err); });
}
Ran show(const ClientOptions& options, const std::string& format = "markdown") {
  return ran([&](auto& out, auto& err) { return run_show(options, {57, format}, out, err); });
}
Ran health(const ClientOptions& options) {
  return ran([&](auto& out, auto& err) { return run_health(options, out, err); });
}

const std::string kAccepted =
    R"({"request":1,"runs":[{"id":57}],"understood":["Understood as `x`."],"note":null})";

// An environment variable for as long as the object lives.
class Variable {
 public:
  Variable(const char* name, const std::string& value) : name_(name) {
    ::setenv(name, value.c_str(), 1);
  }
  ~Variable() { ::unsetenv(name_); }
  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;

 private:
  const char* name_;
};

}  // namespace

TEST_CASE("health prints what the daemon says, and fails with its reason") {
  FakeDaemon daemon;
  daemon.reply("GET /readyz", {200, "ready\n"});
  const Ran ready = health(daemon.options);
  CHECK(ready.exit_code == 0);
  CHECK(ready.out == "ready\n");
  CHECK(ready.err.empty());
  daemon.reply("GET /readyz", {503, R"({"error":{"code":"not_ready","message":"no disk"}})"});
  const Ran broken = health(daemon.options);
  CHECK(broken.exit_code == 1);
  CHECK(broken.out.empty());
  CHECK(broken.err == "stepscope: the server answered 503: no disk\n");
}

TEST_CASE("a server that is not there is named in one line") {
  ClientOptions options;
  options.server = "http://127.0.0.1:1/";
  for (const Ran& one : {health(options), runs(options), show(options)}) {
    CHECK(one.exit_code == 1);
    CHECK(one.err.starts_with("stepscope: http://127.0.0.1:1 does not answer: "));
    CHECK(one.err.find('\n') == one.err.size() - 1);
  }
  options.server = "ftp://x";
  CHECK(health(options).exit_code == 1);
}

TEST_CASE("the token comes from its file, first line only, and is sent as a bearer token") {
  FakeDaemon daemon;
  daemon.reply("GET /api/v1/runs", {200, R"({"runs":[]})"});
  CHECK(runs(daemon.options).exit_code == 0);
  CHECK_FALSE(runtime::header(daemon.requests().back().headers, "Authorization").has_value());
  const tests::TempFolder folder;
  daemon.options.token_file = folder.path() / "token";
  std::ofstream(daemon.options.token_file) << "a-secret\nsecond line\n";
  CHECK(runs(daemon.options).exit_code == 0);
  CHECK(runtime::header(daemon.requests().back().headers, "Authorization") == "Bearer a-secret");
}

TEST_CASE("a token file that can not be read is wrong usage, and nothing is sent") {
  FakeDaemon daemon;
  const tests::TempFolder folder;
  daemon.options.token_file = folder.path() / "absent";
  const std::string expected =
      "stepscope: can not read the token file " + daemon.options.token_file.string() + "\n";
  for (const Ran& one :
       {runs(daemon.options), show(daemon.options), submit(daemon, {.text = "help"})}) {
    CHECK(one.exit_code == 2);
    CHECK(one.err == expected);
  }
  std::ofstream(daemon.options.token_file).close();
  CHECK(runs(daemon.options).exit_code == 2);
  CHECK(daemon.requests().empty());
}

TEST_CASE("address and token file may stand in the environment; arguments come before it") {
  FakeDaemon daemon;
  daemon.reply("GET /api/v1/runs", {200, R"({"runs":[]})"});
  const tests::TempFolder folder;
  const auto token_file = folder.path() / "token";
  std::ofstream(token_file) << "from-the-environment";
  {
    const Variable url("STEPSCOPE_URL", daemon.options.server + "//");
    const Variable token("STEPSCOPE_TOKEN_FILE", token_file.string());
    CHECK(runs({}).exit_code == 0);
    CHECK(runtime::header(daemon.requests().back().headers, "Authorization") ==
          "Bearer from-the-environment");
  }
  const Variable url("STEPSCOPE_URL", "http://127.0.0.1:1");
  CHECK(runs(daemon.options).exit_code == 0);
  CHECK(daemon.requests().size() == 2);
}

TEST_CASE("runs are listed a line each, with the query as given") {
  FakeDaemon daemon;
  daemon.reply("GET /api/v1/runs?model=dsr1&limit=2", {200, R"({"runs":[
    {"id":57,"state":"done","wall_ns":24976499,"config":{"key":"dsr1-fp4","conc":4}},
    {"id":9,"state":"queued","wall_ns":null,"config":{"key":"toy","conc":16}}]})"});
  const Ran one = runs(daemon.options, "model=dsr1&limit=2");
  CHECK(one.exit_code == 0);
  CHECK(one.err.empty());
  CHECK(one.out ==
        "    57  done           24.976 ms  dsr1-fp4 conc 4\n"
        "     9  queued                 -  toy conc 16\n");
}

TEST_CASE("an answer that is none of ours neither crashes nor reaches the terminal raw") {
  FakeDaemon daemon;
  for (const char* body : {"", "no json", "5", "[]", "{}", R"({"runs":5})", R"({"runs":"x"})",
                           R"({"runs":null})", R"({"runs":{"a":1}})"}) {
    INFO(body);
    daemon.reply("GET /api/v1/runs", {200, body});
    const Ran one = runs(daemon.options);
    CHECK(one.exit_code == 1);
    CHECK(one.err == "stepscope: the server's answer is no list of runs\n");
  }
  daemon.reply("GET /api/v1/runs",
               {200, R"({"runs":[5,null,{},{"id":"x","state":7,"wall_ns":"1","config":[]},
                        {"id":1.5,"state":"\u001b[2J\n","config":{"key":{},"conc":"x"}}]})"});
  const Ran odd = runs(daemon.options);
  CHECK(odd.exit_code == 0);
  CHECK(std::ranges::count(odd.out, '\n') == 5);
  CHECK_FALSE(odd.out.contains('\x1B'));
  // The message of an error, too.
  daemon.reply("GET /api/v1/runs", {500, R"({"error":{"message":"a\u001b]0;x\u0007\nb"}})"});
  CHECK(runs(daemon.options).err == "stepscope: the server answered 500: a]0;x b\n");
  for (const char* body : {"", "x", "[]", R"({"error":5})", R"({"error":{"message":5}})"}) {
    daemon.reply("GET /api/v1/runs", {404, body});
    CHECK(runs(daemon.options).err == "stepscope: the server answered 404\n");
  }
}

TEST_CASE("a report is printed as it is, in the format that was asked for") {
  FakeDaemon daemon;
  daemon.reply("GET /api/v1/runs/57/breakdown?format=markdown", {200, "# a\n| b |\n"});
  daemon.reply("GET /api/v1/runs/57/breakdown?format=json", {200, "{}\n"});
  daemon.reply("GET /api/v1/runs/57", {200, R"({"id":57})"});
  CHECK(show(daemon.options).out == "# a\n| b |\n");
  CHECK(show(daemon.options, "json").out == "{}\n");
  CHECK(show(daemon.options, "run").out == R"({"id":57})");
  daemon.reply("GET /api/v1/runs/57/breakdown?format=html",
               {409, R"({"error":{"message":"run 57 has no breakdown: it is queued"}})"});
  const Ran early = show(daemon.options, "html");
  CHECK(early.exit_code == 1);
  CHECK(early.out.empty());
  CHECK(early.err == "stepscope: the server answered 409: run 57 has no breakdown: it is queued\n");
}

TEST_CASE("a submission says how it was understood and where the run is") {
  FakeDaemon daemon;
  daemon.reply("POST /api/v1/runs", {202, kAccepted});
  const Ran one = submit(daemon, {.text = "profile \"x\"\n\xFF"});
  CHECK(one.exit_code == 0);
  CHECK(one.out.empty());
  CHECK(one.err == "Understood as `x`.\nrun 57: " + daemon.options.server + "/runs/57\n");
  const auto request = daemon.requests().back();
  CHECK(runtime::header(request.headers, "Content-Type") == "application/json");
  CHECK(json::parse(request.body)["text"] == "profile \"x\"\n\xEF\xBF\xBD");
}

TEST_CASE("a submission that is refused fails with the reason") {
  FakeDaemon daemon;
  daemon.reply("POST /api/v1/runs", {422, R"({"error":{"code":"refuse","message":"no such"}})"});
  const Ran one = submit(daemon, {.text = "x"});
  CHECK(one.exit_code == 1);
  CHECK(one.err == "stepscope: the server answered 422: no such\n");
  for (const char* body :
       {"", "[]", R"({"runs":5,"understood":5})", R"({"runs":[5,{}],"understood":[5,{}]})"}) {
    daemon.reply("POST /api/v1/runs", {202, body});
    CHECK(submit(daemon, {.text = "x", .wait = true}).err.empty());
  }
}

TEST_CASE("waiting ends with the report of a run that is done") {
  FakeDaemon daemon;
  daemon.reply("POST /api/v1/runs", {202, kAccepted});
  daemon.reply("GET /api/v1/runs/57", {200, R"({"id":57,"state":"done"})"});
  daemon.reply("GET /api/v1/runs/57/breakdown?format=markdown", {200, "# report\n"});
  const Ran one = submit(daemon, {.text = "x", .wait = true});
  CHECK(one.exit_code == 0);
  CHECK(one.out == "# report\n");
}

TEST_CASE("waiting fails when the run did, or is not final in time") {
  FakeDaemon daemon;
  daemon.reply("POST /api/v1/runs", {202, kAccepted});
  const auto error_of = [&daemon](const std::string& run) {
    daemon.reply("GET /api/v1/runs/57", {200, run});
    const Ran one =
        submit(daemon, {.text = "x", .wait = true, .time_limit = std::chrono::seconds{0}});
    CHECK(one.exit_code == 1);
    CHECK(one.out.empty());
    return one.err.substr(one.err.find("stepscope: "));
  };
  CHECK(error_of(R"({"state":"failed","failure":{"layer":"capture","message":"cut\nshort"}})") ==
        "stepscope: run 57 is failed: capture: cut short\n");
  CHECK(error_of(R"({"state":"cancelled","failure":null})") == "stepscope: run 57 is cancelled\n");
  CHECK(error_of(R"({"state":"running"})") == "stepscope: run 57 is still running after 0 s\n");
  CHECK(error_of(R"({"state":5})") == "stepscope: run 57 is still  after 0 s\n");
  CHECK(error_of("[]") == "stepscope: the server's answer is no JSON object\n");
}

TEST_CASE("what is fetched comes whole, and a refusal says which kind it is") {
  FakeDaemon daemon;
  daemon.reply("GET /api/v1/runs/57/trace", {200, std::string("\x1F\x8B\0x", 4)});
  const auto body = fetch(daemon.options, "/api/v1/runs/57/trace");
  REQUIRE(body);
  CHECK(*body == std::string("\x1F\x8B\0x", 4));
  daemon.reply("GET /api/v1/runs/57", {404, R"({"error":{"message":"there is no run 57"}})"});
  const auto absent = fetch(daemon.options, "/api/v1/runs/57");
  REQUIRE_FALSE(absent);
  CHECK_FALSE(absent.error().usage);
  CHECK(absent.error().message == "the server answered 404: there is no run 57");
  daemon.options.token_file = "/nowhere/token";
  CHECK(fetch(daemon.options, "/api/v1/runs/57").error().usage);
}
