#include "analysis/reading/formats/databases/process_scopes.h"

#include <doctest/doctest.h>

#include <string>

using namespace stepscope::analysis;

namespace {

void count(ProcessScopes& scopes, std::int64_t process, std::int64_t device, int events) {
  for (int i = 0; i < events; ++i) scopes.count(process, device);
}

std::string label(TraceBuilder& builder, const ProcessScopes& scopes, std::int64_t process) {
  const auto scope = scopes.scope_of(process);
  REQUIRE(scope.has_value());
  return builder.trace().scopes[*scope].label;
}

// Rank by process, as end_file() gives it.
int rank(TraceBuilder& builder, const ProcessScopes& scopes, std::int64_t process) {
  const auto scope = scopes.scope_of(process);
  REQUIRE(scope.has_value());
  return builder.trace().scopes[*scope].rank.value_or(-1);
}

}  // namespace

TEST_CASE("one process is the file's own scope, and others have none") {
  TraceBuilder builder(10);
  ProcessScopes scopes;
  count(scopes, 77, 0, 2);
  count(scopes, 77, 1, 1);
  scopes.settle(builder);
  CHECK(label(builder, scopes, 77).empty());
  CHECK_FALSE(scopes.scope_of(78).has_value());
  CHECK(scopes.note().empty());
  CHECK(scopes.owner_of(1) == 77);
  CHECK(scopes.owner_of(5) == ProcessScopes::kUnknown);
}

TEST_CASE("rows that name no process are those of the only one, and count only where all do so") {
  TraceBuilder builder(10);
  ProcessScopes mixed;
  count(mixed, ProcessScopes::kUnknown, 0, 5);
  count(mixed, 77, 0, 1);
  mixed.settle(builder);
  CHECK(label(builder, mixed, 77).empty());
  CHECK_FALSE(mixed.scope_of(ProcessScopes::kUnknown).has_value());
  CHECK(mixed.owner_of(0) == 77);

  ProcessScopes scopes;
  count(scopes, ProcessScopes::kUnknown, 0, 1);
  scopes.settle(builder);
  CHECK(scopes.scope_of(4711).has_value());
}

TEST_CASE("without device events there is no scope") {
  TraceBuilder builder(10);
  ProcessScopes scopes;
  scopes.settle(builder);
  CHECK_FALSE(scopes.scope_of(1).has_value());
  CHECK(builder.trace().scopes.empty());
}

TEST_CASE("ranks follow the GPUs; a helper on another's GPU comes last") {
  TraceBuilder builder(10);
  ProcessScopes scopes;
  count(scopes, 900, 10, 5);
  count(scopes, 1200, 0, 5);
  count(scopes, 300, 0, 1);  // started first, and does little
  count(scopes, 800, 2, 5);
  count(scopes, 800, 10, 1);
  scopes.settle(builder);
  CHECK(label(builder, scopes, 1200) == "GPU00-PID1200");
  CHECK(label(builder, scopes, 800) == "GPU02-PID0800");
  CHECK(label(builder, scopes, 900) == "GPU10-PID0900");
  CHECK(label(builder, scopes, 300) == "PID0300");
  builder.end_file({}, std::nullopt);
  CHECK(rank(builder, scopes, 1200) == 0);
  CHECK(rank(builder, scopes, 800) == 1);
  CHECK(rank(builder, scopes, 900) == 2);
  CHECK(rank(builder, scopes, 300) == 3);
  CHECK(scopes.note() ==
        "4 processes have device events; their ranks are counted by GPU, then process id: rank 0 "
        "is GPU00-PID1200, rank 1 is GPU02-PID0800, rank 2 is GPU10-PID0900, rank 3 is PID0300");
}

TEST_CASE("processes that each see one GPU: by the machine's numbers, else by process id") {
  const auto counted = [] {
    ProcessScopes scopes;
    count(scopes, 20, 0, 3);
    count(scopes, 10, 0, 5);
    return scopes;
  };
  TraceBuilder plain(10);
  ProcessScopes scopes = counted();
  scopes.settle(plain);
  plain.end_file({}, std::nullopt);
  CHECK(label(plain, scopes, 10) == "PID10");
  CHECK(rank(plain, scopes, 10) == 0);
  CHECK(rank(plain, scopes, 20) == 1);
  CHECK_FALSE(scopes.gpus_named());

  TraceBuilder named(10);
  ProcessScopes mapped = counted();
  mapped.name_gpus({{{10, 0}, 5}, {{20, 0}, 3}, {{99, 0}, 1}});
  mapped.settle(named);
  named.end_file({}, std::nullopt);
  CHECK(label(named, mapped, 20) == "GPU03-PID20");
  CHECK(rank(named, mapped, 20) == 0);
  CHECK(rank(named, mapped, 10) == 1);
  CHECK(mapped.gpus() == std::set<std::int64_t>{3, 5});
}

TEST_CASE("equal process ids of two machines stay apart") {
  TraceBuilder builder(10);
  ProcessScopes scopes;
  const std::int64_t other = (std::int64_t{1} << 24) + 7;
  count(scopes, 7, 0, 1);
  count(scopes, other, 1, 1);
  scopes.settle(builder);
  CHECK(ProcessScopes::pid_of(other) == 7);
  CHECK(scopes.scope_of(7) != scopes.scope_of(other));
}

TEST_CASE("more processes than are allowed") {
  ProcessScopes scopes;
  for (std::size_t i = 0; i < ProcessScopes::kPairsMax + 5; ++i) {
    scopes.count(static_cast<std::int64_t>(i), 0);
  }
  CHECK(scopes.full());
}
