#include "tests/support/trace_maker.h"

#include <algorithm>
#include <array>
#include <utility>

namespace stepscope::tests {

using namespace stepscope::analysis;

TraceMaker::TraceMaker() { scope({}); }

ScopeId TraceMaker::scope(std::optional<int> rank, const std::string& file,
                          const std::string& label) {
  auto& files = trace_.summary.files;
  const bool same_file = !label.empty() && !trace_.scopes.empty() &&
                         !trace_.scopes.back().label.empty() && files.back().name == file;
  if (!same_file) files.push_back({.name = file, .sha256 = "", .bytes = 0});
  trace_.scopes.push_back({files.size() - 1, rank, label});
  return static_cast<ScopeId>(trace_.scopes.size() - 1);
}

NameId TraceMaker::name_id(const std::string& name) {
  const auto next = static_cast<NameId>(trace_.names.size());
  const auto [place, added] = names_.try_emplace(name, next);
  if (added) trace_.names.push_back(name);
  return place->second;
}

ArgsId TraceMaker::args_id(const KernelArgs& args) {
  const auto key = [](const KernelArgs& a) {
    return std::tie(a.grid, a.block, a.collective, a.group, a.group_ranks, a.dtype, a.in_elements,
                    a.out_elements);
  };
  auto& known = trace_.kernel_args;
  const auto place =
      std::ranges::find_if(known, [&](const KernelArgs& a) { return key(a) == key(args); });
  const auto id = static_cast<ArgsId>(place - known.begin());
  if (place == known.end()) known.push_back(args);
  return id;
}

TraceMaker& TraceMaker::add(const DeviceEventSpec& spec) {
  const auto next = static_cast<TimelineId>(trace_.timelines.size());
  const auto key = std::tuple(spec.scope, spec.device, spec.stream);
  const auto [place, added] = timelines_.try_emplace(key, next);
  if (added) trace_.timelines.push_back({spec.scope, spec.device, spec.device, spec.stream});
  trace_.device_events.push_back({.start_ns = spec.start_ns,
                                  .dur_ns = spec.dur_ns,
                                  .correlation = spec.correlation.value_or(kNoCorrelation),
                                  .name = name_id(spec.name),
                                  .timeline = place->second,
                                  .args = args_id(spec.args),
                                  .external_id = spec.external_id,
                                  .kind = spec.kind});
  return *this;
}

TraceMaker& TraceMaker::launch(const std::string& name, Ns start_ns, Ns dur_ns,
                               std::int64_t correlation, ScopeId scope) {
  trace_.launches.push_back({start_ns, dur_ns, correlation, name_id(name), scope});
  trace_.has_launches = true;
  trace_.has_cpu_events = true;
  return *this;
}

TraceMaker& TraceMaker::mark(const std::string& name, Ns start_ns, Ns end_ns, MarkerKind kind,
                             ScopeId scope) {
  if (name.starts_with("capture_")) trace_.has_capture_markers = true;
  trace_.markers.push_back({start_ns, end_ns - start_ns, name_id(name), scope, kind});
  return *this;
}

TraceMaker& TraceMaker::launched(const DeviceEventSpec& spec, Ns launch_ns) {
  DeviceEventSpec linked = spec;
  linked.correlation = next_correlation_++;
  launch("cudaLaunchKernel", launch_ns, 1, *linked.correlation, spec.scope);
  return add(linked);
}

TraceMaker& TraceMaker::op(const std::string& name, std::uint32_t external_id,
                           const std::string& dims, ScopeId scope) {
  trace_.op_shapes.push_back({scope, external_id, name_id(name), name_id(dims)});
  trace_.has_cpu_events = true;
  return *this;
}

Trace TraceMaker::build() const {
  Trace trace = trace_;
  const auto event_key = [](const DeviceEvent& e) {
    return std::tuple(e.start_ns, e.start_ns + e.dur_ns, e.timeline, e.name, e.correlation);
  };
  std::sort(trace.device_events.begin(), trace.device_events.end(),
            [&](const auto& a, const auto& b) { return event_key(a) < event_key(b); });
  const auto launch_key = [](const Launch& l) {
    return std::tuple(l.scope, l.correlation, l.start_ns, l.dur_ns, l.name);
  };
  std::sort(trace.launches.begin(), trace.launches.end(),
            [&](const auto& a, const auto& b) { return launch_key(a) < launch_key(b); });
  const auto marker_key = [&](const Marker& m) {
    return std::tuple(m.scope, m.start_ns, -m.dur_ns, trace.names[m.name]);
  };
  std::sort(trace.markers.begin(), trace.markers.end(),
            [&](const auto& a, const auto& b) { return marker_key(a) < marker_key(b); });
  std::ranges::sort(trace.op_shapes, {},
                    [](const OpShape& o) { return std::tuple(o.scope, o.external_id, o.op); });
  trace.summary.device_events = static_cast<std::int64_t>(trace.device_events.size());
  if (!trace.device_events.empty()) trace.summary.origin_ns = trace.device_events[0].start_ns;
  return trace;
}

KernelCategory test_category(std::string_view name) {
  struct Word {
    std::string_view prefix;
    std::string_view category;
    std::string_view component;
    DeviceClass device_class;
  };
  static constexpr std::array kWords = {
      Word{"nccl", "comm-allreduce-nccl", "communication", DeviceClass::comm},
      Word{"copy", "memcpy", "setup", DeviceClass::copy},
      Word{"attn", "attention-fmha", "attention", DeviceClass::compute},
      Word{"linattn", "linear-attention", "attention", DeviceClass::compute},
      Word{"kv", "rope/kv-cache", "attention", DeviceClass::compute},
      Word{"gemm", "gemm-dense", "mlp", DeviceClass::compute},
      Word{"routing", "moe-routing", "moe", DeviceClass::compute},
      Word{"quant", "quantize", "quantize", DeviceClass::compute},
      Word{"act", "activation", "mlp", DeviceClass::compute},
      Word{"moe", "gemm-moe", "moe", DeviceClass::compute},
      Word{"norm", "normalisation", "norm", DeviceClass::compute},
  };
  for (const Word& word : kWords) {
    if (name.starts_with(word.prefix)) {
      return {std::string(word.category), std::string(word.component), word.device_class, "1: test",
              true};
    }
  }
  const bool matched = !name.starts_with("other");
  return {matched ? "elementwise/copy" : "other", matched ? "elementwise" : "other",
          DeviceClass::compute, matched ? "2: test" : "-", matched};
}

}  // namespace stepscope::tests
