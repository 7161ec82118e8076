#pragma once
// Raw events of the Chrome trace form (Kineto's; RPD's, Ascend's and XProf's without categories)
// into rows of a TraceBuilder: which categories count, where device and stream stand, which events
// are refused and why (R0, R1).

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/reading/event_table.h"
#include "analysis/reading/formats/file_content.h"
#include "analysis/reading/formats/kineto/device_processes.h"
#include "analysis/reading/formats/kineto/event_fields.h"
#include "analysis/reading/formats/kineto/event_roles.h"
#include "analysis/reading/formats/kineto/event_shapes.h"
#include "analysis/reading/json/json_text.h"
#include "analysis/reading/json/trace_scanner.h"
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

  bool on_event(const RawEvent& event) override;
  void on_other_element() override;
  bool wants(std::string_view key) override;
  void on_value(std::string_view key, std::string_view text) override;
  void on_damage(std::uint64_t byte, std::string_view reason, bool event_lost) override;

  const FileFacts& facts() const { return facts_; }
  const TraceMetadata& metadata() const { return metadata_; }

 private:
  enum class Reading : std::uint8_t { broken, unwanted, wanted };

  struct KnownTimeline {  // as in the file, before anything is decoded
    std::string pid, device, stream;
    std::optional<TimelineId> id;
  };
  struct Span {
    Ns start_ns = 0;
    Ns dur_ns = 0;
  };

  Reading read_known_shape(const RawEvent& event, EventRole& role);
  Reading read_fields(const RawEvent& event, EventRole& role);
  bool read_arguments(std::string_view text, std::string_view object);
  void note_piece(std::string_view text, Slot slot, const JsonValue& value);
  bool worth_reading(EventRole& role);
  bool name_wanted(EventRole role);
  void note_role(EventRole role);
  void use(EventRole role);
  void without_category();
  void device_event(DeviceKind kind, int scale);
  TimelineId timeline();
  void launch();
  void marker(MarkerKind kind);
  void op_shape();
  bool span(Span& span) const;
  std::string_view decoded(const JsonValue& value, std::string& scratch) const;
  ScopeId scope();

  TraceBuilder& builder_;
  Trace& trace_;
  std::string damage_prefix_;
  FileFacts facts_;
  TraceMetadata metadata_;
  DeviceProcesses device_processes_;
  EventFields fields_;              // of the event at hand
  std::vector<EventPiece> pieces_;  // its values, in the order of the text
  EventShapes shapes_;
  EventRoles roles_;
  std::array<KnownTimeline, 8> known_timelines_;
  std::size_t next_known_timeline_ = 0;
  std::string key_;  // scratch, to spare allocations
  std::string name_;
  std::string pid_;
  std::string device_;
  std::string stream_;
};

}  // namespace stepscope::analysis
