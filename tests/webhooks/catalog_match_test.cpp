#include "webhooks/catalog_match.h"

#include <doctest/doctest.h>

#include "tests/webhooks/small_catalog.h"

using namespace stepscope;
using namespace stepscope::webhooks;
using tests::small_catalog;

namespace {

const db::CatalogEntry& entry(std::string_view key, std::string_view status = "active") {
  for (const db::CatalogEntry& candidate : small_catalog().entries()) {
    if (candidate.key == key && candidate.status == status) return candidate;
  }
  throw std::runtime_error("no such row");
}

}  // namespace

TEST_CASE("what can be profiled") {
  CHECK(profilable(entry("dsr1-fp4-b200-sglang")));
  CHECK(profilable(entry("toy-moe-fp32-cpu-builtin")));
  CHECK_FALSE(profilable(entry("dsr1-fp4-b200-sglang", "retired")));
  CHECK_FALSE(profilable(entry("dsr1-fp4-b200-trt")));
  CHECK_FALSE(profilable(entry("dsr1-fp8-gb200-dynamo-sglang")));
  CHECK_FALSE(profilable(entry("minimaxm3-fp4-b200-vllm-agentic")));
  CHECK(profilable_framework("replay"));
  CHECK_FALSE(profilable_framework("trt"));
}

TEST_CASE("named fields must fit, open ones always do") {
  CHECK(fits(entry("dsr1-fp4-b200-sglang"), {}));
  CHECK(fits(entry("dsr1-fp4-b200-sglang"), {.model = "dsr1", .precision = "fp4"}));
  CHECK_FALSE(fits(entry("dsr1-fp4-b200-sglang"), {.precision = "fp8"}));
  CHECK_FALSE(fits(entry("dsr1-fp4-b200-sglang"), {.framework = "vllm"}));
  CHECK_FALSE(fits(entry("dsr1-fp4-b200-sglang"), {.key = "dsr1-fp8-b200-sglang"}));
  JobSpec wide;
  wide.conc = 64;
  CHECK(fits_point(entry("dsr1-fp4-b200-sglang"), wide));
  wide.ep = 1;  // 64 is listed with ep 4 only
  CHECK_FALSE(fits_point(entry("dsr1-fp4-b200-sglang"), wide));
}

TEST_CASE("speculation: what was said, what a key says, else none") {
  CHECK(wanted_spec(entry("dsr1-fp4-b200-sglang"), {}) == "none");
  CHECK(wanted_spec(entry("dsr1-fp4-b200-sglang"), {.spec = "mtp"}) == "mtp");
  CHECK(wanted_spec(entry("dsr1-fp4-b200-sglang-mtp"), {.key = "dsr1-fp4-b200-sglang-mtp"}) ==
        "mtp");
  CHECK(has_points(entry("dsr1-fp4-b200-sglang-mtp"), "mtp"));
  CHECK_FALSE(has_points(entry("dsr1-fp4-b200-sglang-mtp"), "none"));
}

TEST_CASE("preference") {
  CHECK(precision_rank("fp4") < precision_rank("fp8"));
  CHECK(precision_rank("bf16") < precision_rank("fp32"));
  CHECK(framework_rank("sglang") < framework_rank("vllm"));
  CHECK(framework_rank("vllm") < framework_rank("builtin"));
}

TEST_CASE("the nearest key: same precision elsewhere, else the nearest width") {
  const auto nearest = [](const char* hardware, const char* precision) {
    return nearest_key(small_catalog(),
                       {.model = "dsr1", .hardware = hardware, .precision = precision});
  };
  using Keys = std::vector<std::string>;
  CHECK(nearest("b200", "fp4") == Keys{"dsr1-fp4-b200-sglang"});
  CHECK(nearest("b200", "bf16") == Keys{"dsr1-fp8-b200-sglang"});  // 8 bits are nearer to 16 than 4
  CHECK(nearest("h200", "fp4") == Keys{"dsr1-fp8-h200-sglang"});
  CHECK(nearest("gb200", "fp8").empty());
}
