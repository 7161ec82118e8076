#include "analysis/reading/tables/name_table.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <numeric>

namespace stepscope::analysis {

namespace {

constexpr std::size_t kFirstSlots = 1024;  // a power of two, as are all later sizes

// Four lanes of multiply and rotate: names of kernels reach kilobytes and are hashed once per
// event.
std::uint64_t hash_of(std::string_view text) {
  constexpr std::uint64_t kOdd = 0x9E3779B97F4A7C15ULL;
  std::array<std::uint64_t, 4> lanes = {text.size(), 1, 2, 3};
  const char* at = text.data();
  std::size_t left = text.size();
  for (; left >= 32; left -= 32, at += 32) {
    std::array<std::uint64_t, 4> words;
    std::memcpy(words.data(), at, 32);
    for (std::size_t i = 0; i < 4; ++i) lanes[i] = std::rotl((lanes[i] ^ words[i]) * kOdd, 29);
  }
  std::array<std::uint64_t, 4> rest{};
  if (left > 0) std::memcpy(rest.data(), at, left);
  std::uint64_t hash = 0;
  for (std::size_t i = 0; i < 4; ++i) {
    hash = std::rotl((hash ^ lanes[i] ^ rest[i]) * kOdd, 31);
  }
  return hash ^ hash >> 32;
}

}  // namespace

NameId NameTable::intern(std::string_view name) {
  if (slots_.empty()) grow();
  std::uint64_t hash = hash_of(name);
  std::uint32_t tag = static_cast<std::uint32_t>(hash >> 32);
  std::size_t mask = slots_.size() - 1;
  std::size_t at = hash & mask;
  for (; slots_[at].used; at = (at + 1) & mask) {
    if (slots_[at].hash == tag && names_[slots_[at].id] == name) return slots_[at].id;
  }
  if (names_.size() >= names_max_ || text_bytes_ + name.size() > text_bytes_max_) {
    full_ = true;
    return 0;
  }
  NameId id = static_cast<NameId>(names_.size());
  names_.emplace_back(name);
  hashes_.push_back(hash);
  text_bytes_ += name.size();
  slots_[at] = {tag, id, true};
  if (names_.size() * 2 > slots_.size()) grow();
  return id;
}

void NameTable::grow() {
  std::size_t size = std::max(kFirstSlots, slots_.size() * 2);
  slots_.assign(size, Slot{});
  for (std::size_t i = 0; i < names_.size(); ++i) {
    std::size_t at = hashes_[i] & (size - 1);
    while (slots_[at].used) at = (at + 1) & (size - 1);
    slots_[at] = {static_cast<std::uint32_t>(hashes_[i] >> 32), static_cast<NameId>(i), true};
  }
}

std::vector<std::string> NameTable::take_sorted(std::vector<NameId>& new_ids) {
  std::vector<NameId> order(names_.size());
  std::iota(order.begin(), order.end(), NameId{0});
  std::ranges::sort(order, [&](NameId a, NameId b) { return names_[a] < names_[b]; });
  new_ids.resize(names_.size());
  std::vector<std::string> sorted;
  sorted.reserve(names_.size());
  for (NameId id : order) {
    new_ids[id] = static_cast<NameId>(sorted.size());
    sorted.push_back(std::move(names_[id]));
  }
  names_.clear();
  hashes_.clear();
  slots_.clear();
  text_bytes_ = 0;
  return sorted;
}

}  // namespace stepscope::analysis
