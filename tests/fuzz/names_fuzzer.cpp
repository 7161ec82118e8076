// Names of kernels as files hold them: decoding gives valid UTF-8, and what JSON says where the
// text is JSON; every name has a category out of the table's vocabulary.

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "analysis/passes/names/category_rules.h"
#include "analysis/passes/names/kernel_category.h"
#include "analysis/reading/json/json_text.h"
#include "tests/fuzz/require.h"

namespace {

using namespace stepscope;

bool is_utf8(const std::string& text) {
  try {
    return !nlohmann::json(text).dump().empty();
  } catch (const nlohmann::json::type_error&) {
    return false;
  }
}

bool in_vocabulary(const analysis::KernelCategory& found) {
  if (!found.matched) return found.category == "other" && found.component == "other";
  return std::ranges::any_of(analysis::category_rules(), [&](const analysis::CategoryRule& rule) {
    return rule.category == found.category && rule.component == found.component;
  });
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const auto classifier = analysis::KernelClassifier::create("");
  const std::string_view raw(reinterpret_cast<const char*>(data), size);
  std::string decoded;
  analysis::append_decoded(raw, decoded);
  fuzz::require(is_utf8(decoded), "decoded text is UTF-8", raw);
  // nlohmann takes a zero byte for the end of the text.
  const auto json = nlohmann::json::parse("\"" + std::string(raw) + "\"", nullptr, false);
  if (json.is_string() && !raw.contains('\0'))
    fuzz::require(json == decoded, "decoded as JSON is", raw);
  for (const std::string_view name : {raw, std::string_view(decoded)}) {
    const analysis::KernelCategory found = classifier->classify(name);
    fuzz::require(in_vocabulary(found), "a category of the table", found.category);
    analysis::plans_attention(name);
  }
  return 0;
}
