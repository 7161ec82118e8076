#pragma once
// Interned names: equal text has one id, in order of first use. Owns the text; grows only.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/reading/event_table.h"

namespace stepscope::analysis {

class NameTable {
 public:
  static constexpr std::size_t kTextBytesMax = 64U << 20;  // of all names together

  // `names_max`: how many different names there may be.
  explicit NameTable(std::uint64_t names_max, std::size_t text_bytes_max = kTextBytesMax)
      : names_max_(names_max), text_bytes_max_(text_bytes_max) {}

  NameId intern(std::string_view name);
  // A limit was passed; names since then have the id of the first one, and the caller must give up.
  bool full() const { return full_; }
  std::size_t size() const { return names_.size(); }
  const std::vector<std::string>& names() const { return names_; }  // by id

  // Hands the names over in byte order; `new_ids` says which id became which. The table is empty
  // then.
  std::vector<std::string> take_sorted(std::vector<NameId>& new_ids);

 private:
  struct Slot {
    std::uint32_t hash = 0;
    NameId id = 0;
    bool used = false;
  };
  void grow();

  std::uint64_t names_max_;
  std::size_t text_bytes_max_;
  std::vector<std::string> names_;
  std::vector<std::uint64_t> hashes_;
  std::vector<Slot> slots_;
  std::size_t text_bytes_ = 0;
  bool full_ = false;
};

}  // namespace stepscope::analysis
