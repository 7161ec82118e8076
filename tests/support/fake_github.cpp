#include "tests/support/fake_github.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

namespace stepscope::tests {
namespace {

using nlohmann::json;
using runtime::HttpResponse;
using runtime::OutgoingRequest;

constexpr std::string_view kApi = "https://api.github.com";

std::string kind_of(const OutgoingRequest& request) {
  const std::string path = request.url.substr(kApi.size(), request.url.find('?') - kApi.size());
  std::string noun = path;
  if (path.starts_with("/app/installations/")) noun = "token";
  if (path == "/repos/octo/repo/issues/7/comments") noun = "comments";
  if (path.starts_with("/repos/octo/repo/issues/comments/")) noun = "comment";
  if (path.ends_with("/reactions")) noun = "reactions";
  return request.method + " " + noun;
}

std::int64_t last_number(const std::string& url) {
  return std::stoll(url.substr(url.rfind('/') + 1));
}

json shape(const FakeGitHub::Comment& comment) {
  return {{"id", comment.id}, {"body", comment.body}, {"user", {{"login", comment.login}}}};
}

}  // namespace

HttpResponse json_answer(int status, std::string body, runtime::Headers headers) {
  HttpResponse response;
  response.status = status;
  response.headers = std::move(headers);
  response.body = std::move(body);
  return response;
}

boost::asio::awaitable<runtime::Result<HttpResponse>> ScriptedHttp::send(OutgoingRequest request) {
  requests.push_back(std::move(request));
  if (answers.empty()) co_return json_answer(500, R"({"message":"no more answers"})");
  HttpResponse answer = std::move(answers.front());
  answers.erase(answers.begin());
  co_return answer;
}

int FakeGitHub::count(const std::string& kind) const {
  return static_cast<int>(std::ranges::count(kinds, kind));
}

boost::asio::awaitable<runtime::Result<HttpResponse>> FakeGitHub::send(OutgoingRequest request) {
  const auto fault = faults.find(kinds.size());
  const bool faulty = fault != faults.end();
  const std::string kind = kind_of(request);
  kinds.push_back(kind);
  if (faulty && fault->second == Fault::crash_before) throw Crash{};
  if (faulty && fault->second == Fault::lost_before) {
    co_return runtime::fail("connection refused", true);
  }
  HttpResponse answer = act(request, kind);
  if (faulty && fault->second == Fault::crash_after) throw Crash{};
  if (faulty && fault->second == Fault::lost_after) co_return runtime::fail("timed out", true);
  co_return answer;
}

HttpResponse FakeGitHub::act(const OutgoingRequest& request, const std::string& kind) {
  const auto refusal = refusals.find(kind);
  if (refusal != refusals.end()) return refusal->second;
  if (kind == "GET /app") return json_answer(200, R"({"slug":"stepscope","id":1})");
  if (kind == "POST token") {
    return json_answer(201, R"({"token":"ghs_1_a.b.c","expires_at":"2100-01-01T00:00:00Z"})");
  }
  if (kind == "GET comments") {
    json list = json::array();
    for (const Comment& comment : comments) list.push_back(shape(comment));
    return json_answer(200, list.dump());
  }
  if (kind == "POST comments") {
    const std::string body = json::parse(request.body)["body"];
    comments.push_back({++last_id_, "stepscope[bot]", body, 0});
    return json_answer(201, shape(comments.back()).dump());
  }
  if (kind == "PATCH comment") {
    const std::int64_t id = last_number(request.url);
    const auto found = std::ranges::find(comments, id, &Comment::id);
    if (found == comments.end()) return json_answer(404, R"({"message":"Not Found"})");
    found->body = json::parse(request.body)["body"];
    ++found->edits;
    return json_answer(200, shape(*found).dump());
  }
  if (kind == "POST reactions") {
    reactions.push_back(json::parse(request.body)["content"]);
    return json_answer(201, "{}");
  }
  return json_answer(404, R"({"message":"Not Found"})");
}

}  // namespace stepscope::tests
