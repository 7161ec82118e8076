#include "analysis/reading/tables/rank_source.h"

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

TEST_CASE("ranks of several files") {
  const auto ranks = [](const std::vector<FileClaim>& files) { return ranks_of_files(files); };
  using Ranks = std::vector<std::optional<int>>;

  FileRanks r = ranks({{"x-TP-1.json", 3, {}}, {"x-TP-2.json", {}, {}}, {"y.json", {}, {}}});
  CHECK(r.ranks == Ranks{3, 2, std::nullopt});
  CHECK(r.note.empty());
  r = ranks({{"1-TP-0-DECODE.json", 0, {}}, {"1-TP-0-EXTEND.json", 0, {}}, {"1-TP-1.json", 1, {}}});
  CHECK(r.ranks == Ranks{0, 0, 1});  // stages of one rank
  CHECK(r.note.empty());
  r = ranks({{"1-TP-0-DECODE.json", 0, {}}, {"2-TP-0-DECODE.json", 0, {}}});
  CHECK(r.ranks == Ranks{0, 1});
  CHECK(r.note ==
        "1-TP-0-DECODE.json and 2-TP-0-DECODE.json both say rank 0: ranks are counted in the order "
        "of the files");
  r = ranks({{"rank7.json", 0, {}}, {"rank2.json", 0, {}}, {"z.json", 1, {}}});
  CHECK(r.ranks == Ranks{7, 2, 1});
  CHECK(r.note ==
        "rank7.json and rank2.json both say rank 0: the names of the files tell their ranks");
  // The names would claim what another file states.
  r = ranks({{"rank1.json", 0, {}}, {"rank2.json", 0, {}}, {"z.json", 1, {}}});
  CHECK(r.ranks == Ranks{0, 1, 2});
  // A name can be wrong where another file states the same.
  r = ranks({{"b-TP-3.json", {}, {}}, {"d.json", 3, {}}});
  CHECK(r.ranks == Ranks{0, 1});
}

TEST_CASE("several files that do not say their rank are counted; a single one stays unknown") {
  using Ranks = std::vector<std::optional<int>>;
  const auto ranks = [](const std::vector<FileClaim>& files) { return ranks_of_files(files); };
  FileRanks r = ranks({{"a.json", {}, {}}, {"b.json", {}, {}}});
  CHECK(r.ranks == Ranks{0, 1});
  CHECK(r.note == "2 files do not say their rank: they are counted in the order of the files");
  // What others claim is not free.
  r = ranks({{"a.json", {}, {}}, {"b.json", 1, {}}, {"c.json", {}, {}}, {"d.json", 0, {}}});
  CHECK(r.ranks == Ranks{2, 1, 3, 0});
  r = ranks({{"merged.json", {}, {0, 1}}, {"c.json", {}, {}}, {"d.json", {}, {}}});
  CHECK(r.ranks == Ranks{std::nullopt, 2, 3});
  // Two stages of one rank, and of the next.
  r = ranks({{"a-DECODE.json", {}, {}},
             {"a-EXTEND.json", {}, {}},
             {"b-DECODE.json", {}, {}},
             {"b-EXTEND.json", {}, {}}});
  CHECK(r.ranks == Ranks{0, 0, 1, 1});
  r = ranks({{"a.json", {}, {}}});
  CHECK(r.ranks == Ranks{std::nullopt});
  CHECK(r.note.empty());
}

TEST_CASE("a merged file beside others keeps the ranks of its labels") {
  FileRanks r =
      ranks_of_files(std::vector<FileClaim>{{"merged.json", 0, {0, 1}}, {"c.json", 2, {}}});
  CHECK(r.ranks == std::vector<std::optional<int>>{std::nullopt, 2});
  CHECK(r.note.empty());
  r = ranks_of_files(std::vector<FileClaim>{{"merged.json", 0, {0, 1}}, {"c.json", 1, {}}});
  CHECK(r.ranks == std::vector<std::optional<int>>{std::nullopt, 1});
  CHECK(r.note == "merged.json claims a rank that another file has as well");
}
