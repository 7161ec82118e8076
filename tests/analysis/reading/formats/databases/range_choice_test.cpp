#include "analysis/reading/formats/databases/range_choice.h"

#include <doctest/doctest.h>

#include <limits>
#include <string>
#include <vector>

using namespace stepscope::analysis;

TEST_CASE("markers of engines are kept, others when they repeat") {
  RangeChoice choice;
  CHECK(choice.empty());
  choice.count("step[DECODE bs=4]", 1);
  choice.count("once", 1000);
  choice.count("twice", 2);
  choice.count("twice", 2);
  choice.count("", 5);
  CHECK_FALSE(choice.empty());
  choice.choose();
  for (const auto* name :
       {"step[DECODE bs=4]", "decode[bs=1]", "execute_context_0(0)_generation_1(1)",
        "[Executor] _forward_step 7: 0 ctx reqs, 1 gen reqs", "ProfilerStep#3", "capture_8_DECODE",
        "twice"}) {
    CAPTURE(name);
    CHECK(choice.keep(name));
  }
  CHECK_FALSE(choice.keep("once"));
  CHECK_FALSE(choice.keep("never"));
  CHECK_FALSE(choice.keep(""));
  CHECK_FALSE(choice.keep(std::string(RangeChoice::kNameBytesMax + 1, 'x')));
  CHECK(choice.names_left_out() == 0);
  CHECK_FALSE(choice.ranges_left_out());
}

TEST_CASE("of many names that repeat the longest in total are kept") {
  RangeChoice choice;
  for (int i = 0; i < 70; ++i) {
    choice.count("name" + std::to_string(i), i);
    choice.count("name" + std::to_string(i), i);
  }
  choice.count("huge", std::numeric_limits<Ns>::max());
  choice.count("huge", std::numeric_limits<Ns>::max());
  choice.choose();
  CHECK(choice.names_left_out() == 71 - RangeChoice::kNamesKept);
  std::vector<std::string> notes;
  choice.note_left_out("NVTX ranges", notes);
  CHECK(notes == std::vector<std::string>{"7 further names of NVTX ranges repeat; only the 64 with "
                                          "the longest total are looked at for steps"});
  CHECK(choice.keep("huge"));
  CHECK(choice.keep("name69"));
  CHECK(choice.keep("name7"));  // the 64th: huge, then 69 down to 7
  CHECK_FALSE(choice.keep("name6"));

  RangeChoice marked;  // by an engine, so that no other name is asked
  marked.count("step[DECODE bs=1]", 1);
  for (int i = 0; i < 140; ++i) marked.count("name" + std::to_string(i / 2), 1);
  marked.choose();
  CHECK(marked.names_left_out() == 0);
}

TEST_CASE("names that come once do not crowd out one that repeats") {
  RangeChoice choice;
  for (std::size_t i = 0; i < 2 * RangeChoice::kNamesMax; ++i) {
    choice.count("unique " + std::to_string(i), 1);
  }
  choice.count("late", 1);
  choice.count("late", 1);
  choice.choose();
  CHECK(choice.keep("late"));
  CHECK_FALSE(choice.ranges_left_out());
}

TEST_CASE("too many names that repeat are said") {
  RangeChoice choice;
  for (std::size_t i = 0; i <= RangeChoice::kNamesMax; ++i) {
    const std::string name = "name " + std::to_string(i);
    choice.count(name, 1);
    choice.count(name, 1);
  }
  CHECK(choice.ranges_left_out());
  std::vector<std::string> notes;
  choice.note_left_out("user markers", notes);
  REQUIRE_FALSE(notes.empty());
  CHECK(notes.back() == "more user markers than can be kept; some are left out");
}

TEST_CASE("what PyTorch appends is no part of a name") {
  CHECK(range_name("aten::mm, seq = 7, op_id = 9") == "aten::mm");
  CHECK(range_name("ProfilerStep#4, op_id = 9") == "ProfilerStep#4");
  CHECK(range_name("step[MIXED bs=2, x]") == "step[MIXED bs=2, x]");
  CHECK(is_capture_range("capture_32_DECODE"));
  CHECK_FALSE(is_capture_range("recapture_32"));
}
