#include "analysis/passes/names/event_classes.h"

#include <doctest/doctest.h>

#include <map>
#include <string>

#include "tests/support/trace_maker.h"

using namespace stepscope::analysis;
using namespace stepscope::tests;

TEST_CASE("the classifier is asked once for a name that a device event carries") {
  TraceMaker maker;
  for (int i = 0; i < 5; ++i) maker.add({"gemm", i, 1}).add({"nccl", i, 1});
  maker.launch("cudaLaunchKernel", 0, 1, 1).mark("step[DECODE bs=1]", 0, 9);
  const Trace trace = maker.build();
  std::map<std::string, int> asked;
  const EventClasses classes(trace, [&](std::string_view name) {
    ++asked[std::string(name)];
    return test_category(name);
  });
  CHECK(asked == std::map<std::string, int>{{"gemm", 1}, {"nccl", 1}});
  CHECK(classes.device_class(trace.device_events[0]) == DeviceClass::compute);
  CHECK(classes.category(trace.device_events[0]).category == "gemm-dense");
  CHECK(classes.category(trace.device_events[0]).component == "mlp");
  CHECK(classes.device_class(trace.device_events[1]) == DeviceClass::comm);
}

TEST_CASE("copies are copies whatever their name says") {
  TraceMaker maker;
  maker.add({"gemm", 0, 1, "7", {}, "0", DeviceKind::memcpy});
  maker.add({"gemm", 1, 1, "7", {}, "0", DeviceKind::kernel});
  maker.add({"gemm", 2, 1, "7", {}, "0", DeviceKind::memset});
  maker.add({"copyBuffer", 3, 1, "7", {}, "0", DeviceKind::kernel});
  const Trace trace = maker.build();
  const EventClasses classes(trace, test_category);
  CHECK(classes.category(trace.device_events[0]).category == "memcpy");
  CHECK(classes.category(trace.device_events[0]).component == "other");
  CHECK(classes.device_class(trace.device_events[0]) == DeviceClass::copy);
  CHECK(classes.device_class(trace.device_events[1]) == DeviceClass::compute);
  CHECK(classes.category(trace.device_events[2]).category == "memset");
  // ROCm writes copies as kernels; the name decides there, and gives the component.
  CHECK(classes.device_class(trace.device_events[3]) == DeviceClass::copy);
  CHECK(classes.category(trace.device_events[3]).component == "setup");
}

TEST_CASE("a name that no rule matched is still told apart") {
  TraceMaker maker;
  maker.add({"other_kernel", 0, 1}).add({"add", 1, 1});
  const Trace trace = maker.build();
  const EventClasses classes(trace, test_category);
  CHECK_FALSE(classes.category(trace.device_events[0]).matched);
  CHECK(classes.category(trace.device_events[1]).matched);
}
