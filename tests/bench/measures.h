#pragma once
// The four things that the benchmark measures, each a function that prints a table. Nothing about
// time or memory is asserted; std::runtime_error says that a program failed or did other work than
// the rest.

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "tests/bench/trace_generator.h"

namespace stepscope::bench {

struct Settings {
  std::uint64_t megabytes = 50;
  std::vector<Style> styles;
  std::string stepscope;         // path of the binary
  std::filesystem::path folder;  // where the traces stay; empty: a temporary one
  int rounds = 5;
  std::size_t stops = 30;  // of each phase
  bool others = false;     // node, jq and Python too
  bool odd = false;        // traces with odd_events.h
};

// Whole processes in turns, beside the floor: CPU, wall and peak memory.
void print_table(const Settings& settings);

// Peak memory of `stepscope analyze`.
void print_memory(const Settings& settings);

// Eight files of `megabytes` each, the ranks of one run, read by one thread and by two.
void print_ranks(const Settings& settings);

// From the moment that a caller cancels to the return of analyze(), at random moments.
void print_stop(const Settings& settings);

// The machine and the build: without these no figure means anything.
void print_machine();

}  // namespace stepscope::bench
