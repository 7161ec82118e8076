#pragma once
// What every catalog holds without a file: the toy-moe entry, the usual spellings of words and the
// names to print. Data only; the operator's file adds to it. For the files of this folder only.

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "db/catalog.h"

namespace stepscope::db {

// Spelling (lower case) -> word; each kept per field: "model", "hardware", "precision",
// "framework".
using Spellings = std::map<std::string, std::string, std::less<>>;
using Aliases = std::map<std::string, Spellings, std::less<>>;

std::vector<CatalogEntry> builtin_entries();
Aliases builtin_aliases();
std::map<std::string, std::string, std::less<>> builtin_display_names();

}  // namespace stepscope::db
