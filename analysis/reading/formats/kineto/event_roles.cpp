#include "analysis/reading/formats/kineto/event_roles.h"

#include <algorithm>
#include <cstddef>

#include "analysis/reading/tables/event_arguments.h"

namespace stepscope::analysis {

namespace {

// The frames that run one step: SGLang's scheduler, vLLM's model runner. Asked of every frame.
bool is_step_frame(std::string_view name) {
  if (name.empty()) return false;
  const char last = name.back();
  if (last != 'h' && last != 'r' && last != 'l') return false;
  return name.ends_with(": run_batch") || name.ends_with(": _run_batch_inner") ||
         name.ends_with(": execute_model");
}

EventRole role_of(std::string_view category) {
  std::string lowered(category);
  for (char& c : lowered) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
  const bool other_accelerator = lowered.starts_with("xpu_") || lowered.starts_with("privateuse1_");
  const auto is = [&](std::string_view word) {
    return lowered == word || (other_accelerator && lowered.ends_with(word));
  };
  if (is("kernel") || lowered == "mtia_ccp_events") return EventRole::kernel;
  if (is("memcpy") || lowered == "gpu_memcpy") return EventRole::memcpy;
  if (is("memset") || lowered == "gpu_memset") return EventRole::memset;
  if (is("runtime") || lowered == "cuda_runtime" || lowered == "cuda_driver" ||
      lowered == "mtia_runtime") {
    return EventRole::launch;
  }
  if (other_accelerator && lowered.ends_with("driver")) return EventRole::launch;
  if (category == "user_annotation") return EventRole::annotation;
  if (category == "gpu_user_annotation") return EventRole::gpu_annotation;
  if (category == "python_function") return EventRole::python;
  if (category == "cpu_op" || category == "Operator") return EventRole::cpu_op;
  return category == "cuda_profiler_range" ? EventRole::profiler_range : EventRole::ignored;
}

std::size_t first_and_last(std::string_view word) {
  return static_cast<unsigned char>(word.front()) * std::size_t{7} +
         static_cast<unsigned char>(word.back());
}

}  // namespace

bool is_profiler_step(std::string_view name) {
  constexpr std::string_view kWord = "ProfilerStep";
  if (!name.starts_with(kWord)) return false;
  const std::size_t at = name.find_first_not_of(" \t", kWord.size());
  if (at == std::string_view::npos || name[at] != '#') return false;
  const std::string_view number = name.substr(at + 1);
  return !number.empty() && number.find_first_not_of("0123456789") == std::string_view::npos;
}

EventRole EventRoles::of_category(std::string_view category) {
  if (category.empty()) return EventRole::ignored;
  KnownCategory& known =
      categories_[(category.size() + first_and_last(category)) % categories_.size()];
  if (known.role == EventRole::undecided || known.name != category) {
    known = {std::string(category), role_of(category)};
  }
  return known.role;
}

bool EventRoles::name_wanted(EventRole role, std::string_view name) {
  if (role == EventRole::python) return is_step_frame(name);
  if (name.empty()) return false;
  const auto middle = static_cast<unsigned char>(name[name.size() / 2]);
  KnownOperator& known =
      operators_[(name.size() * 31 + first_and_last(name) + middle) % operators_.size()];
  if (known.name != name) {
    known = {std::string(name), is_sized_operator(name) || is_profiler_step(name)};
  }
  return known.wanted;
}

}  // namespace stepscope::analysis
