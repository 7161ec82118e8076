#include "analysis/reading/tables/trace_builder.h"

#include <doctest/doctest.h>

#include <string>
#include <utility>
#include <vector>

using namespace stepscope::analysis;

namespace {

DeviceEvent event(Ns start_ns, Ns dur_ns, NameId name, TimelineId timeline,
                  std::int64_t correlation = 1) {
  return {start_ns, dur_ns, correlation, name, timeline};
}

}  // namespace

TEST_CASE("rows are sorted, names and timelines renumbered in their own order") {
  TraceBuilder builder(100);
  NameId b = builder.name_of("b");
  NameId a = builder.name_of("a");
  TimelineId s10 = builder.timeline_of("0", "0", "10");
  TimelineId s9 = builder.timeline_of("0", "0", "9");
  TimelineId word = builder.timeline_of("0", "0", "aux");
  CHECK(builder.timeline_of("0", "0", "9") == s9);
  builder.add(event(20, 5, b, s10));
  builder.add(event(10, 9, b, word));
  builder.add(event(10, 5, a, s10));
  builder.add(event(10, 5, b, s9));
  builder.add(Launch{7, 1, 3, b, builder.scope_of("100")});
  builder.add(Launch{5, 1, 3, a, builder.scope_of("100")});
  builder.add(Launch{9, 1, 2, a, builder.scope_of("100")});
  builder.add(Marker{5, 1, a, builder.scope_of("1"), MarkerKind::user_annotation});
  builder.add(Marker{5, 9, b, builder.scope_of("1"), MarkerKind::user_annotation});
  builder.end_file({}, 4);
  Trace t = builder.finish();

  CHECK(t.names == std::vector<std::string>{"a", "b"});
  REQUIRE(t.timelines.size() == 3);
  CHECK(t.timelines[0].stream == "9");  // numbers by value, then words
  CHECK(t.timelines[1].stream == "10");
  CHECK(t.timelines[2].stream == "aux");
  REQUIRE(t.device_events.size() == 4);
  // 10+5 on stream 9, 10+5 on stream 10, 10+9, 20+5
  CHECK(t.device_events[0].timeline == 0);
  CHECK(t.device_events[1].timeline == 1);
  CHECK(t.names[t.device_events[1].name] == "a");
  CHECK(t.device_events[2].dur_ns == 9);
  CHECK(t.device_events[3].start_ns == 20);
  CHECK(t.launches[0].correlation == 2);
  CHECK(t.launches[1].start_ns == 5);
  CHECK(t.launches[2].start_ns == 7);
  CHECK(t.markers[0].dur_ns == 9);  // the longest first
  CHECK(t.summary.device_events == 4);
  CHECK(t.summary.origin_ns == 10);
  REQUIRE(t.scopes.size() == 1);
  CHECK(t.scopes[0].rank == 4);
}

TEST_CASE("exact duplicates count once") {
  TraceBuilder builder(100);
  TimelineId s = builder.timeline_of("0", "0", "7");
  NameId k = builder.name_of("k");
  NameId other = builder.name_of("other");
  builder.add(event(10, 5, k, s));
  builder.add(event(10, 5, k, s));
  builder.add(event(10, 5, k, s, 2));                                // another correlation
  builder.add(event(10, 5, other, s));                               // another name
  builder.add(event(10, 6, k, s));                                   // another duration
  builder.add(event(10, 5, k, builder.timeline_of("0", "1", "7")));  // another device
  builder.end_file({}, {});
  Trace t = builder.finish();
  CHECK(t.summary.duplicates == 1);
  CHECK(t.summary.device_events == 5);
  CHECK(t.summary.kernels == 5);
}

TEST_CASE("each file has its own base and rank, and equal stream names stay apart") {
  std::vector<TraceBuilder> files;
  for (int file = 0; file < 2; ++file) {
    TraceBuilder& builder = files.emplace_back(100);
    builder.add(event(10, 5, builder.name_of("k"), builder.timeline_of("0", "0", "7")));
    TraceMetadata metadata;
    metadata.base_ns = file == 0 ? 1000 : 500;
    if (file == 0) metadata.rank = 6;
    metadata.world_size = 8;
    metadata.device_names = {"GPU"};
    builder.end_file(metadata, 3);
  }
  files[0].absorb(std::move(files[1]));
  Trace t = files[0].finish();
  REQUIRE(t.scopes.size() == 2);
  CHECK(t.scopes[0].rank == 6);  // what the file says goes before its name
  CHECK(t.scopes[1].rank == 3);
  CHECK(t.scopes[1].file == 1);
  REQUIRE(t.device_events.size() == 2);
  CHECK(t.device_events[0].start_ns == 510);
  CHECK(t.timelines[t.device_events[0].timeline].scope == 1);
  CHECK(t.device_events[1].start_ns == 1010);
  CHECK(t.summary.duplicates == 0);
  CHECK(t.summary.world_size == 8);
  CHECK(t.summary.device_names == std::vector<std::string>{"GPU"});
}

