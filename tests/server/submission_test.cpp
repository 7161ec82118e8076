#include "server/submission.h"

#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include "db/jobs.h"
#include "tests/server/world.h"

using namespace stepscope;
using namespace stepscope::server;
using nlohmann::json;

namespace {

// The text, or "! " and the fault.
std::string text_of(const std::string& body) {
  const auto text = submission_text(body);
  return text ? *text : "! " + text.error();
}

runtime::HttpResponse post(tests::World& world, const std::string& body) {
  return tests::run_coroutine(world.context, submit(world.app, body));
}

std::int64_t requests_in(tests::World& world) {
  auto count = world.writer.prepare("SELECT count(*) FROM request");
  count.step();
  return count.integer(0);
}

// One configuration; the run that a submission of these fields makes of it.
db::RunConfig run_of(const std::string& body) {
  tests::World world;
  const auto answer = post(world, body);
  INFO(answer.body);
  REQUIRE(answer.status == 202);
  return db::Jobs(world.writer).find(1)->config;
}

}  // namespace

TEST_CASE("a text is taken as it is") {
  CHECK(text_of(R"({"text":"profile dsr1 on b200"})") == "profile dsr1 on b200");
  CHECK(text_of(R"({"text":""})").empty());
  CHECK(text_of(R"({"text":"a\nb ä \u0000"})") == std::string("a\nb ä \0", 8));
  CHECK(text_of(R"({"text":5})") == "! text: must be a string");
  CHECK(text_of(R"({"text":null})") == "! text: must be a string");
  CHECK(text_of(R"({"text":"a","model":"b"})") == "! text: goes alone, without other fields");
}

TEST_CASE("fields become the words of a request, in the order of speech") {
  CHECK(text_of("{}") == "profile");
  CHECK(text_of(R"({"hardware":"b200","model":"dsr1"})") == "profile dsr1 on b200");
  CHECK(text_of(R"({"model":"dsr1","hardware":"b200","precision":"fp4","framework":"sglang",
                    "conc":4,"isl":8192,"osl":1024,"tp":8,"ep":2,"phase":"decode","steps":3,
                    "spec":"mtp"})") ==
        "profile dsr1 fp4 on b200 sglang conc 4 isl 8192 osl 1024 tp 8 ep 2 decode mtp 3 steps");
  CHECK(text_of(R"({"phase":"both"})") == "profile decode and prefill");
  CHECK(text_of(R"({"conc":-4})") == "profile conc -4");  // refused by the reader, with its reason
}

TEST_CASE("a field that is wrong is named") {
  for (const char* field : {"conc", "isl", "osl", "tp", "ep", "steps"}) {
    for (const char* value : {"\"4\"", "4.0", "4.5", "null", "true", "[4]", "{}", "1e400"}) {
      const std::string body = "{\"" + std::string(field) + "\":" + value + "}";
      INFO(body);
      // A number beyond the largest is no JSON to the parser.
      const std::string expected = std::string(value) == "1e400"
                                       ? "! the body must be a JSON object"
                                       : "! " + std::string(field) + ": must be a whole number";
      CHECK(text_of(body) == expected);
    }
  }
  for (const char* field : {"model", "hardware", "precision", "framework", "spec", "phase"}) {
    for (const std::string& value :
         {std::string("4"), std::string("null"), std::string("\"\""), std::string("\"a b\""),
          std::string("\"a\\nb\""), std::string("\"@stepscope\""), std::string("\"ä\""),
          std::string("[\"a\"]"), "\"" + std::string(101, 'a') + "\""}) {
      INFO(field << ": " << value);
      CHECK(text_of("{\"" + std::string(field) + "\":" + value + "}") ==
            "! " + std::string(field) + ": must be one word of the catalog");
    }
  }
  CHECK(text_of(R"({"phase":"compare"})") == "! phase: must be decode, prefill or both");
  CHECK(text_of(R"({"model":"a","colour":"red"})") == "! \"colour\": no such field");
  CHECK(text_of(R"({"a\nb":"red"})") == "! \"a\\nb\": no such field");
}

