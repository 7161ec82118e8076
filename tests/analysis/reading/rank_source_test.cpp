#include "analysis/reading/rank_source.h"

#include <doctest/doctest.h>

#include <optional>
#include <string>
#include <vector>

using namespace stepscope::analysis;

TEST_CASE("labels of merged traces stand in brackets in front of the process id") {
  CHECK(rank_label("[TP03-EP03] 1234") == "TP03-EP03");
  CHECK(rank_label("[TP00-DP01-PP02-EP03] Spans") == "TP00-DP01-PP02-EP03");
  CHECK(rank_label("[TP00]") == "TP00");
  for (const char* pid :
       {"1234", "", "[", "[]", "[] 1", "[abc] 1", "[TP] 1", "[TP01-x] 1", "[TP01"}) {
    CAPTURE(pid);
    CHECK(rank_label(pid).empty());
  }
}

TEST_CASE("the rank of a label is its TP number when no two agree, else its place") {
  std::vector<std::string> tp = {"TP07-EP07", "TP02-EP02", "TP10-EP10"};
  CHECK(ranks_of_labels(tp) == std::vector<int>{7, 2, 10});
  std::vector<std::string> dp = {"TP01-DP01", "TP00-DP01", "TP00-DP00", "TP01-DP00"};
  CHECK(ranks_of_labels(dp) == std::vector<int>{3, 1, 0, 2});
  std::vector<std::string> without = {"DP01", "DP00"};
  CHECK(ranks_of_labels(without) == std::vector<int>{1, 0});
  std::vector<std::string> behind = {"DP00-TP05"};
  CHECK(ranks_of_labels(behind) == std::vector<int>{5});
  CHECK(ranks_of_labels({}).empty());
}

TEST_CASE("ranks in names of files") {
  auto rank = [](const char* name) { return rank_of_file_name(name); };
  CHECK(rank("1776848313.618158-TP-3-DECODE.trace.json.gz") == 3);
  CHECK(rank("TP0_EXTEND") == 0);
  CHECK(rank("x-tp12.json") == 12);
  CHECK(rank("rank-34.Jul_15_10_52_41.1074.pt.trace.json.gz") == 34);
  CHECK(rank("profile_trace_rank_0.json") == 0);
  CHECK(rank("bs_32_rank0.json.gz") == 0);
  CHECK(rank("worker7_step_12.1694128201553.pt.trace.json.gz") == 7);
  CHECK(rank("dp1_pp0_tp0_dcp0_ep4_rank4.123.pt.trace.json.gz") == 4);
  CHECK(rank("trace.json") == std::nullopt);
  CHECK(rank("http3.json") == std::nullopt);
  CHECK(rank("rank_12345678.json") == std::nullopt);  // a process or a date
  CHECK(rank("crank.json") == std::nullopt);
}
