#pragma once
// The configurations that can be asked for: the operator's catalog file (JSON, format 1) plus the
// built-in entries (toy-moe). Data, never code: identity is (key, status, isl, osl), and every word
// of a request is looked up here. Immutable once loaded; safe to share between threads.

#include <expected>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace stepscope::db {

// One row of a search space: a parallelism with the concurrencies it is listed for.
struct OperatingPoint {
  int tp = 1;
  int ep = 1;
  bool dp_attn = false;
  std::vector<int> conc;
  std::string spec = "none";
};

struct Scenario {
  bool fixed_lengths = true;  // type "fixed"; others (agentic) can not be profiled
  int isl = 0;
  int osl = 0;
  std::vector<OperatingPoint> points;
};

struct CatalogEntry {
  std::string key;
  std::string status;  // active or retired
  std::string model;   // model_prefix: the word
  std::string model_name;
  std::string hardware;
  std::string precision;
  std::string framework;
  std::string image;
  std::string recipe;        // default: the framework's name
  std::string trace_source;  // replay only
  bool multinode = false;
  std::vector<Scenario> scenarios;
};

class Catalog {
 public:
  // The built-in entries only.
  Catalog();
  // Built-in entries and the file's. Error: file, JSON pointer of the fault, what is wrong.
  static std::expected<Catalog, std::string> load(const std::filesystem::path& file);

  const std::vector<CatalogEntry>& entries() const { return entries_; }
  // Further spellings: word as written (lower case) -> word of the catalog, per field ("model",
  // "hardware", "precision", "framework").
  const std::map<std::string, std::string, std::less<>>& aliases(std::string_view field) const;
  // Name to print: "DeepSeek-R1" for dsr1; the word itself when none is given.
  std::string display_name(std::string_view model) const;

 private:
  std::vector<CatalogEntry> entries_;
  std::map<std::string, std::map<std::string, std::string, std::less<>>, std::less<>> aliases_;
  std::map<std::string, std::string, std::less<>> display_names_;
};

}  // namespace stepscope::db
