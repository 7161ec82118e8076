#include "webhooks/request_reader.h"

#include <doctest/doctest.h>

#include <string>

#include "tests/webhooks/small_catalog.h"

using namespace stepscope;
using namespace stepscope::webhooks;
using tests::small_catalog;

namespace {

const RequestReader& reader() {
  static const RequestReader the_reader(small_catalog(), "stepscope");
  return the_reader;
}

}  // namespace

TEST_CASE("a comment that does not speak to us is ignored with the reason") {
  const Command command = reader().read_comment("write `@stepscope profile dsr1`");
  CHECK(command.verb == Verb::ignore);
  CHECK(command.reason == "code_span");
}

TEST_CASE("requests of several mentions are merged in order") {
  const Command command = reader().read_comment(
      "@stepscope profile dsr1 fp4 b200 conc 4, idle\n@stepscope profile dsr1 fp8 b200 conc 8\n"
      "@stepscope profile dsr1 fp4 b200 conc 4\ncc @stepscope");
  CHECK(command.verb == Verb::profile);
  REQUIRE(command.jobs.size() == 2);
  CHECK(command.jobs[0].key == "dsr1-fp4-b200-sglang");
  CHECK(command.jobs[1].key == "dsr1-fp8-b200-sglang");
  CHECK(command.ask == std::vector<std::string>{"idle"});
}

TEST_CASE("beside a good request a bad one is listed as rejected") {
  const Command command = reader().read_comment(
      "@stepscope profile dsr1 fp4 b200 conc 4\n@stepscope profile dsr1 fp4 h200\n"
      "@stepscope profile dsr1");
  REQUIRE(command.jobs.size() == 1);
  REQUIRE(command.rejected.size() == 2);
  CHECK(command.rejected[0].reason == "no_config");
  CHECK(command.rejected[1].reason == "incomplete");
}

TEST_CASE("other commands do not mix: the first one counts") {
  const Command command =
      reader().read_comment("@stepscope cancel 57\n@stepscope profile dsr1 fp4 b200");
  CHECK(command.verb == Verb::cancel);
  CHECK(command.target == 57);
}

TEST_CASE("too many are refused") {
  std::string text;
  for (const int conc : {4, 8, 16, 32, 64}) {
    text += "@stepscope profile dsr1 fp4 b200 conc " + std::to_string(conc) + "\n";
  }
  CHECK(reader().read_comment(text).refusal.reason == "too_many_jobs");
  text.clear();
  for (int i = 0; i < 50'000; ++i) text += "@stepscope profile dsr1 b200\n";
  CHECK(reader().read_comment(text).refusal.reason == "too_many_jobs");
}

TEST_CASE("a mention at the end is spoken to by what stands before it") {
  const Command command = reader().read_comment("profile dsr1 fp4 b200 conc 4 please @stepscope!");
  CHECK(command.verb == Verb::profile);
  CHECK(reader().read_comment("cc @stepscope").verb == Verb::help);
}

TEST_CASE("a text that is known to be for us needs no mention") {
  CHECK(reader().read_text("profile dsr1 fp4 b200 conc 4").jobs.size() == 1);
  CHECK(reader().read_text("@stepscope profile dsr1 fp4 b200 conc 4").jobs.size() == 1);
  CHECK(reader().read_text("").verb == Verb::help);
}
