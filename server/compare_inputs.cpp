#include "server/compare_inputs.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>
#include <system_error>
#include <utility>
#include <vector>

#include "analysis/compare_side.h"
#include "analysis/reports/breakdown_reader.h"
#include "analysis/reports/report_context.h"

namespace stepscope::server {
namespace {

namespace fs = std::filesystem;
using analysis::AnalyzeFault;
using analysis::AnalyzeOptions;
using nlohmann::json;

constexpr std::size_t kSchemaWithin = 16 << 20;  // our own output has its schema in the first lines

std::unexpected<InputFault> fault(std::string message, bool usage = false) {
  return std::unexpected(InputFault{usage, std::move(message)});
}

bool is_run_id(const std::string& what) {
  return !what.empty() && what.size() < 19 &&
         std::ranges::all_of(what, [](char c) { return c >= '0' && c <= '9'; });
}

std::string bytes_of(const fs::path& file, std::size_t bytes_max) {
  std::ifstream in(file, std::ios::binary);
  std::string text(bytes_max, '\0');
  in.read(text.data(), static_cast<std::streamsize>(bytes_max));
  text.resize(static_cast<std::size_t>(std::max<std::streamsize>(in.gcount(), 0)));
  return text;
}

// The ranks of one run; hidden files are none.
std::vector<fs::path> files_in(const fs::path& folder) {
  std::vector<fs::path> files;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder, error)) {
    std::error_code unused;
    const bool hidden = entry.path().filename().string().starts_with('.');
    if (!hidden && entry.is_regular_file(unused)) files.push_back(entry.path());
  }
  std::ranges::sort(files);
  return files;
}

std::expected<analysis::CompareSide, InputFault> side_of(const analysis::Breakdown& breakdown,
                                                         const analysis::ReportContext& context,
                                                         const std::string& what) {
  auto side = analysis::compare_side(breakdown, context);
  if (!side) return fault(fmt::format("{}: {}", what, side.error()));
  return *std::move(side);
}

// All steps give each row its range; where they are too many, the median alone has to do.
std::expected<analysis::CompareSide, InputFault> analyze_side(const std::vector<fs::path>& files,
                                                              AnalyzeOptions options,
                                                              const std::string& what) {
  if (options.step == analysis::StepChoice::median) options.step = analysis::StepChoice::all;
  auto breakdown = analysis::analyze(files, options);
  if (!breakdown && breakdown.error().fault == AnalyzeFault::limit &&
      options.step == analysis::StepChoice::all) {
    options.step = analysis::StepChoice::median;
    breakdown = analysis::analyze(files, options);
  }
  if (!breakdown) {
    const bool usage = breakdown.error().fault == AnalyzeFault::bad_option;
    return fault(fmt::format("{}: {}", what, breakdown.error().message), usage);
  }
  return side_of(*breakdown, {}, what);
}

std::expected<CompareInput, InputFault> read_json(const std::string& text,
                                                  const std::string& what) {
  const auto stored = analysis::read_breakdown_json(text);
  if (!stored) return fault(fmt::format("{}: {}", what, stored.error()));
  auto side = side_of(stored->breakdown, stored->context, what);
  if (!side) return std::unexpected(std::move(side.error()));
  return CompareInput{*std::move(side), false, "", {}};
}

std::string text_at(const json& object, const char* key) {
  const auto found = object.is_object() ? object.find(key) : object.end();
  return object.is_object() && found != object.end() && found->is_string()
             ? found->get<std::string>()
             : "";
}

std::int64_t number_at(const json& object, const char* key) {
  const auto found = object.is_object() ? object.find(key) : object.end();
  return object.is_object() && found != object.end() && found->is_number_integer()
             ? found->get<std::int64_t>()
             : 0;
}

