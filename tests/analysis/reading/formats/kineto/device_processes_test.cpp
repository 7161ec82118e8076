#include "analysis/reading/formats/kineto/device_processes.h"

#include <doctest/doctest.h>

#include <string>

#include "analysis/reading/json/decimal_time.h"

using namespace stepscope::analysis;

TEST_CASE("RPD's GPUs: kernels, copies and fills, in a unit that is a guess") {
  DeviceProcesses processes;
  processes.name_process("2", "GPU2");
  const auto kernel = processes.work_of("2", "0", "gemm");
  REQUIRE(kernel.has_value());
  CHECK(kernel->kind == DeviceKind::kernel);
  CHECK(kernel->scale == kNanoseconds);
  CHECK(kernel->unit_guessed);
  CHECK(processes.work_of("2", "0", "CopyHostToDevice")->kind == DeviceKind::memcpy);
  CHECK(processes.work_of("2", "0", "FillBuffer")->kind == DeviceKind::memset);
  CHECK_FALSE(processes.work_of("3", "0", "gemm").has_value());
}

TEST_CASE("processes that only sound like a device are none") {
  DeviceProcesses processes;
  for (const char* name : {"GPU Process", "GPU", "GPU 2", "gpu2", "python", "/device:TPU:0",
                           "Ascend Hardware of the host", ""}) {
    CAPTURE(name);
    processes.name_process("2", name);
    CHECK_FALSE(processes.work_of("2", "0", "k").has_value());
  }
}

TEST_CASE("Ascend's streams: microseconds, and no waits") {
  DeviceProcesses processes;
  processes.name_process("3", "Ascend Hardware");
  CHECK(processes.work_of("3", "2", "aclnnMatmul_MatMulV3")->kind == DeviceKind::kernel);
  CHECK(processes.work_of("3", "2", "aclnnMatmul_MatMulV3")->scale == kMicroseconds);
  CHECK(processes.work_of("3", "2", "MEMCPY_ASYNC")->kind == DeviceKind::memcpy);
  CHECK_FALSE(processes.work_of("3", "2", "EVENT_WAIT").has_value());
  CHECK_FALSE(processes.work_of("3", "2", "NOTIFY_WAIT_SQE").has_value());
}

TEST_CASE("XProf's devices: the threads that are streams") {
  DeviceProcesses processes;
  processes.name_process("1", "/device:GPU:0");
  processes.name_thread("1", "20", "Stream #20(Compute)");
  processes.name_thread("1", "5", "XLA Modules");
  CHECK(processes.work_of("1", "20", "loop_add_fusion")->kind == DeviceKind::kernel);
  CHECK(processes.work_of("1", "20", "MemcpyD2H")->kind == DeviceKind::memcpy);
  CHECK_FALSE(processes.work_of("1", "5", "jit_step").has_value());
  CHECK_FALSE(processes.work_of("120", "", "x").has_value());
}

TEST_CASE("the number of ids is bounded") {
  DeviceProcesses processes;
  for (std::size_t i = 0; i <= DeviceProcesses::kIdsMax; ++i) {
    processes.name_process(std::to_string(i), "GPU1");
  }
  CHECK(processes.work_of(std::to_string(DeviceProcesses::kIdsMax - 1), "0", "k").has_value());
  CHECK_FALSE(processes.work_of(std::to_string(DeviceProcesses::kIdsMax), "0", "k").has_value());
}
