#include "webhooks/other_commands.h"

#include <doctest/doctest.h>

#include <string>

#include "tests/webhooks/small_catalog.h"
#include "webhooks/passage_reader.h"
#include "webhooks/request_json.h"

using namespace stepscope::webhooks;
using stepscope::tests::small_catalog;

namespace {

std::string read(std::string_view text) {
  static const Vocabulary vocabulary(small_catalog());
  return canonical_json(read_passage(text, small_catalog(), vocabulary));
}

}  // namespace

TEST_CASE("status, cancel, rerun and their target") {
  CHECK(read("status") == R"({"target":null,"v":"status"})");
  CHECK(read("status 57") == R"({"target":57,"v":"status"})");
  CHECK(read("stop job 57, wrong config") == R"({"target":57,"v":"cancel"})");
  CHECK(read("cancel #57") == R"({"target":57,"v":"cancel"})");
  CHECK(read("rerun 57, 5 steps") == R"({"steps":5,"target":57,"v":"rerun"})");
  CHECK(read("retry that on a different runner") ==
        R"({"avoid_runner":true,"target":null,"v":"rerun"})");
  // A target that can not be is not the newest job.
  CHECK(read("cancel 99999999999999999999") ==
        R"({"asked":{"target":"99999999999999999999"},"nearest":[],"reason":"bad_value",)"
        R"("v":"refuse"})");
  CHECK(read("cancel job -1") ==
        R"({"asked":{"target":"-1"},"nearest":[],"reason":"bad_value","v":"refuse"})");
}

TEST_CASE("lists and their filter") {
  CHECK(read("list runs dsr1 b200") ==
        R"({"filter":{"hardware":"b200","model":"dsr1"},"v":"history"})");
  CHECK(read("list configs") == R"({"filter":{},"v":"configs"})");
}

TEST_CASE("comparing runs") {
  CHECK(read("diff run 41 against run 37") == R"({"runs":[41,37],"v":"compare"})");
  CHECK(read("compare 41 and 37, only attention kernels") ==
        R"({"ask":["attention"],"runs":[41,37],"v":"compare"})");
  CHECK(read("compare run 41 with 37") == R"({"runs":[41,37],"v":"compare"})");
  CHECK(read("compare run 41 with last, 5 steps") ==
        R"({"compare":"with_last","runs":[41],"v":"compare"})");
  CHECK(read("compare 57 with last") == R"({"compare":"with_last","runs":[57],"v":"compare"})");
}

TEST_CASE("analyzing runs and traces") {
  CHECK(read("list out the kernels from run 23") ==
        R"({"ask":["kernels"],"run":23,"v":"analyze"})");
  CHECK(read("analyze https://github.com/user-attachments/files/1/a.json.gz, decode") ==
        R"({"ask":["report"],"phase":"decode",)"
        R"("source":"https://github.com/user-attachments/files/1/a.json.gz","v":"analyze"})");
  CHECK(read("analyze the attached trace") == R"({"missing":["source"],"v":"clarify"})");
  CHECK(read("analyze /etc/passwd") ==
        R"({"asked":{"source":"/etc/passwd"},"nearest":[],"reason":"source_not_allowed",)"
        R"("v":"refuse"})");
}

TEST_CASE("only https to the hosts of GitHub's files is a source") {
  CHECK(source_allowed("https://github.com/user-attachments/files/1/a.json.gz"));
  CHECK(source_allowed("https://raw.githubusercontent.com/o/r/main/a.json"));
  for (const char* url :
       {"http://github.com/a", "https://github.com", "https://github.com.evil.example/a",
        "https://github.com@evil.example/a", "https://github.com:8443/a", "https://u@github.com/a",
        "https://127.0.0.1/a", "https://[::1]/a", "https://169.254.169.254/latest",
        "file:///etc/passwd", "https://GITHUB.com/a", "https://github.com/../a",
        "https://github.com/a\\b", ""}) {
    CHECK_FALSE_MESSAGE(source_allowed(url), url);
  }
  CHECK_FALSE(source_allowed("https://github.com/" + std::string(3000, 'a')));
}
