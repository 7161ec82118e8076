#include "server/request_command.h"

#include <fmt/format.h>

#include <istream>
#include <ostream>
#include <utility>

#include "analysis/passes/names/kernel_category.h"
#include "db/catalog.h"
#include "server/analyze_command.h"
#include "server/config.h"
#include "webhooks/request_json.h"
#include "webhooks/request_reader.h"

namespace stepscope::server {
namespace {

std::expected<db::Catalog, std::string> catalog_of(const std::filesystem::path& file) {
  if (file.empty()) return db::Catalog();
  return db::Catalog::load(file);
}

std::expected<void, std::string> check_rules(const std::filesystem::path& file) {
  const auto text = read_rules(file);
  if (!text) return std::unexpected(text.error());
  const auto classifier = analysis::KernelClassifier::create(*text);
  if (!classifier) return std::unexpected(fmt::format("{}: {}", file.string(), classifier.error()));
  return {};
}

}  // namespace

int run_request(const RequestCommand& command, std::istream& in, std::ostream& out,
                std::ostream& err) {
  const auto catalog = catalog_of(command.catalog_file);
  if (!catalog) {
    err << catalog.error() << '\n';
    return kExitUsage;
  }
  const webhooks::RequestReader reader(*catalog, command.mention);
  int number = 0;
  for (std::string line; std::getline(in, line);) {
    ++number;
    if (line.ends_with('\r')) line.pop_back();
    const auto tab = line.find('\t');
    if (tab == std::string::npos) {
      err << fmt::format("line {}: no tab between context and text\n", number);
      return kExitUsage;
    }
    const auto answer = webhooks::request_line(line.substr(0, tab), line.substr(tab + 1), reader);
    if (!answer) {
      err << fmt::format("line {}: {}\n", number, answer.error());
      return kExitUsage;
    }
    out << *answer << '\n';
  }
  return 0;
}

int run_check_config(const std::filesystem::path& file, std::ostream& out, std::ostream& err) {
  const auto config = load_config(file);
  if (!config) {
    err << config.error() << '\n';
    return kExitUsage;
  }
  const auto catalog = catalog_of(config->catalog_file);
  if (!catalog) err << catalog.error() << '\n';
  const auto rules = check_rules(config->rules_file);
  if (!rules) err << rules.error() << '\n';
  if (!catalog || !rules) return kExitUsage;
  out << fmt::format("{}: good; {} catalog rows, GitHub {}, runner {}\n", file.string(),
                     catalog->entries().size(), config->github.enabled() ? "connected" : "off",
                     config->runner.enabled ? config->runner.name : "off");
  return 0;
}

}  // namespace stepscope::server