TEST_CASE("a body that is no JSON object is refused in one line") {
  for (const std::string& body :
       {std::string(), std::string("profile dsr1"), std::string("[]"), std::string("5"),
        std::string("null"), std::string("{\"text\":\"a\""), std::string("{\"text\":\"\xFF\"}"),
        std::string("{}{}"), std::string(60'000, '['), "{\"a\":" + std::string(60'000, '[')}) {
    INFO(body.substr(0, 50));
    CHECK(text_of(body) == "! the body must be a JSON object");
  }
}

TEST_CASE("a submission is stored, answered with its runs, and wakes the dispatcher") {
  tests::World world;
  const std::string text = "profile toy-moe fp32 on cpu conc 4, 5 decode steps";
  const auto answer = post(world, json{{"text", text}}.dump());
  CHECK(answer.status == 202);
  const json body = json::parse(answer.body);
  CHECK(body["request"] == 1);
  CHECK(body["runs"].dump() == R"([{"id":1,"page":"/runs/1","self":"/api/v1/runs/1"}])");
  REQUIRE(body["understood"].size() == 1);
  CHECK(body["understood"][0].get<std::string>().starts_with("Understood as `"));
  CHECK(body["note"].is_null());
  CHECK(world.jobs_queued == 1);
  CHECK(world.replies_due == 0);  // nobody on GitHub waits for it
  db::Jobs jobs(world.writer);
  CHECK(jobs.find(1)->config.key == "toy-moe-fp32-cpu-builtin");
  CHECK(jobs.find(1)->config.steps == 5);
  const auto request = jobs.request(1);
  REQUIRE(request.has_value());
  CHECK(request->source == "api");
  CHECK(request->text == text);
  CHECK(request->marker.size() == 32);
}

TEST_CASE("the same text twice is two runs: only deliveries of GitHub are known again") {
  tests::World world;
  const std::string body = R"({"text":"profile toy-moe fp32 on cpu conc 4"})";
  CHECK(json::parse(post(world, body).body)["runs"][0]["id"] == 1);
  CHECK(json::parse(post(world, body).body)["runs"][0]["id"] == 2);
  CHECK(world.jobs_queued == 2);
}

TEST_CASE("fields arrive in the run as they were given") {
  const auto config = run_of(R"({"model":"Toy-MoE","hardware":"CPU","precision":"fp32",
      "framework":"builtin","conc":8,"isl":64,"osl":32,"tp":1,"ep":1,"phase":"prefill","steps":2,
      "spec":"none"})");
  CHECK(config.key == "toy-moe-fp32-cpu-builtin");
  CHECK(config.conc == 8);
  CHECK(config.phase == "prefill");
  CHECK(config.steps == 2);
  CHECK(run_of(R"({"model":"toy-moe","hardware":"cpu","phase":"both"})").phase == "both");
}

TEST_CASE("a field that a comment's reader would pass over is refused, never replaced in silence") {
  tests::World world;
  const auto message = [&world](const std::string& fields) -> std::string {
    const auto answer = post(world, R"({"model":"toy-moe","hardware":"cpu",)" + fields + "}");
    CHECK(answer.status == 422);
    CHECK(json::parse(answer.body)["error"]["code"] == "refuse");
    return json::parse(answer.body)["error"]["message"];
  };
  CHECK(message(R"("framework":"vllm")") ==
        "framework: \"vllm\" can not be had here; it would be \"builtin\"");
  CHECK(message(R"("spec":"banana")") ==
        "spec: \"banana\" can not be had here; it would be \"none\"");
  CHECK(message(R"("conc":8,"precision":"fast")") ==
        "precision: \"fast\" can not be had here; it would be \"fp32\"");
  CHECK(requests_in(world) == 0);
  CHECK(world.jobs_queued == 0);
}

TEST_CASE("what can not be run is refused with its reason, and nothing is stored") {
  tests::World world;
  const struct {
    std::string body;
    int status;
    std::string code;
    std::string part;
  } cases[] = {
      {R"({"text":"profile toy-moe fp32 on cpu conc 3"})", 422, "refuse", "conc"},
      {R"({"model":"toy-moe","hardware":"cpu","steps":65})", 422, "refuse", "1 to 64"},
      {R"({"model":"toy-moe","hardware":"cpu","conc":-4})", 422, "refuse", "-4"},
      {R"({"model":"toy-moe","hardware":"cpu","conc":18446744073709551615})", 422, "refuse", "184"},
      {R"({"model":"nosuch","hardware":"cpu"})", 422, "refuse", "nosuch"},
      {R"({"text":"profile toy-moe on tpu9"})", 422, "refuse", "tpu9"},
      {"{}", 422, "clarify", "model"},
      {R"({"text":""})", 422, "help", "@stepscope"},
      {R"({"text":"help"})", 422, "help", "@stepscope"},
      {R"({"text":5})", 400, "bad_request", "text: must be a string"},
      {"", 400, "bad_request", "JSON object"},
  };
  for (const auto& [body, status, code, part] : cases) {
    INFO(body);
    const auto answer = post(world, body);
    INFO(answer.body);
    CHECK(answer.status == status);
    CHECK(json::parse(answer.body)["error"]["code"] == code);
    CHECK(json::parse(answer.body)["error"]["message"].get<std::string>().contains(part));
  }
  CHECK(requests_in(world) == 0);
  CHECK(world.jobs_queued == 0);
}

TEST_CASE("the operator's own name is what answers speak of") {
  tests::World world;
  world.config.github.mention = "profiler";
  CHECK(post(world, R"({"text":"help"})").body.contains("@profiler profile"));
}
