#pragma once
// Raw events of the Chrome trace form (Kineto, and RPD's JSON) into rows of a TraceBuilder: which
// categories count, where device and stream stand, which events are refused and why (R0, R1).

#include <array>
#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/reading/event_table.h"
#include "analysis/reading/formats/file_content.h"
#include "analysis/reading/json/json_text.h"
#include "analysis/reading/json/trace_scanner.h"
#include "analysis/reading/tables/event_arguments.h"
#include "analysis/reading/tables/trace_builder.h"
#include "analysis/reading/tables/trace_metadata.h"

namespace stepscope::analysis {

class KinetoReader : public RawEventSink {
 public:
  static constexpr std::size_t kNameBytesMax = 1U << 20;  // a longer name makes an event malformed
  static constexpr std::size_t kKeysKept = 32;

  // One reader per file. `damage_prefix` is put before the reasons of damaged spots.
  explicit KinetoReader(TraceBuilder& builder, std::string damage_prefix = "")
      : builder_(builder), trace_(builder.trace()), damage_prefix_(std::move(damage_prefix)) {}

  bool on_event(std::string_view text, std::uint64_t byte, bool escapes) override;
  void on_other_element() override;
  bool wants(std::string_view key) override;
  void on_value(std::string_view key, std::string_view text) override;
  void on_damage(std::uint64_t byte, std::string_view reason, bool event_lost) override;

  const FileFacts& facts() const { return facts_; }
  const TraceMetadata& metadata() const { return metadata_; }

 private:
  enum class Role : std::uint8_t {
    undecided,  // no category was read
    ignored,
    kernel,
    memcpy,
    memset,
    launch,
    annotation,
    gpu_annotation,
    python,
    cpu_op,
    profiler_range,
  };
  enum class Reading : std::uint8_t { broken, unwanted, wanted };

  struct Fields {
    JsonValue ph, cat, name, pid, tid, ts, dur;
    JsonValue device, stream, correlation, arg_name;  // of args
    bool escapes = false;
    bool name_wanted = false;  // it was looked at and is
  };
  struct KnownCategory {
    std::string name;
    Role role = Role::undecided;
  };
  struct Span {
    Ns start_ns = 0;
    Ns dur_ns = 0;
  };

  static Role role_of(std::string_view category);
  static JsonValue* event_slot(Fields& fields, std::string_view key);
  static JsonValue* args_slot(Fields& fields, std::string_view key);
  Role known_role(std::string_view category);
  Reading read_fields(std::string_view text, Fields& fields, Role& role);
  bool read_value(JsonCursor& cursor, std::string_view key, Fields& fields);
  bool worth_reading(Fields& fields, Role& role);
  bool name_wanted(Fields& fields, Role role);
  void without_category(const Fields& fields);
  void device_event(const Fields& fields, DeviceKind kind, int scale);
  void launch(const Fields& fields);
  void marker(const Fields& fields, MarkerKind kind);
  void op_shape(const Fields& fields);
  bool span_of(const Fields& fields, Span& span);
  std::string_view decoded(const JsonValue& value, bool escapes, std::string& scratch) const;
  ScopeId scope_of(const Fields& fields);

  TraceBuilder& builder_;
  Trace& trace_;
  std::string damage_prefix_;
  FileFacts facts_;
  TraceMetadata metadata_;
  std::array<KnownCategory, 64> categories_;  // by a cheap hash, to answer without comparing many
  std::set<std::string, std::less<>> gpu_pids_;  // whose process_name says GPU
  ArgumentValues arguments_;                     // of the event at hand
  std::string key_;                              // scratch, to spare allocations
  std::string name_;
  std::string pid_;
  std::string device_;
  std::string stream_;
};

}  // namespace stepscope::analysis
