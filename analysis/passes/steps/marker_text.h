#pragma once
// R8: what the name of a step marker says. Pure functions on text; knows the forms that SGLang,
// vLLM, TensorRT-LLM, ATOM, xDiT and torch.profiler write.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace stepscope::analysis {

// step[..], execute_..context_..generation_.., decode[..], prefill[..], mixed[..],
// execute_diffusion_.., [Executor] _forward_step..
bool is_engine_marker(std::string_view name);
// SGLang's own span of the forward pass; inside a wider marker it gives label and phase.
bool is_step_span(std::string_view name);
// capture_..: a graph is recorded, nothing runs. Never a step.
bool is_capture_marker(std::string_view name);

enum class MarkerForm : std::uint8_t {
  plain,    // says nothing of the phase
  bracket,  // step[DECODE bs=4], decode[bs=4/8 tok=4]
  context,  // execute_context_1(888)_generation_2(2), _forward_step 7: 1 ctx reqs, 2 gen reqs
};

struct MarkerText {
  MarkerForm form = MarkerForm::plain;
  std::string phase;  // decode, prefill, mixed, verify, draft, idle, ...; empty with plain
  std::optional<std::int64_t> batch_size;  // requests
  std::optional<std::int64_t> tokens;
  std::optional<std::int64_t> kv_tokens;  // KV length summed over all requests
};

MarkerText read_marker(std::string_view name);

// "decode" of a file name with -DECODE, "prefill" with -EXTEND, else empty.
std::string phase_of_file_name(std::string_view file_name);

}  // namespace stepscope::analysis
