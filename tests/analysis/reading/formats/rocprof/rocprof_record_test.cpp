#include "analysis/reading/formats/rocprof/rocprof_record.h"

#include <doctest/doctest.h>

#include <array>
#include <string>

using namespace stepscope::analysis;

TEST_CASE("ids are numbers or objects around one") {
  const auto record = read_rocprof_record(
      R"({"correlation_id": {"internal": 7, "external": 8, "ancestor": 9}, "start_timestamp": 100,
          "end_timestamp": 250, "kind": 11, "operation": 2, "stream_id": {"handle": 5},
          "dispatch_info": {"agent_id": {"handle": 18446744073709551615}, "queue_id": 16,
          "kernel_id": 12, "workgroup_size": {"x": 4, "y": 2, "z": 1},
          "grid_size": {"x": 64, "y": 32, "z": 16}}})");
  REQUIRE(record.has_value());
  CHECK(record->correlation == 7);
  CHECK(record->start_ns == 100);
  CHECK(record->end_ns == 250);
  CHECK(record->kind == 11);
  CHECK(record->operation == 2);
  CHECK(record->stream == 5);
  CHECK(record->agent == 18446744073709551615U);
  CHECK(record->queue == 16);
  CHECK(record->kernel_id == 12);
  CHECK(record->group_size == std::array<std::uint64_t, 3>{4, 2, 1});
  CHECK(record->work_items == std::array<std::uint64_t, 3>{64, 32, 16});
}

TEST_CASE("values of a wrong type are absent, and names in other places are not taken") {
  const auto record = read_rocprof_record(
      R"({"start_timestamp": null, "end_timestamp": "5", "kernel_id": -1, "type": 1.5,
          "other": {"pid": 3, "handle": 4}, "name": 7, "product_name": "x"})");
  REQUIRE(record.has_value());
  CHECK_FALSE(record->start_ns.has_value());
  CHECK(record->end_ns == 5);
  CHECK_FALSE(record->kernel_id.has_value());
  CHECK_FALSE(record->type.has_value());
  CHECK_FALSE(record->pid.has_value());
  CHECK(record->name.text.empty());
  CHECK(record->product.text == "x");
}

TEST_CASE("what is no object is no record") {
  CHECK_FALSE(read_rocprof_record("[1]").has_value());
  CHECK_FALSE(read_rocprof_record("{\"a\": }").has_value());
  CHECK_FALSE(read_rocprof_record("{\"a\": 1").has_value());
  CHECK(read_rocprof_record("{}").has_value());
}

TEST_CASE("kinds: a name, and operations by their place") {
  const auto kind = read_rocprof_kind(R"({"kind": "COPY", "operations": ["A", 5, "B"]})");
  REQUIRE(kind.has_value());
  CHECK(kind->name == "COPY");
  CHECK(kind->operations == std::vector<std::string>{"A", "", "B"});
  CHECK(read_rocprof_kind(R"({"kind": "X"})")->operations.empty());
  CHECK_FALSE(read_rocprof_kind(R"({"operations": []})").has_value());
  CHECK_FALSE(read_rocprof_kind("7").has_value());
}
