#include "analysis/reading/tables/trace_metadata.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

using namespace stepscope::analysis;

TEST_CASE("base time, devices and distributed information are read") {
  TraceMetadata m;
  read_metadata("baseTimeNanoseconds", "1760000000000000001", m);
  read_metadata("deviceProperties",
                R"([{"id": 0, "name": "NVIDIA B200"}, {"id": 1, "name": "NVIDIA B200"},
                    {"name": ""}, {"id": 2}, 7, {"name": "AMD Instinct MI300X"}])",
                m);
  read_metadata("distributedInfo", R"({"backend": "nccl", "rank": 3, "world_size": "8"})", m);
  CHECK(m.base_ns == 1'760'000'000'000'000'001);
  CHECK(m.device_names == std::vector<std::string>{"NVIDIA B200", "AMD Instinct MI300X"});
  CHECK(m.rank == 3);
  CHECK(m.world_size == 8);
  CHECK(m.problems.empty());
}

TEST_CASE("what is missing stays absent, what makes no sense is named") {
  TraceMetadata m;
  read_metadata("distributedInfo", R"({"backend": "nccl", "world_size": 2})", m);
  CHECK_FALSE(m.rank.has_value());
  CHECK(m.world_size == 2);
  read_metadata("distributedInfo", "null", m);
  read_metadata("deviceProperties", "[]", m);
  CHECK(m.problems.empty());
  read_metadata("baseTimeNanoseconds", "\"soon\"", m);
  read_metadata("deviceProperties", "{", m);
  read_metadata("distributedInfo", R"({"rank": -1, "world_size": 1e99})", m);
  CHECK(m.base_ns == 0);
  CHECK_FALSE(m.rank.has_value());
  CHECK_FALSE(m.world_size.has_value());
  CHECK(m.problems == std::vector<std::string>{"baseTimeNanoseconds", "deviceProperties"});
}

TEST_CASE("a base time may stand in quotes; host and user are nobody's business") {
  TraceMetadata m;
  read_metadata("baseTimeNanoseconds", "\"1700000000000000000\"", m);
  CHECK(m.base_ns == 1'700'000'000'000'000'000);
  CHECK(is_metadata_key("computeProperties"));
  CHECK_FALSE(is_metadata_key("host_name"));
  CHECK_FALSE(is_metadata_key("username"));
}
