#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <string_view>

#include "tests/shared/shared_folder.h"

using namespace stepscope::analysis;
using namespace stepscope::tests;

namespace {

Breakdown good(const std::string& file) {
  auto result = analyze_file(shared_folder() / "traces" / file);
  if (!result) FAIL(result.error().message);
  return *std::move(result);
}

std::int64_t sum_of(const Accounting& accounting, std::string_view name) {
  std::int64_t sum_ns = 0;
  for (const KernelRow& row : accounting.kernels) {
    if (row.name == name) sum_ns += row.sum_ns;
  }
  return sum_ns;
}

}  // namespace

// Counts and sums of the tables, as the sqlite3 program gives them.
TEST_SUITE("databases") {
  TEST_CASE("nsys 2023.1: TensorRT, 36 kernels and 4 copies, 5,668 calls, 59 ranges") {
    const Breakdown result = good("nsys/leiwang_report1.sqlite.gz");
    CHECK(result.trace.complete);
    CHECK(result.trace.notes.empty());
    CHECK(result.trace.events == 36 + 4 + 5'668 + 59);
    CHECK(result.trace.kernels == 36);
    CHECK(result.trace.memcpys == 4);
    CHECK(result.trace.origin_ns == 1'690'709'432'747'674'811 + 19'369'956);
    CHECK(result.trace.device_names == std::vector<std::string>{"NVIDIA GeForce RTX 3090"});
    REQUIRE(result.devices.size() == 1);
    CHECK(result.devices[0].pid == "24129");
    CHECK(result.devices[0].device == "0");
    const Accounting& all = result.devices[0].accounting;
    CHECK(all.window_ns == 25'827'633 - 19'369'956);
    CHECK(all.kernel_sum_ns == 6'415'244 + 6'176);
    CHECK(all.kernels.size() == 14 + 1);
    CHECK(all.primary_stream == "82");
    CHECK(sum_of(all, "Memcpy DtoD (Device -> Device)") == 6'176);
    REQUIRE(result.steps.size() == 1);
    CHECK(result.devices[0].unlinked_events == 0);
  }

  TEST_CASE("nsys 2023.2: CUTLASS, 6 kernels and 4 copies, 21 calls, on one of two models of GPU") {
    const Breakdown result = good("nsys/wenscarl_report1.sqlite.gz");
    CHECK(result.trace.events == 6 + 4 + 21);
    CHECK(result.trace.kernels == 6);
    CHECK(result.trace.memcpys == 4);
    CHECK(result.trace.device_names == std::vector<std::string>{"NVIDIA A100-PCIE-40GB"});
    REQUIRE(result.devices.size() == 1);
    const Accounting& all = result.devices[0].accounting;
    CHECK(all.window_ns == 12'366'806'561 - 11'843'799'098);
    CHECK(all.kernel_sum_ns == 162'000'609 + 360'730'978);
    CHECK(sum_of(all, "Memcpy DtoH (Device -> Pageable)") == 12'366'806'561 - 12'095'507'370);
  }

  TEST_CASE("RPD: vLLM on one GPU, 10,124 operations, 22 steps, 20 graph launches of 418 nodes") {
    const Breakdown result = good("rocm-rpd/mytrace.rpd.gz");
    CHECK(result.trace.complete);
    CHECK(result.trace.events == 10'124 + 14'736);
    CHECK(result.trace.kernels == 1'228 + 7'720);
    CHECK(result.trace.memcpys == 804 + 22 + 350);
    CHECK(result.trace.memsets == 0);
    CHECK(result.trace.origin_ns == 3'489'389'201'751'353);
    REQUIRE(result.devices.size() == 1);
    const Accounting& all = result.devices[0].accounting;
    CHECK(result.devices[0].device == "2");
    CHECK(all.window_ns == 3'489'389'654'719'306 - 3'489'389'201'751'353);
    CHECK(all.kernel_sum_ns == 416'625'081);
    CHECK(all.kernels.size() == 33 + 3);
    CHECK(sum_of(all, "CopyDeviceToDevice") == 6'169'262);
    CHECK(sum_of(all, "CopyDeviceToHost") == 747'692);
    CHECK(sum_of(all, "CopyHostToDevice") == 2'570'452);
    REQUIRE(result.steps.size() == 22);
    CHECK(std::ranges::all_of(result.steps, [](const auto& step) {
      return step.label == "execute_model" && step.source == "annotation";
    }));
  }
}