RunFacts facts_of(const json& run) {
  RunFacts out;
  const json config = run.is_object() ? run.value("config", json()) : json();
  const json trace = run.is_object() ? run.value("trace", json()) : json();
  analysis::SideFacts& facts = out.facts;
  facts.framework = text_at(config, "framework");
  facts.hardware = text_at(config, "hardware");
  facts.image = text_at(config, "image");
  facts.model = text_at(config, "model");
  if (const std::string precision = text_at(config, "precision"); !precision.empty()) {
    facts.model += " " + precision;
  }
  if (number_at(config, "isl") > 0) {
    facts.lengths = fmt::format("{}/{}", number_at(config, "isl"), number_at(config, "osl"));
  }
  if (number_at(config, "tp") > 0) {
    const bool dp = config.contains("dp_attn") && config["dp_attn"] == true;
    facts.parallelism = fmt::format("TP{} EP{}{}", number_at(config, "tp"), number_at(config, "ep"),
                                    dp ? " DP attention" : "");
  }
  if (number_at(config, "conc") > 0) facts.concurrency = std::to_string(number_at(config, "conc"));
  const bool kept = trace.is_object() && trace.contains("kept") && trace["kept"] == true;
  if (kept) out.trace_name = fs::path(text_at(trace, "name")).filename().string();
  return out;
}

std::expected<CompareInput, InputFault> read_run(const std::string& id,
                                                 const ClientOptions& client) {
  const std::string what = "run " + id;
  const auto run = fetch(client, "/api/v1/runs/" + id);
  if (!run) return fault(fmt::format("{}: {}", what, run.error().message), run.error().usage);
  const auto text = fetch(client, fmt::format("/api/v1/runs/{}/breakdown?format=json", id));
  if (!text) return fault(fmt::format("{}: {}", what, text.error().message), text.error().usage);
  auto input = read_json(*text, what);
  if (!input) return input;
  input->id = id;
  input->run = facts_of(json::parse(*run, nullptr, false));
  return input;
}

// A folder of its own that goes with all that is in it.
class Folder {
 public:
  Folder() {
    std::error_code error;
    std::string name = (fs::temp_directory_path(error) / "stepscope-again-XXXXXX").string();
    if (!error && ::mkdtemp(name.data()) != nullptr) path_ = name;
  }
  ~Folder() {
    std::error_code unused;
    if (!path_.empty()) fs::remove_all(path_, unused);
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  const fs::path& path() const { return path_; }  // empty: it could not be made

 private:
  fs::path path_;
};

}  // namespace

std::expected<CompareInput, InputFault> read_input(const std::string& what,
                                                   const AnalyzeOptions& options,
                                                   const ClientOptions& client) {
  if (is_run_id(what)) return read_run(what, client);
  const fs::path path(what);
  std::error_code unused;
  std::vector<fs::path> files = {path};
  if (fs::is_directory(path, unused)) {
    files = files_in(path);
    if (files.empty()) return fault(fmt::format("{}: the folder holds no file", what));
  } else if (analysis::is_breakdown_json(bytes_of(path, kSchemaWithin))) {
    std::ifstream in(path, std::ios::binary);
    return read_json({std::istreambuf_iterator<char>(in), {}}, what);
  }
  auto side = analyze_side(files, options, what);
  if (!side) return std::unexpected(std::move(side.error()));
  return CompareInput{*std::move(side), true, "", {}};
}

std::expected<void, std::string> analyze_run_again(CompareInput& run, AnalyzeOptions options,
                                                   const ClientOptions& client) {
  if (!run.run || run.run->trace_name.empty()) {
    return std::unexpected(fmt::format("run {}: its trace is not kept", run.id));
  }
  const auto bytes = fetch(client, fmt::format("/api/v1/runs/{}/trace", run.id));
  if (!bytes) return std::unexpected(fmt::format("run {}: {}", run.id, bytes.error().message));
  const Folder folder;
  const fs::path file = folder.path() / run.run->trace_name;  // its name can tell the phase
  std::ofstream out(file, std::ios::binary);
  out << *bytes << std::flush;
  if (folder.path().empty() || !out) {
    return std::unexpected(fmt::format("run {}: no room for its trace on this machine", run.id));
  }
  if (run.side.phase != "unknown") options.phase = run.side.phase;
  if (run.side.facts.batch_size && *run.side.facts.batch_size < (1 << 30)) {
    options.concurrency = static_cast<int>(*run.side.facts.batch_size);
  }
  auto side = analyze_side({file}, options, "run " + run.id);
  if (!side) return std::unexpected(std::move(side.error().message));
  side->title = run.side.title;
  side->facts = run.side.facts;
  run.side = *std::move(side);
  return {};
}

}  // namespace stepscope::server
