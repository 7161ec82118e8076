#pragma once
// The small pieces of the JSON writers: null for what is absent, arrays from rows. `Json` is the
// value type of nlohmann, which only the .cpp files include.

#include <optional>
#include <string>

namespace stepscope::analysis {

template <typename Json, typename T>
Json or_null(const std::optional<T>& value) {
  return value ? Json(*value) : Json(nullptr);
}

template <typename Json>
Json text_or_null(const std::string& text) {
  return text.empty() ? Json(nullptr) : Json(text);
}

template <typename Json, typename Rows, typename Writer>
Json array_of(const Rows& rows, Writer writer) {
  Json out = Json::array();
  for (const auto& row : rows) out.push_back(writer(row));
  return out;
}

}  // namespace stepscope::analysis
