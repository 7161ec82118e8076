#pragma once
// What an event of the Chrome trace form is for, by its category; and of operators and Python
// frames by its name, because only few of these many are of use.

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace stepscope::analysis {

enum class EventRole : std::uint8_t {
  undecided,  // no category was read
  ignored,
  kernel,
  memcpy,
  memset,
  launch,
  annotation,
  gpu_annotation,
  python,
  cpu_op,
  profiler_range,
};

// Of these events there are many, and few are of use: their names decide.
constexpr bool is_chosen_by_name(EventRole role) {
  return role == EventRole::python || role == EventRole::cpu_op;
}

// ProfilerStep#12, also with blanks before the hash.
bool is_profiler_step(std::string_view name);

// Remembers what it was asked before: the same few words come again and again.
class EventRoles {
 public:
  // Categories of all ages and accelerators; never undecided.
  EventRole of_category(std::string_view category);
  // Whether an operator or a frame of this name is of use.
  bool name_wanted(EventRole role, std::string_view name);

 private:
  struct KnownCategory {
    std::string name;
    EventRole role = EventRole::undecided;
  };
  struct KnownOperator {
    std::string name;
    bool wanted = false;
  };

  std::array<KnownCategory, 64> categories_;  // both by a cheap hash
  std::array<KnownOperator, 256> operators_;
};

}  // namespace stepscope::analysis
