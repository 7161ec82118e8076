#pragma once
// The recipe "toy-moe": runs the toy decoder for one prefill and N decode steps and writes what was
// timed as a Kineto-form trace. Nothing in the file is made up: every duration is a measured one.

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>

#include "runtime/error.h"
#include "workers/recipes/op_stream.h"

namespace stepscope::workers {

struct ToyRecipeOptions {
  std::filesystem::path folder;  // gets toy-moe.trace.json and result.json
  int conc = 1;                  // sequences, 1 to 64
  int isl = 64;                  // prompt tokens of each, 1 to 1024
  int steps = 1;                 // decode steps, 1 to 64
};

// Error: an option out of range, or the folder can not be written.
runtime::Result<void> run_toy_moe(const ToyRecipeOptions& options);

// "AMD EPYC 9004, 2 threads": the first processor's model name and the number of hardware threads.
std::string cpu_description();

// Kineto JSON: operations as kernels of device 0 with their stream, launches as cuda_runtime
// events, markers as user annotations. Times are steady-clock nanoseconds; `base_ns` is their Unix
// epoch.
std::string kineto_text(std::span<const TimedOp> ops, std::span<const TimedLaunch> launches,
                        std::span<const TimedMarker> markers, std::int64_t base_ns,
                        const std::string& device_name);

}  // namespace stepscope::workers
