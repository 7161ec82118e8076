#include "db/catalog.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <iterator>
#include <system_error>
#include <utility>

#include "db/builtin_catalog.h"
#include "db/catalog_reader.h"

namespace stepscope::db {
namespace {

constexpr std::uintmax_t kFileBytesMax = 16ULL << 20;

std::expected<std::string, std::string> read_file(const std::filesystem::path& file) {
  std::error_code error;
  const std::uintmax_t size = std::filesystem::file_size(file, error);
  if (error) {
    return std::unexpected(fmt::format("{}: cannot be read: {}", file.string(), error.message()));
  }
  if (size > kFileBytesMax) {
    return std::unexpected(
        fmt::format("{}: has {} bytes, at most {} are read", file.string(), size, kFileBytesMax));
  }
  std::ifstream stream(file, std::ios::binary);
  std::string text{std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
  if (stream.bad() || !stream.is_open()) {
    return std::unexpected(
        fmt::format("{}: cannot be read: {}", file.string(), std::strerror(errno)));
  }
  return text;
}

std::string_view word_of(const CatalogEntry& entry, std::string_view field) {
  if (field == "model") return entry.model;
  if (field == "hardware") return entry.hardware;
  if (field == "precision") return entry.precision;
  return entry.framework;
}

}  // namespace

Catalog::Catalog()
    : entries_(builtin_entries()),
      aliases_(builtin_aliases()),
      display_names_(builtin_display_names()) {}

std::expected<Catalog, std::string> Catalog::load(const std::filesystem::path& file) {
  const std::expected<std::string, std::string> text = read_file(file);
  if (!text) return std::unexpected(text.error());
  Catalog catalog;
  std::expected<CatalogFile, std::string> read = read_catalog(*text, file, catalog.entries_);
  if (!read) return std::unexpected(read.error());
  std::ranges::move(read->entries, std::back_inserter(catalog.entries_));
  for (auto& [field, spellings] : catalog.aliases_) {
    // A word of the file means itself, whatever it stands for elsewhere.
    for (const CatalogEntry& entry : catalog.entries_) {
      const auto found = spellings.find(word_of(entry, field));
      if (found != spellings.end()) spellings.erase(found);
    }
  }
  for (const auto& [field, spellings] : read->aliases) {
    for (const auto& [spelling, word] : spellings) catalog.aliases_[field][spelling] = word;
  }
  for (const auto& [model, name] : read->display_names) catalog.display_names_[model] = name;
  return catalog;
}

const std::map<std::string, std::string, std::less<>>& Catalog::aliases(
    std::string_view field) const {
  static const std::map<std::string, std::string, std::less<>> none;
  const auto found = aliases_.find(field);
  return found == aliases_.end() ? none : found->second;
}

std::string Catalog::display_name(std::string_view model) const {
  const auto found = display_names_.find(model);
  return found == display_names_.end() ? std::string(model) : found->second;
}

}  // namespace stepscope::db
