#pragma once
// Reads a report's table back: the text of a column, and the sum of the figures in it as a reader
// would add them up, without the last row.

#include <string>
#include <vector>

#include "analysis/reports/document.h"

namespace stepscope::tests {

inline std::string text_of(const analysis::Line& line) {
  std::string out;
  for (const analysis::Span& span : line.spans) out += span.text;
  return out;
}

inline std::vector<std::string> column(const analysis::Table& table, std::size_t index) {
  std::vector<std::string> out;
  for (const auto& row : table.rows) out.push_back(text_of(row.at(index)));
  return out;
}

// A printed figure in units of its last decimal: "1.250" is 1250, "54.6" is 546, "1 024" is 1024.
inline long long printed(const std::string& text) {
  long long value = 0;
  for (const char c : text) {
    if (c >= '0' && c <= '9') value = (value * 10) + (c - '0');
  }
  return text.starts_with('-') ? -value : value;
}

inline long long printed_sum(const analysis::Table& table, std::size_t index) {
  long long sum = 0;
  for (std::size_t i = 0; i + 1 < table.rows.size(); ++i) {
    sum += printed(text_of(table.rows[i].at(index)));
  }
  return sum;
}

inline std::vector<analysis::Table> tables_of(const analysis::Section& section) {
  std::vector<analysis::Table> out;
  for (const analysis::Block& block : section.blocks) {
    if (const auto* table = std::get_if<analysis::Table>(&block)) out.push_back(*table);
  }
  return out;
}

inline std::string paragraph(const analysis::Section& section, std::size_t block) {
  return text_of(std::get<analysis::Line>(section.blocks.at(block)));
}

}  // namespace stepscope::tests
