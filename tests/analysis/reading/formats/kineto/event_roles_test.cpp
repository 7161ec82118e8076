#include "analysis/reading/formats/kineto/event_roles.h"

#include <doctest/doctest.h>

#include <string>

using namespace stepscope::analysis;
using Role = EventRole;

TEST_CASE("categories of all ages and accelerators") {
  EventRoles roles;
  for (int round = 0; round < 2; ++round) {  // the second time from memory
    for (const char* category : {"kernel", "Kernel", "xpu_kernel", "mtia_ccp_events"}) {
      CHECK(roles.of_category(category) == Role::kernel);
    }
    CHECK(roles.of_category("privateuse1_gpu_memcpy") == Role::memcpy);
    CHECK(roles.of_category("Memset") == Role::memset);
    for (const char* category : {"cuda_runtime", "cuda_driver", "Runtime", "xpu_runtime",
                                 "privateuse1_runtime", "xpu_driver"}) {
      CHECK(roles.of_category(category) == Role::launch);
    }
    CHECK(roles.of_category("user_annotation") == Role::annotation);
    CHECK(roles.of_category("gpu_user_annotation") == Role::gpu_annotation);
    CHECK(roles.of_category("python_function") == Role::python);
    CHECK(roles.of_category("cpu_op") == Role::cpu_op);
    CHECK(roles.of_category("Operator") == Role::cpu_op);
    CHECK(roles.of_category("cuda_profiler_range") == Role::profiler_range);
    for (const char* category : {"", "ac2g", "kernels", "gpu_kernel", "Trace", "overhead"}) {
      CAPTURE(category);
      CHECK(roles.of_category(category) == Role::ignored);
    }
  }
}

TEST_CASE(
    "of frames those of a step are of use, of operators those with sizes and profiler steps") {
  EventRoles roles;
  for (int round = 0; round < 2; ++round) {
    CHECK(roles.name_wanted(Role::python, "sglang/srt/managers/scheduler.py(9): run_batch"));
    CHECK(roles.name_wanted(Role::python, "x.py(1): _run_batch_inner"));
    CHECK(roles.name_wanted(Role::python, "gpu_worker.py(2): execute_model"));
    CHECK_FALSE(roles.name_wanted(Role::python, "x.py(1): do_run_batch"));
    CHECK_FALSE(roles.name_wanted(Role::python, "x.py(1): forward"));
    CHECK_FALSE(roles.name_wanted(Role::python, ""));
    CHECK(roles.name_wanted(Role::cpu_op, "aten::mm"));
    CHECK(roles.name_wanted(Role::cpu_op, "ProfilerStep#3"));
    CHECK(roles.name_wanted(Role::cpu_op, "ProfilerStep #12"));
    CHECK_FALSE(roles.name_wanted(Role::cpu_op, "ProfilerStep#"));
    CHECK_FALSE(roles.name_wanted(Role::cpu_op, "ProfilerStep#1a"));
    CHECK_FALSE(roles.name_wanted(Role::cpu_op, "ProfilerStep* "));
    CHECK_FALSE(roles.name_wanted(Role::cpu_op, "aten::empty"));
    CHECK_FALSE(roles.name_wanted(Role::cpu_op, ""));
  }
}

TEST_CASE("many names that fall on the same place are still told apart") {
  EventRoles roles;
  for (int i = 0; i < 5000; ++i) {
    CHECK_FALSE(roles.name_wanted(Role::cpu_op, "aten::add" + std::to_string(i)));
    CHECK(roles.name_wanted(Role::cpu_op, "lib" + std::to_string(i) + "::my_gemm"));
  }
}
