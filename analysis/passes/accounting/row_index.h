#pragma once
// Gives (stream, name) pairs small consecutive numbers in the order of their first appearance, so
// that the passes over millions of events index arrays. Owns its table; never shrinks.

#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

namespace stepscope::analysis {

class RowIndex {
 public:
  RowIndex() : slots_(kFirstSize) {}

  std::uint32_t of(std::uint32_t stream, std::uint32_t name) {
    const std::uint64_t key = std::uint64_t{stream} << 32 | name;
    Slot& slot = find(key);
    if (slot.row != kFree) return slot.row;
    slot = {key, count_++};
    const std::uint32_t row = slot.row;
    if (std::size_t{count_} * 2 > slots_.size()) grow();
    return row;
  }

  std::uint32_t count() const { return count_; }

 private:
  static constexpr std::size_t kFirstSize = 256;  // sizes are powers of two
  static constexpr std::uint32_t kFree = std::numeric_limits<std::uint32_t>::max();

  struct Slot {
    std::uint64_t key = 0;
    std::uint32_t row = kFree;
  };

  Slot& find(std::uint64_t key) {
    std::uint64_t hash = (key ^ key >> 30) * 0xbf58476d1ce4e5b9ULL;  // splitmix64's finalizer
    hash = (hash ^ hash >> 27) * 0x94d049bb133111ebULL;
    std::size_t at = (hash ^ hash >> 31) & (slots_.size() - 1);
    while (slots_[at].row != kFree && slots_[at].key != key) at = (at + 1) & (slots_.size() - 1);
    return slots_[at];
  }

  void grow() {
    std::vector<Slot> old(slots_.size() * 2);
    old.swap(slots_);
    for (const Slot& slot : old) {
      if (slot.row != kFree) find(slot.key) = slot;
    }
  }

  std::vector<Slot> slots_;
  std::uint32_t count_ = 0;
};

}  // namespace stepscope::analysis
