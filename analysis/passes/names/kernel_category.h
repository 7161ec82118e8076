#pragma once
// Puts a kernel name into its category and component by the table of category_rules.h and an
// operator's own rules, which come first. RE2 only: linear time on names and rules of any kind.

#include <cstdint>
#include <expected>
#include <memory>
#include <string>
#include <string_view>

#include "analysis/breakdown.h"

namespace stepscope::analysis {

struct KernelCategory {
  std::string category;
  std::string component;
  DeviceClass device_class = DeviceClass::compute;  // comm for comm-*, copy for memcpy and memset
  std::string rule;  // "3: pattern", or "operator 1: pattern", or "-" when none matched
  bool matched = false;
};

// Owns its compiled rules; const calls are safe from several threads.
class KernelClassifier {
 public:
  // `extra_rules`: one rule a line, `pattern<TAB>category<TAB>component<TAB>note` (note may be
  // absent), # comments; "" for none. Error: one line naming the line number and the fault.
  static std::expected<KernelClassifier, std::string> create(std::string_view extra_rules);

  KernelClassifier(KernelClassifier&&) noexcept;
  KernelClassifier& operator=(KernelClassifier&&) noexcept;
  ~KernelClassifier();

  KernelCategory classify(std::string_view name) const;
  // The built-in version, with "+" and a digest of the operator's rules when there are any.
  std::string table_version() const;

 private:
  struct Rules;
  explicit KernelClassifier(std::unique_ptr<Rules> rules);
  std::unique_ptr<Rules> rules_;
};

// Of an attention kernel: it plans tiles or splits and attends to nothing (FlashMLA's and aiter's
// metadata, FlashAttention's varlen preparation). It may run once for all layers, before the first.
bool plans_attention(std::string_view name);

}  // namespace stepscope::analysis