TEST_CASE("of a file that is taken over, every row finds its names, arguments and process again") {
  TraceBuilder first(100);
  first.name_of("unused");
  first.add(event(1, 1, first.name_of("k"), first.timeline_of("0", "0", "7")));
  first.end_file({}, {});
  for (int file = 1; file < 3; ++file) {
    TraceBuilder next(100);
    ArgumentValues arguments;
    arguments.keep("grid", {JsonValue::Kind::container, "[4,1,1]"});
    DeviceEvent kernel =
        event(20 * file, 5, next.name_of("other"), next.timeline_of("0", "1", "9"));
    kernel.args = next.args_of(arguments);
    next.add(kernel);
    next.add(Launch{20 * file, 1, 7, next.name_of("launch"), next.scope_of("5")});
    next.add(Marker{20 * file, 9, next.name_of("step"), next.scope_of("5"),
                    MarkerKind::user_annotation});
    next.add_op_shape(next.scope_of("5"), 3, "aten::mm", "[[1]]");
    next.add_damage(static_cast<std::uint64_t>(file), "odd");
    next.trace().summary.events = 4;
    next.trace().summary.notes.push_back("note " + std::to_string(file));
    ++next.trace().summary.dropped.no_dur;
    next.trace().has_launches = true;
    next.end_file({}, file);
    first.absorb(std::move(next));
  }
  Trace t = first.finish();
  REQUIRE(t.device_events.size() == 3);
  for (std::size_t file = 1; file < 3; ++file) {
    const DeviceEvent& kernel = t.device_events[file];
    const Timeline& line = t.timelines[kernel.timeline];
    CHECK(t.names[kernel.name] == "other");
    CHECK(line.stream == "9");
    CHECK(t.scopes[line.scope].file == file);
    CHECK(t.scopes[line.scope].rank == static_cast<int>(file));
    CHECK(t.kernel_args[kernel.args].grid == "[4, 1, 1]");
    CHECK(t.names[t.launches[file - 1].name] == "launch");
    CHECK(t.launches[file - 1].scope == line.scope);
    CHECK(t.names[t.markers[file - 1].name] == "step");
    CHECK(t.markers[file - 1].scope == line.scope);
    CHECK(t.names[t.op_shapes[file - 1].dims] == "[[1]]");
    CHECK(t.op_shapes[file - 1].scope == line.scope);
  }
  CHECK(t.kernel_args.size() == 2);  // the empty one, and one for both files
  CHECK(t.summary.events == 8);
  CHECK(t.summary.dropped.no_dur == 2);
  CHECK(t.summary.notes == std::vector<std::string>{"note 1", "note 2"});
  CHECK(t.summary.damaged_count == 2);
  CHECK(t.summary.damaged[1].byte == 2);
  CHECK_FALSE(t.summary.complete);
  CHECK(t.has_launches);
}

TEST_CASE("names of all files together are limited") {
  TraceBuilder first(2);
  first.name_of("a");
  TraceBuilder second(2);
  second.name_of("b");
  second.name_of("c");
  CHECK(second.limit_passed().empty());
  first.end_file({}, {});
  second.end_file({}, {});
  first.absorb(std::move(second));
  REQUIRE(first.limit_fault("b.json", 70).has_value());
  CHECK(first.limit_fault("b.json", 70)->message ==
        "b.json: more different names than are allowed, near byte 70 of the text; record fewer "
        "steps");
}

TEST_CASE("labels of a merged file are scopes of their own, in sorted order") {
  TraceBuilder builder(100);
  NameId k = builder.name_of("k");
  builder.add(event(1, 1, k, builder.timeline_of("[TP01-EP01] 0", "0", "7")));
  builder.add(event(1, 1, k, builder.timeline_of("[TP00-EP00] 0", "0", "7")));
  CHECK(builder.scope_of("[TP01-EP01] 99") == builder.scope_of("[TP01-EP01] 0"));
  TraceMetadata metadata;
  metadata.rank = 0;  // of the first rank only
  builder.end_file(metadata, {});
  Trace t = builder.finish();
  REQUIRE(t.scopes.size() == 2);
  CHECK(t.scopes[0].label == "TP00-EP00");
  CHECK(t.scopes[0].rank == 0);
  CHECK(t.scopes[1].label == "TP01-EP01");
  CHECK(t.scopes[1].rank == 1);
  CHECK(t.timelines[1].pid == "[TP01-EP01] 0");
  CHECK(t.timelines[1].scope == 1);
}

TEST_CASE("a process without a label in a merged file has no rank") {
  TraceBuilder builder(100);
  NameId k = builder.name_of("k");
  builder.add(event(1, 1, k, builder.timeline_of("[TP00] 0", "0", "7")));
  builder.add(event(1, 1, k, builder.timeline_of("0", "0", "7")));
  TraceMetadata metadata;
  metadata.rank = 0;  // of the first rank, which has a label
  builder.end_file(metadata, 0);
  Trace t = builder.finish();
  REQUIRE(t.scopes.size() == 2);
  CHECK_FALSE(t.scopes[0].rank.has_value());
  CHECK(t.scopes[1].label == "TP00");
  CHECK(t.scopes[1].rank == 0);
}

