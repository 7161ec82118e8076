#include "webhooks/resolve.h"

#include <doctest/doctest.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "tests/webhooks/small_catalog.h"

using namespace stepscope;
using namespace stepscope::webhooks;
using tests::small_catalog;

namespace {

db::RunConfig row(const JobSpec& job) {
  const Resolution resolution = resolve(small_catalog(), job);
  REQUIRE(std::holds_alternative<db::RunConfig>(resolution));
  return std::get<db::RunConfig>(resolution);
}

Refusal refused(const JobSpec& job) {
  const Resolution resolution = resolve(small_catalog(), job);
  REQUIRE(std::holds_alternative<Refusal>(resolution));
  return std::get<Refusal>(resolution);
}

Question asked(const JobSpec& job) {
  const Resolution resolution = resolve(small_catalog(), job);
  REQUIRE(std::holds_alternative<Question>(resolution));
  return std::get<Question>(resolution);
}

JobSpec named(const char* model, const char* hardware, const char* precision = "") {
  return {.model = model, .hardware = hardware, .precision = precision};
}

using Words = std::vector<std::string>;

}  // namespace

TEST_CASE("what is left open is filled by the rules and listed") {
  const db::RunConfig config = row(named("dsr1", "b200"));
  CHECK(config.key == "dsr1-fp4-b200-sglang");
  CHECK(config.conc == 64);  // the default; it is listed with DP attention
  CHECK(config.tp == 4);
  CHECK(config.ep == 4);
  CHECK(config.dp_attn);
  CHECK(config.isl == 8192);
  CHECK(config.osl == 1024);
  CHECK(config.phase == "decode");
  CHECK(config.steps == 1);
  CHECK(config.spec == "none");
  CHECK(config.recipe == "sglang");
  CHECK(config.model_name == "deepseek-ai/DeepSeek-R1-0528");
  CHECK(config.assumed ==
        Words{"conc", "framework", "parallelism", "phase", "precision", "seq_len", "steps"});
}

TEST_CASE("the first row with the concurrency and the given parallelism") {
  JobSpec job = named("dsr1", "b200", "fp8");
  job.conc = 4;
  CHECK(row(job).tp == 8);
  job.tp = 4;
  CHECK(row(job).tp == 4);
  job.ep = 1;
  CHECK(row(job).assumed == Words{"framework", "phase", "seq_len", "steps"});
}

TEST_CASE("the default concurrency is the largest one up to 64, else the smallest") {
  CHECK(row(named("dsr1", "b200", "fp8")).conc == 16);
  CHECK(row(named("dsv4", "b200")).conc == 8);
  JobSpec wide = named("dsr1", "b200", "fp4");
  wide.dp_attn = true;
  CHECK(row(wide).conc == 64);
}

TEST_CASE("a key names all but the operating point") {
  JobSpec job{.key = "dsr1-fp4-b200-sglang-mtp"};
  job.conc = 4;
  CHECK(row(job).spec == "mtp");
  CHECK(row(job).assumed == Words{"parallelism", "phase", "seq_len", "steps"});
}

TEST_CASE("the built-in toy needs no catalog file") {
  JobSpec job = named("toy-moe", "cpu", "fp32");
  job.conc = 4;
  job.steps = 5;
  job.phase = "decode";
  const Resolution resolution = resolve(db::Catalog(), job);
  const auto& config = std::get<db::RunConfig>(resolution);
  CHECK(config.key == "toy-moe-fp32-cpu-builtin");
  CHECK(config.recipe == "toy-moe");
  CHECK(config.isl == 64);
  CHECK(config.osl == 32);
}

TEST_CASE("reasons why a row can not be profiled") {
  CHECK(refused(named("dsr1", "h200", "fp4")).reason == "no_config");
  CHECK(refused(named("dsr1", "h200", "fp4")).nearest == Words{"dsr1-fp8-h200-sglang"});
  CHECK(refused(named("gptoss", "b200")).reason == "retired_config");
  CHECK(refused(named("minimaxm3", "b200")).reason == "no_fixed_seq_config");
  CHECK(refused(named("dsr1", "gb200")).reason == "multinode_not_supported");
  JobSpec job = named("dsr1", "b200", "fp4");
  job.framework = "trt";
  CHECK(refused(job).reason == "framework_not_profilable");
  CHECK(refused(job).asked == std::map<std::string, Asked>{{"framework", "trt"}});
  CHECK(refused(job).nearest == Words{"dsr1-fp4-b200-sglang"});
  job.framework = "vllm";
  CHECK(refused(job).reason == "no_config");
  job = named("dsr1", "b300", "fp4");
  job.spec = "mtp";
  CHECK(refused(job).reason == "no_config");
  CHECK(refused(job).nearest == Words{"dsr1-fp4-b300-sglang"});
}

TEST_CASE("values outside the row are refused by themselves") {
  JobSpec job = named("dsr1", "b200", "fp4");
  job.conc = 5;
  CHECK(refused(job).reason == "conc_not_available");
  CHECK(refused(job).nearest_conc == std::vector<int>{4, 8});
  job.conc = 1000;
  CHECK(refused(job).nearest_conc == std::vector<int>{128});
  job.conc = 0;
  CHECK(refused(job).nearest_conc == std::vector<int>{4});
  job.conc = 4;
  job.tp = 2;
  CHECK(refused(job).reason == "parallelism_not_available");
  CHECK(refused(job).asked == std::map<std::string, Asked>{{"tp", std::int64_t{2}}});
  job.tp.reset();
  for (const int steps : {0, 65}) {
    job.steps = steps;
    CHECK(refused(job).reason == "steps_out_of_range");
  }
  job.steps = 64;
  CHECK(row(job).steps == 64);
  job.isl = 1024;
  CHECK(refused(job).reason == "retired_config");
  job.isl = 2048;
  CHECK(refused(job).reason == "no_config");
}

TEST_CASE("unknown names come before all else") {
  JobSpec job = named("llama", "a100");
  job.model_unknown = true;
  job.hardware_unknown = true;
  CHECK(refused(job).reason == "unknown_model");
  job.model_unknown = false;
  CHECK(refused(job).reason == "unknown_hardware");
}

TEST_CASE("questions name what is missing and, where few, what it can be") {
  CHECK(asked({}).missing == Words{"hardware", "model"});
  CHECK(asked({}).options.empty());
  CHECK(asked({.model = "dsr1"}).options == Words{"b200", "b300", "h200"});
  CHECK(asked({.hardware = "b200"}).options == Words{"dsr1", "dsv4"});
  JobSpec wide{.model = "dsr1", .precision = "fp4"};
  wide.conc = 128;
  CHECK(asked(wide).options == Words{"b200"});  // b300 lists 4 and 8 only
}

TEST_CASE("a group stands for its one member that fits") {
  JobSpec job = named("dsr1", "hopper");
  job.hardware_group = true;
  CHECK(row(job).hardware == "h200");
  job.hardware = "blackwell";
  CHECK(asked(job).missing == Words{"hardware"});
  CHECK(asked(job).options == Words{"b200", "b300"});
  job.conc = 128;
  CHECK(row(job).hardware == "b200");
}
