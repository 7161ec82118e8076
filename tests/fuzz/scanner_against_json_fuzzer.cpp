// Text that nlohmann accepts as JSON, and that has the outer form of a trace, is read by the
// scanner without damage and whole: the same elements and top-level values, in their order, in
// blocks of any size. Repeated names are kept by the reference as they stand: each array
// "traceEvents" counts, as the scanner has it.

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "analysis/reading/json/json_text.h"
#include "analysis/reading/json/json_walker.h"
#include "tests/fuzz/json_mutator.h"
#include "tests/fuzz/require.h"
#include "tests/fuzz/scan_record.h"

namespace {

using namespace stepscope;
using Kind = fuzz::ScanEntry::Kind;

// The members of an object in their order, repeated names included.
template <typename Key, typename T, typename Less = std::less<Key>,
          typename Allocator = std::allocator<std::pair<const Key, T>>>
struct AllMembers : nlohmann::ordered_map<Key, T, Less, Allocator> {
  using Base = nlohmann::ordered_map<Key, T, Less, Allocator>;
  using Base::Base;
  T& operator[](const Key& key) { return this->emplace_back(key, T()).second; }
};
using Json = nlohmann::basic_json<AllMembers>;

struct Share {
  unsigned long valid = 0;
  unsigned long all = 0;
};
Share share;

void print_share() {
  std::fprintf(stderr, "valid traces: %lu of %lu inputs\n", share.valid, share.all);
}

std::size_t depth_of(std::string_view json) {
  std::size_t depth = 0;
  std::size_t deepest = 0;
  bool string = false;
  for (std::size_t i = 0; i < json.size(); ++i) {
    const char c = json[i];
    if (string && c == '\\') {
      ++i;
    } else if (c == '"') {
      string = !string;
    } else if (!string && (c == '{' || c == '[')) {
      deepest = std::max(deepest, ++depth);
    } else if (!string && (c == '}' || c == ']')) {
      --depth;
    }
  }
  return deepest;
}

bool is_events(const std::string& name, const Json& value) {
  return name == "traceEvents" && value.is_array();
}

bool holds_object(const Json& value) {
  return value.is_object() || (value.is_array() && std::ranges::any_of(value, holds_object));
}

// The scanner takes the bracket of such a list for one that got in between the events.
bool has_list_of_objects(const Json& root) {
  if (root.is_object()) {
    return std::ranges::any_of(root.get_ref<const Json::object_t&>(), [](const auto& member) {
      return is_events(member.first, member.second) && has_list_of_objects(member.second);
    });
  }
  return std::ranges::any_of(
      root, [](const Json& element) { return element.is_array() && holds_object(element); });
}

bool is_trace(const Json& root) {
  if (root.is_array()) return true;
  return root.is_object() &&
         std::ranges::any_of(root.get_ref<const Json::object_t&>(), [](const auto& member) {
           return is_events(member.first, member.second);
         });
}

std::string decoded(std::string_view raw) {
  std::string out;
  analysis::append_decoded(raw, out);
  return out;
}

// Takes the scanner's entries one after the other.
class Comparison {
 public:
  explicit Comparison(const std::vector<fuzz::ScanEntry>& entries) : entries_(entries) {}

  void expect_elements(const Json& array) {
    for (const Json& element : array) {
      const fuzz::ScanEntry& entry = next(element.is_object() ? Kind::event : Kind::other_element);
      if (element.is_object()) expect_equal(entry.text, element);
    }
  }
  void expect_member(const std::string& name, const Json& value) {
    // A name spelled with escapes does not begin an event array: no writer does that.
    const bool spelled_out = at_ < entries_.size() && entries_[at_].kind == Kind::value &&
                             entries_[at_].key.contains('\\') && decoded(entries_[at_].key) == name;
    if (is_events(name, value) && !spelled_out) return expect_elements(value);
    const fuzz::ScanEntry& entry = next(Kind::value);
    fuzz::require(decoded(entry.key) == name, "the name of a top-level value", entry.key);
    expect_equal(entry.text, value);
  }
  void expect_end() const {
    fuzz::require(at_ == entries_.size(), "nothing more than the JSON holds");
  }

 private:
  const fuzz::ScanEntry& next(Kind kind) {
    fuzz::require(at_ < entries_.size(), "an entry for each part of the JSON");
    const fuzz::ScanEntry& entry = entries_[at_++];
    fuzz::require(entry.kind != Kind::damage, "valid JSON is not damaged", entry.text);
    fuzz::require(entry.kind == kind, "entries in the order of the JSON", entry.text);
    return entry;
  }
  static void expect_equal(const std::string& text, const Json& value) {
    const Json parsed = Json::parse(text, nullptr, false);
    fuzz::require(!parsed.is_discarded() && parsed == value, "the text of the value", text);
  }

  const std::vector<fuzz::ScanEntry>& entries_;
  std::size_t at_ = 0;
};

void check_scan(std::string_view text, const Json& root, const fuzz::ScanRecord& scan) {
  Comparison comparison(scan.entries);
  if (root.is_array()) {
    comparison.expect_elements(root);
  } else {
    for (const auto& [name, value] : root.get_ref<const Json::object_t&>()) {
      comparison.expect_member(name, value);
    }
  }
  comparison.expect_end();
  fuzz::require(scan.complete && !scan.left_open, "valid JSON is complete", text);
  fuzz::require(scan.bare_array == root.is_array(), "the outer form", text);
}

}  // namespace

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size,
                                               std::size_t size_max, unsigned seed) {
  return fuzz::mutate_json_bytes(data, size, size_max, seed);
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (share.all++ == 0) std::atexit(print_share);
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  // nlohmann takes a zero byte for the end of the text.
  if (text.contains('\0')) return 0;
  const Json root = Json::parse(text, nullptr, false);
  if (root.is_discarded() || !is_trace(root)) return 0;
  if (has_list_of_objects(root)) return 0;
  if (depth_of(text) > analysis::JsonWalker::kDepthMax + 1) return 0;
  ++share.valid;
  const fuzz::ScanRecord whole = fuzz::scan_text(text, text.size());
  check_scan(text, root, whole);
  const std::uint64_t hash = fuzz::content_hash(text);
  for (const std::size_t block :
       {std::size_t{1}, fuzz::block_size_from(hash), fuzz::block_size_from(hash >> 20)}) {
    fuzz::use_vector_target(hash >> 48);
    fuzz::require(fuzz::scan_text(text, block) == whole, "blocks of any size give the same", text);
  }
  return 0;
}
