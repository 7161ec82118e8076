#include "webhooks/job_list.h"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "tests/webhooks/small_catalog.h"

using namespace stepscope::webhooks;
using stepscope::tests::small_catalog;

namespace {

// "dsr1/fp4/b200/c4" a job; "n jobs" when they are too many.
std::string shown(std::string_view text, bool comparing = false) {
  static const Vocabulary vocabulary(small_catalog());
  const auto tokens = tokenize(text);
  Fields fields;
  fields.used.resize(tokens.size());
  read_fields(text, tokens, {.first = 0, .last = tokens.size()}, vocabulary, fields);
  const auto jobs = list_jobs(fields.items, tokens, comparing);
  if (!jobs) return fmt::format("{} jobs", jobs.error());
  std::string result;
  for (const JobSpec& job : *jobs) {
    if (!result.empty()) result += ", ";
    result += job.key.empty() ? job.model + "/" + job.precision + "/" + job.hardware : job.key;
    if (job.conc) result += fmt::format("/c{}", *job.conc);
    if (job.steps) result += fmt::format("/s{}", *job.steps);
    if (!job.phase.empty()) result += "/" + job.phase;
    if (!job.spec.empty()) result += "/" + job.spec;
  }
  return result;
}

}  // namespace

TEST_CASE("one job, whatever the order") {
  CHECK(shown("dsr1 fp4 b200 conc 4") == "dsr1/fp4/b200/c4");
  CHECK(shown("conc 4, b200, fp4, dsr1") == "dsr1/fp4/b200/c4");
  CHECK(shown("dsr1 fp4 b200 conc 4, I like dsr1 and b200") == "dsr1/fp4/b200/c4");
  CHECK(shown("prefill dsr1 fp4 b200 - the extend pass") == "dsr1/fp4/b200/prefill");
  CHECK(shown("both prefill and decode of dsr1 on b200") == "dsr1//b200/both");
}

TEST_CASE("lists multiply") {
  CHECK(shown("dsr1 fp4 b200 vs h200 conc 4") == "dsr1/fp4/b200/c4, dsr1/fp4/h200/c4");
  CHECK(shown("dsr1 b200 at conc 4, 8 and 16") == "dsr1//b200/c4, dsr1//b200/c8, dsr1//b200/c16");
  CHECK(shown("dsr1 fp4 and fp8 on b200 and on h200") ==
        "dsr1/fp4/b200, dsr1/fp8/b200, dsr1/fp4/h200, dsr1/fp8/h200");
  CHECK(shown("dsr1 b200 with and without mtp") == "dsr1//b200/mtp, dsr1//b200/none");
  CHECK(shown("dsr1-fp4-b200-sglang vs dsr1-fp8-b200-sglang conc 4") ==
        "dsr1-fp4-b200-sglang/c4, dsr1-fp8-b200-sglang/c4");
}

TEST_CASE("another model begins another job; what it leaves open comes from its neighbour") {
  CHECK(shown("dsr1 fp8 on b200 conc 4, 1 step & dsr1 fp8 on h200 with conc 8") ==
        "dsr1/fp8/b200/c4/s1, dsr1/fp8/h200/c8/s1");
  CHECK(shown("conc 16 dsr1 b200 fp4, also dsr1 h200 fp8") ==
        "dsr1/fp4/b200/c16, dsr1/fp8/h200/c16");
  CHECK(shown("dsr1 fp4 b200 vs dsv4 at conc 8") == "dsr1/fp4/b200/c8, dsv4/fp4/b200/c8");
  CHECK(shown("dsr1 fp4 b200 and with mtp dsr1 fp8 h200") ==
        "dsr1/fp4/b200/mtp, dsr1/fp8/h200/mtp");
}

TEST_CASE("words said in passing name nothing more") {
  CHECK(shown("dsr1 fp4 b200 conc 4 instead of h200") == "dsr1/fp4/b200/c4");
  CHECK(shown("dsr1 fp4 b200, is the GPU waiting for the CPU") == "dsr1/fp4/b200");
  CHECK(shown("the blackwell b200 with dsr1") == "dsr1//b200");
}

TEST_CASE("comparing joins sides by from, to and than") {
  CHECK(shown("dsr1 fp4 from b200 to h200", true) == "dsr1/fp4/b200, dsr1/fp4/h200");
}

TEST_CASE("the same job twice is one; too many are counted") {
  CHECK(shown("dsr1 b200 and dsr1 b200") == "dsr1//b200");
  CHECK(shown("dsr1 b200 conc 1, 2, 4, 8, 16") == "5 jobs");
  CHECK(shown("dsr1 fp4 and fp8 on b200 and h200 and b300") == "6 jobs");
  std::string many = "dsr1 b200 conc 1";
  for (int i = 2; i < 100'000; ++i) many += fmt::format(", {}", i);
  CHECK(shown(many) == "1000 jobs");
}

TEST_CASE("no field, one open job") { CHECK(shown("please") == "//"); }
