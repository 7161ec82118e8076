#pragma once
// What is measured beside what: a list of commands that all get the same packed trace.

#include <cstdint>
#include <string>
#include <vector>

#include "tests/bench/answers.h"
#include "tests/bench/bench_trace.h"

namespace stepscope::bench {

struct Contender {
  std::string name;
  std::vector<std::string> words;  // the command
  Answer answer = Answer::none;
  bool slow = false;  // seconds and gigabytes: one round is enough
};

struct Contenders {
  std::vector<Contender> list;
  std::vector<std::string> left_out;  // one line each: which, and why
};

inline constexpr const char* kFloor = "inflate, ISA-L";  // the first of the list
inline constexpr const char* kZlib = "inflate, zlib";
inline constexpr const char* kGzip = "gzip -dc";
inline constexpr const char* kStart = "stepscope --version";  // what each run of it starts with
inline constexpr const char* kAnalyze = "stepscope analyze";

// `stepscope` is the path of the binary. With `others` also programs that hold the whole text.
Contenders contenders_for(const PackedTrace& trace, const std::string& stepscope, bool others);

}  // namespace stepscope::bench