TEST_CASE("sizes of operators are sorted by process and id, and share the names") {
  TraceBuilder builder(100);
  builder.name_of("zz");
  builder.add_op_shape(builder.scope_of("[TP01] 5"), 3, "aten::mm", "[[1, 2]]");
  builder.add_op_shape(builder.scope_of("[TP00] 5"), 9, "aten::mm", "[[1, 2]]");
  builder.add_op_shape(builder.scope_of("[TP00] 5"), 4, "aten::bmm", "[[5]]");
  builder.end_file({}, {});
  Trace t = builder.finish();
  CHECK(t.names == std::vector<std::string>{"[[1, 2]]", "[[5]]", "aten::bmm", "aten::mm", "zz"});
  REQUIRE(t.op_shapes.size() == 3);
  CHECK(t.op_shapes[0].scope == 0);
  CHECK(t.op_shapes[0].external_id == 4);
  CHECK(t.names[t.op_shapes[0].op] == "aten::bmm");
  CHECK(t.names[t.op_shapes[0].dims] == "[[5]]");
  CHECK(t.op_shapes[1].external_id == 9);
  CHECK(t.op_shapes[2].scope == 1);
  CHECK(t.names[t.op_shapes[2].op] == "aten::mm");
  CHECK(t.names[t.op_shapes[2].dims] == "[[1, 2]]");
  CHECK(t.summary.notes.empty());
}

TEST_CASE("sizes of operators give way when names run out, which is said") {
  TraceBuilder builder(2);
  builder.name_of("kernel");
  builder.add_op_shape(builder.scope_of("5"), 3, "aten::mm", "[[1, 2]]");
  builder.end_file({}, {});
  CHECK(builder.limit_passed().empty());
  Trace t = builder.finish();
  CHECK(t.op_shapes.empty());
  REQUIRE(t.summary.notes.size() == 1);
  CHECK(t.summary.notes[0] ==
        "too many operators with recorded shapes: those of some are left out");
}

TEST_CASE("times and sums that would overflow are refused") {
  TraceBuilder builder(100);
  TimelineId s = builder.timeline_of("0", "0", "7");
  NameId k = builder.name_of("k");
  builder.add(event(0, TraceBuilder::kTimeMax - 1, k, s));
  builder.add(event(5, 2, k, s));                       // the sum would pass the limit
  builder.add(event(TraceBuilder::kTimeMax, 1, k, s));  // with the base it is too late
  TraceMetadata metadata;
  metadata.base_ns = 1;
  builder.end_file(metadata, {});
  Trace t = builder.finish();
  CHECK(t.summary.dropped.malformed == 1);
  CHECK(t.summary.dropped.bad_ts == 1);
  CHECK(t.summary.device_events == 1);
}

TEST_CASE("damage is counted, and the first 20 places are kept") {
  TraceBuilder builder(100);
  for (std::uint64_t i = 0; i < 25; ++i) builder.add_damage(i, "x");
  CHECK(builder.trace().summary.damaged_count == 25);
  REQUIRE(builder.trace().summary.damaged.size() == 20);
  CHECK(builder.trace().summary.damaged[19].byte == 19);
}

TEST_CASE("a list without end of what is no event is given up") {
  TraceBuilder builder(1);
  for (std::int64_t i = 0; i < TraceBuilder::kStrangersMax; ++i) builder.add_stranger();
  CHECK(builder.limit_passed().empty());
  builder.add_stranger();
  CHECK(builder.limit_passed() == "elements that are no events");
}

TEST_CASE("a file that is nothing but damage is given up") {
  TraceBuilder builder(1);
  for (std::int64_t i = 0; i < TraceBuilder::kDamagedMax; ++i) builder.add_damage(7, "x");
  CHECK(builder.limit_passed().empty());
  builder.add_damage(7, "x");
  CHECK(builder.limit_passed() == "damaged places");
}

TEST_CASE("limits are named") {
  TraceBuilder builder(1);
  CHECK(builder.limit_passed().empty());
  builder.name_of("a");
  CHECK(builder.limit_passed().empty());
  builder.name_of("b");
  CHECK(builder.limit_passed() == "different names");
}

TEST_CASE("rows beyond one chunk survive the move into one vector") {
  TraceBuilder builder(10);
  TimelineId s = builder.timeline_of("0", "0", "7");
  NameId k = builder.name_of("k");
  for (Ns i = 100'000; i > 0; --i) builder.add(event(i * 10, 5, k, s, i));
  builder.end_file({}, {});
  Trace t = builder.finish();
  REQUIRE(t.device_events.size() == 100'000);
  for (std::size_t i = 0; i < t.device_events.size(); ++i) {
    REQUIRE(t.device_events[i].correlation == static_cast<std::int64_t>(i) + 1);
  }
}
