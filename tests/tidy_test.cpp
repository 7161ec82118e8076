// What a machine can hold of the house rules: the include table, lengths, the header sentence, the
// coroutine rule, a test file per source file. Each check names file and line of what breaks it.

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace fs = std::filesystem;

namespace {

constexpr std::size_t kLineMax = 100;
constexpr std::size_t kFileMax = 400;
constexpr std::size_t kFunctionMax = 70;

const fs::path kRoot = STEPSCOPE_SOURCE_DIR;
const std::array<std::string, 6> kFolders{"analysis", "runtime",  "db",
                                          "workers",  "webhooks", "server"};

struct SourceFile {
  std::string path;  // from the repository root
  std::vector<std::string> lines;

  bool is_header() const { return path.ends_with(".h"); }
  std::string folder() const { return path.substr(0, path.find('/')); }
};

std::vector<std::string> read_lines(const fs::path& file) {
  std::ifstream in(file);
  std::vector<std::string> lines;
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

std::vector<SourceFile> files_below(const std::string& folder) {
  std::vector<SourceFile> files;
  for (const auto& entry : fs::recursive_directory_iterator(kRoot / folder)) {
    const std::string path = fs::relative(entry.path(), kRoot).string();
    if (path.find("node_modules") != std::string::npos) continue;
    if (!path.ends_with(".h") && !path.ends_with(".cpp")) continue;
    files.push_back({path, read_lines(entry.path())});
  }
  std::ranges::sort(files, {}, &SourceFile::path);
  return files;
}

std::vector<SourceFile> product_files() {
  std::vector<SourceFile> files;
  for (const std::string& folder : kFolders) {
    for (SourceFile& file : files_below(folder)) files.push_back(std::move(file));
  }
  return files;
}

std::string at(const SourceFile& file, std::size_t line) {
  return file.path + ":" + std::to_string(line + 1);
}

std::size_t columns(std::string_view line) {  // code points, as clang-format counts them
  return static_cast<std::size_t>(
      std::ranges::count_if(line, [](unsigned char c) { return (c & 0xC0U) != 0x80U; }));
}

// Which of our folders, and which libraries, a folder may include.
const std::map<std::string, std::set<std::string>> kMayInclude{
    {"analysis", {"analysis"}},
    {"runtime", {"runtime"}},
    {"db", {"db", "analysis"}},
    {"workers", {"workers", "db", "analysis", "runtime"}},
    {"webhooks", {"webhooks", "db", "analysis", "runtime"}},
    {"server", {"server", "workers", "webhooks", "db", "analysis", "runtime"}},
};

struct Library {
  std::string_view name;
  std::regex include;
  std::set<std::string> folders;
  bool in_headers = false;
};

const std::vector<Library>& libraries() {
  static const std::vector<Library> list{
      {"Beast", std::regex("^boost/beast"), {"runtime"}},
      {"Asio", std::regex("^boost/asio"), {"runtime", "workers", "webhooks", "server"}, true},
      {"OpenSSL", std::regex("^openssl/"), {"runtime"}},
      {"libcurl", std::regex("^curl/"), {"runtime"}},
      {"spdlog", std::regex("^spdlog/"), {"runtime"}},
      {"SQLite", std::regex("^sqlite3\\.h"), {"analysis", "db"}},
      {"libzip", std::regex("^zip\\.h"), {"analysis"}},
      {"Highway", std::regex("^hwy/"), {"analysis"}},
      {"RE2", std::regex("^re2/"), {"analysis"}},
      {"ISA-L", std::regex("^(isa-l|igzip)"), {"analysis"}},
      {"nlohmann",
       std::regex("^nlohmann/json\\.hpp"),
       {"analysis", "db", "workers", "webhooks", "server"}},
      {"toml++", std::regex("^toml"), {"server"}},
      {"CLI11", std::regex("^CLI/"), {"server"}},
  };
  return list;
}

}  // namespace

TEST_CASE("arrows between folders point down, and libraries stay where they belong") {
  const std::regex include(R"(^\s*#include\s+["<]([^">]+)[">])");
  for (const SourceFile& file : product_files()) {
    for (std::size_t i = 0; i < file.lines.size(); ++i) {
      std::smatch match;
      if (!std::regex_search(file.lines[i], match, include)) continue;
      const std::string target = match[1];
      const std::string top = target.substr(0, target.find('/'));
      INFO(at(file, i) << ": " << target);
      if (kMayInclude.contains(top)) CHECK(kMayInclude.at(file.folder()).contains(top));
      for (const Library& library : libraries()) {
        if (!std::regex_search(target, library.include)) continue;
        CHECK(library.folders.contains(file.folder()));
        if (!library.in_headers) CHECK_FALSE(file.is_header());
      }
    }
  }
}

TEST_CASE("Beast is included by one file") {
  for (const SourceFile& file : product_files()) {
    if (file.path == "runtime/http_server.cpp") continue;
    for (std::size_t i = 0; i < file.lines.size(); ++i) {
      INFO(at(file, i));
      CHECK_FALSE(file.lines[i].starts_with("#include <boost/beast"));
    }
  }
}

TEST_CASE("files and lines have a length that can be read") {
  // Tables of data, one entry a line or two, read from top to bottom by nobody.
  const std::set<std::string> tables{"analysis/passes/names/category_rules.cpp"};
  auto files = product_files();
  for (SourceFile& file : files_below("tests")) files.push_back(std::move(file));
  for (const SourceFile& file : files) {
    INFO(file.path << " has " << file.lines.size() << " lines");
    const bool is_test = file.path.starts_with("tests/");
    if (!tables.contains(file.path) && !is_test) CHECK(file.lines.size() <= kFileMax);
    for (std::size_t i = 0; i < file.lines.size(); ++i) {
      INFO(at(file, i));
      if (!tables.contains(file.path)) CHECK(columns(file.lines[i]) <= kLineMax);
    }
  }
}

TEST_CASE("a function fits on a screen") {
  // In this format the body of a function outside a class opens with a line that starts at column 0
  // or belongs to one, and closes with a brace at column 0.
  const std::regex no_function(
      R"(^(namespace|struct|class|enum|union|extern|inline constexpr|constexpr|const|\}).*)");
  for (const SourceFile& file : product_files()) {
    std::size_t start = 0;
    bool inside = false;
    for (std::size_t i = 0; i < file.lines.size(); ++i) {
      const std::string& line = file.lines[i];
      if (line.empty() || line.starts_with("//") || line.starts_with('#')) continue;
      const bool at_margin = line.front() != ' ' && line.front() != '}';
      if (at_margin && !inside) start = i;
      if (!inside && line.ends_with('{') && !std::regex_match(file.lines[start], no_function)) {
        inside = true;
      }
      if (inside && line.starts_with('}')) {
        INFO(at(file, start) << " has " << i - start + 1 << " lines");
        CHECK(i - start + 1 <= kFunctionMax);
        inside = false;
      }
    }
  }
}

TEST_CASE("every header opens with what it is for") {
  for (const SourceFile& file : product_files()) {
    if (!file.is_header()) continue;
    INFO(file.path);
    REQUIRE(file.lines.size() > 2);
    CHECK(file.lines[0] == "#pragma once");
    CHECK(file.lines[1].starts_with("// "));
    CHECK(file.lines[1].size() > 20);
  }
}

TEST_CASE("operands of co_await are names or plain calls on names") {
  const std::vector<std::regex> forbidden{
      std::regex(R"(co_await [^;]*[\{\[])"),  // an aggregate or a lambda
      std::regex(R"(auto&* \[[^\]]*\] = co_await)"),
      std::regex(R"(\?[^:;]*co_await|(&&|\|\|)[^;]*co_await|co_await[^;]*(&&|\|\|))"),
  };
  for (const SourceFile& file : product_files()) {
    for (std::size_t i = 0; i < file.lines.size(); ++i) {
      const std::string& line = file.lines[i];
      if (line.find("co_await") == std::string::npos) continue;
      if (line.find("//") < line.find("co_await")) continue;
      INFO(at(file, i) << ": " << line);
      for (const std::regex& rule : forbidden) CHECK_FALSE(std::regex_search(line, rule));
    }
  }
}

TEST_CASE("every source file has its test file") {
  const std::set<std::string> without{
      "server/main.cpp",  // argument parsing: tests/service drives the real binary
  };
  for (const SourceFile& file : product_files()) {
    if (file.is_header() || without.contains(file.path)) continue;
    const std::string test =
        "tests/" + file.path.substr(0, file.path.size() - std::string(".cpp").size()) + "_test.cpp";
    INFO(file.path << " wants " << test);
    CHECK(fs::exists(kRoot / test));
  }
}
