// The Kineto reader compares events with the shapes of those before instead of parsing them. Two
// readers see the same events of a trace, one of them told that each may hold escapes, which makes
// it parse them all: both must find the same rows.

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>

#include "analysis/reading/formats/kineto/kineto_reader.h"
#include "analysis/reading/json/trace_scanner.h"
#include "analysis/reading/tables/trace_builder.h"
#include "tests/fuzz/json_mutator.h"
#include "tests/fuzz/require.h"

namespace {

using namespace stepscope::analysis;
using stepscope::fuzz::require;

constexpr std::uint64_t kNamesMax = 100'000;

class Both : public RawEventSink {
 public:
  bool on_event(const RawEvent& event) override {
    const bool read = fast_.on_event(event);
    const bool parsed =
        strict_.on_event({.text = event.text, .byte = event.byte, .inner = event.inner});
    require(read == parsed, "both can read the event, or none", event.text);
    return read;
  }
  void on_other_element() override {
    fast_.on_other_element();
    strict_.on_other_element();
  }
  bool wants(std::string_view key) override {
    strict_.wants(key);  // it notes the key
    return fast_.wants(key);
  }
  void on_value(std::string_view key, std::string_view text) override {
    fast_.on_value(key, text);
    strict_.on_value(key, text);
  }
  void on_damage(std::uint64_t byte, std::string_view reason, bool event_lost) override {
    fast_.on_damage(byte, reason, event_lost);
    strict_.on_damage(byte, reason, event_lost);
  }

  void compare();

 private:
  TraceBuilder fast_rows_{kNamesMax};
  TraceBuilder strict_rows_{kNamesMax};
  KinetoReader fast_{fast_rows_};
  KinetoReader strict_{strict_rows_};
};

auto key(const DeviceEvent& e) {
  return std::tuple(e.start_ns, e.dur_ns, e.correlation, e.name, e.timeline, e.args, e.external_id,
                    e.kind);
}
auto key(const Launch& l) {
  return std::tuple(l.start_ns, l.dur_ns, l.correlation, l.name, l.scope);
}
auto key(const Marker& m) { return std::tuple(m.start_ns, m.dur_ns, m.name, m.scope, m.kind); }
auto key(const OpShape& o) { return std::tuple(o.scope, o.external_id, o.op, o.dims); }
auto key(const Timeline& t) { return std::tie(t.scope, t.pid, t.device, t.stream); }
auto key(const RankScope& s) { return std::tie(s.file, s.rank, s.label); }
auto key(const KernelArgs& a) {
  return std::tie(a.grid, a.block, a.collective, a.group, a.group_ranks, a.dtype, a.in_elements,
                  a.out_elements);
}
auto key(const DropCounts& d) {
  return std::tuple(d.no_dur, d.negative_dur, d.bad_ts, d.malformed);
}
auto key(const FileFacts& f) {
  return std::tie(f.events, f.objects, f.device_events, f.launches, f.kernel_launches,
                  f.capture_markers, f.profiler_ranges, f.nanoseconds, f.fractions, f.list_elements,
                  f.keys);
}

template <typename Rows>
bool same(const Rows& a, const Rows& b) {
  return std::ranges::equal(a, b, [](const auto& x, const auto& y) { return key(x) == key(y); });
}

void Both::compare() {
  require(key(fast_.facts()) == key(strict_.facts()), "the same facts");
  fast_rows_.end_file(fast_.metadata(), std::nullopt);
  strict_rows_.end_file(strict_.metadata(), std::nullopt);
  const Trace a = fast_rows_.finish();
  const Trace b = strict_rows_.finish();
  require(a.names == b.names, "the same names");
  require(same(a.timelines, b.timelines) && same(a.scopes, b.scopes), "the same timelines");
  require(same(a.device_events, b.device_events), "the same device events");
  require(same(a.kernel_args, b.kernel_args), "the same arguments");
  require(same(a.launches, b.launches), "the same launches");
  require(same(a.markers, b.markers), "the same markers");
  require(same(a.op_shapes, b.op_shapes), "the same operators");
  require(key(a.summary.dropped) == key(b.summary.dropped), "the same refused events");
  require(a.python_stacks == b.python_stacks && a.has_cpu_events == b.has_cpu_events &&
              a.has_capture_markers == b.has_capture_markers && a.has_launches == b.has_launches,
          "the same marks of the trace");
}

}  // namespace

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size,
                                               std::size_t size_max, unsigned seed) {
  return stepscope::fuzz::mutate_json_bytes(data, size, size_max, seed);
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Both both;
  TraceScanner scanner(both);
  scanner.feed({reinterpret_cast<const char*>(data), size});
  scanner.finish();
  both.compare();
  return 0;
}
