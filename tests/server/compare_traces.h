#pragma once
// Small traces of decode steps for the comparisons: each step a gemm of the given length in
// microseconds, one microsecond idle and an all-reduce of two.

#include <fmt/format.h>

#include <string>
#include <vector>

namespace stepscope::tests {

inline std::string trace_text(const std::vector<int>& gemm_us) {
  std::string events;
  int correlation = 0;
  const auto add = [&](const char* name, int start_us, int dur_us, int launch_us) {
    ++correlation;
    events += fmt::format(
        R"({{"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","pid":1,"tid":1,"ts":{},)"
        R"("dur":1,"args":{{"correlation":{}}}}},)"
        "\n"
        R"({{"ph":"X","cat":"kernel","name":"{}","pid":0,"tid":7,"ts":{},"dur":{},)"
        R"("args":{{"device":0,"stream":7,"correlation":{}}}}},)"
        "\n",
        launch_us, correlation, name, start_us, dur_us, correlation);
  };
  for (std::size_t i = 0; i < gemm_us.size(); ++i) {
    const int start = 1000 * static_cast<int>(i);
    const int gemm = gemm_us[i];
    events += fmt::format(
        R"({{"ph":"X","cat":"user_annotation","name":"step[DECODE bs=1]","pid":1,"tid":1,)"
        R"("ts":{},"dur":500}},)"
        "\n",
        start);
    add("gemm", start + 10, gemm, start + 1);
    add("ncclDevKernel_AllReduce", start + 11 + gemm, 2, start + 3);
  }
  if (!events.empty()) events.resize(events.size() - 2);
  return "{\"traceEvents\":[\n" + events + "\n]}";
}

}  // namespace stepscope::tests
