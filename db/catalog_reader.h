#pragma once
// Reads the text of a catalog file (JSON, format 1) and names every fault of it by JSON pointer.
// Pure: the file name serves messages and relative trace paths. For the files of this folder only.

#include <expected>
#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "db/builtin_catalog.h"
#include "db/catalog.h"

namespace stepscope::db {

struct CatalogFile {
  std::vector<CatalogEntry> entries;
  Aliases aliases;
  std::map<std::string, std::string, std::less<>> display_names;
};

// `builtin`: entries whose identities are taken. Error: one line a fault, the first 20 of them.
// What may be absent: status (active), model (the prefix), image, recipe (the framework), type
// (fixed), tp and ep (1), dp_attn, multinode, disagg (false), spec (none). Unknown members are
// passed over.
std::expected<CatalogFile, std::string> read_catalog(std::string_view text,
                                                     const std::filesystem::path& file,
                                                     std::span<const CatalogEntry> builtin);

}  // namespace stepscope::db
