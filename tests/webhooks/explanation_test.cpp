#include "webhooks/explanation.h"

#include <doctest/doctest.h>

#include <string>

#include "tests/webhooks/small_catalog.h"
#include "webhooks/request_json.h"
#include "webhooks/request_reader.h"

using namespace stepscope;
using namespace stepscope::webhooks;
using tests::small_catalog;

namespace {

std::string explained(std::string_view text) {
  static const RequestReader reader(small_catalog(), "stepscope");
  db::Request request;
  request.understood = canonical_json(reader.read_text(text));
  return explanation(request, small_catalog(), "stepscope");
}

}  // namespace

TEST_CASE("refusals say why and what would work") {
  CHECK(explained("profile dsr1 fp4 h200") ==
        "The catalog has no configuration for `model=dsr1 precision=fp4 hardware=h200` as asked. "
        "This would "
        "work: `@stepscope profile dsr1-fp8-h200-sglang`");
  CHECK(explained("profile dsr1 fp4 b200 conc 5") ==
        "`conc=5` is not among the listed concurrencies. The nearest listed: 4 or 8. This would "
        "work: `@stepscope profile dsr1-fp4-b200-sglang conc 4`");
  CHECK(explained("profile llama 70b on b200") == "`model=llama 70b` is not in the catalog.");
}

TEST_CASE("questions name the options") {
  CHECK(explained("profile dsr1 fp4") ==
        "Which hardware? It can be `b200` or `b300`. Please ask again in a new comment that begins "
        "with `@stepscope profile`.");
  CHECK(explained("profile") ==
        "Which hardware, which model? Please ask again in a new comment that begins with "
        "`@stepscope profile`.");
  CHECK(explained("analyze the attached trace") ==
        "Which trace? Attach it to the comment or link it.");
}

TEST_CASE("help has two examples that work as they stand") {
  const RequestReader reader(small_catalog(), "stepscope");
  const std::string help = explained("help");
  CHECK(help.find("\n- `@stepscope profile dsr1 fp4 on b200 conc 4, 5 decode steps`") !=
        std::string::npos);
  CHECK(help.find("\n- `@stepscope profile toy-moe fp32 on cpu conc 1, 5 decode steps`") !=
        std::string::npos);
  CHECK(reader.read_text("profile dsr1 fp4 on b200 conc 4, 5 decode steps").jobs.size() == 1);
  // Without a file both are of the built-in row.
  const db::Catalog builtin;
  const std::string toy = help_text(builtin, "stepscope");
  CHECK(toy.find("`@stepscope profile toy-moe-fp32-cpu-builtin conc 1 prefill`") !=
        std::string::npos);
  CHECK(RequestReader(builtin, "stepscope")
            .read_text("profile toy-moe-fp32-cpu-builtin conc 1 prefill")
            .jobs.size() == 1);
}

TEST_CASE("beside runs stands what was not done") {
  CHECK(explained("profile dsr1 fp4 b200 conc 4").empty());
  CHECK(explained("profile dsr1 fp4 on b200 and h200, conc 4; rm -rf /") ==
        "Not started: The catalog has no configuration for `model=dsr1 precision=fp4 "
        "hardware=h200` as asked. This would work: `@stepscope profile dsr1-fp8-h200-sglang`\n\n"
        "Text outside the known words was ignored.");
  CHECK(explained("profile dsr1 fp4 b200 and paste the log") ==
        "A part of the request asks for more than a breakdown; it was not done.");
}

TEST_CASE("commands that can not be obeyed yet are named") {
  CHECK(explained("status 57")
            .starts_with(
                "Understood as `status`, which can not be asked for here yet.\n\nI profile"));
}

TEST_CASE("texts of others stand in code spans") {
  const std::string text = explained("profile dsr1 b200 conc=`@everyone`$(x)#1");
  CHECK(text.find("`` ") == std::string::npos);
  CHECK(explained("profile dsr1 b200 conc=@all|x") ==
        "`conc=@all|x` is not a value that can be used.");
}

TEST_CASE("every reason has its text") {
  for (const char* reason :
       {"no_config", "retired_config", "no_fixed_seq_config", "framework_not_profilable",
        "multinode_not_supported", "conc_not_available", "parallelism_not_available",
        "steps_out_of_range", "too_many_jobs", "unknown_model", "unknown_hardware", "bad_value",
        "source_not_allowed", "not_authorized", "incomplete", "queue_full"}) {
    const std::string text = refusal_text({reason, {{"x", true}}, {}, {}}, "stepscope");
    CHECK_MESSAGE(text.find("This can not be done") == std::string::npos, reason);
  }
  CHECK(refusal_text({"new_one", {}, {}, {}}, "stepscope") == "This can not be done: `new_one`.");
}

TEST_CASE("a stored text that is no command is answered with help") {
  CHECK(explanation({}, small_catalog(), "stepscope") == help_text(small_catalog(), "stepscope"));
}
