#include "server/analyze_command.h"

#include <fmt/format.h>

#include <charconv>
#include <cstdint>
#include <fstream>
#include <istream>
#include <ostream>
#include <sstream>
#include <system_error>
#include <utility>

#include "analysis/passes/names/kernel_category.h"
#include "analysis/reading/json/decimal_time.h"
#include "analysis/reports/breakdown_csv.h"
#include "analysis/reports/breakdown_html.h"
#include "analysis/reports/breakdown_json.h"
#include "analysis/reports/breakdown_markdown.h"
#include "workers/trace_digest.h"

namespace stepscope::server {
namespace {

// A terminal has no limit as a comment has; this one only keeps a report finite.
constexpr std::size_t kTerminalBytesMax = 64 << 20;

std::expected<std::string, std::string> render(const analysis::Breakdown& breakdown,
                                               const AnalyzeCommand& command) {
  analysis::ReportContext context;
  context.bytes_max = kTerminalBytesMax;
  if (command.format == "json") return breakdown_json(breakdown, context);
  if (command.format == "html") return breakdown_html(breakdown, context);
  if (command.format == "csv") {
    return breakdown_csv(breakdown, context, command.table.empty() ? "kernels" : command.table);
  }
  return breakdown_markdown(breakdown, context);
}

// One short line that is written over itself, at most once in so many bytes.
class ProgressLine {
 public:
  explicit ProgressLine(std::ostream& err) : err_(err) {}

  void show(std::uint64_t read, std::uint64_t known) {
    constexpr std::uint64_t kMegabyte = 1'000'000;
    constexpr std::uint64_t kStepBytes = 4 * kMegabyte;
    if (read < last_ + kStepBytes && read != known) return;
    last_ = read;
    open_ = true;
    err_ << fmt::format("\r{} of {} MB read", read / kMegabyte, known / kMegabyte) << std::flush;
    if (read == known) end();
  }

  // What is written next, perhaps an error, begins a line of its own.
  void end() {
    if (open_) err_ << '\n' << std::flush;
    open_ = false;
  }

 private:
  std::ostream& err_;
  std::uint64_t last_ = 0;
  bool open_ = false;
};

int fail(std::ostream& err, int exit_code, std::string_view message) {
  err << "stepscope: " << message << '\n';
  return exit_code;
}

}  // namespace

std::expected<void, std::string> choose_step(const std::string& text,
                                             analysis::AnalyzeOptions& options) {
  if (text == "median") return {};
  if (text == "all") {
    options.step = analysis::StepChoice::all;
    return {};
  }
  const auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), options.step_index);
  if (error != std::errc() || end != text.data() + text.size() || options.step_index < 0) {
    return std::unexpected(fmt::format("--step: {:?} is neither median, all nor an index", text));
  }
  options.step = analysis::StepChoice::index;
  return {};
}

std::expected<std::string, std::string> read_rules(const std::filesystem::path& file) {
  if (file.empty()) return "";
  std::error_code unused;
  std::ifstream in(file, std::ios::binary);
  std::stringstream text;
  text << in.rdbuf();
  // A folder opens, and then reads as if it were empty.
  if (!in || std::filesystem::is_directory(file, unused)) {
    return std::unexpected(fmt::format("can not read the rules file {}", file.string()));
  }
  return text.str();
}

int run_analyze(const AnalyzeCommand& command, std::ostream& out, std::ostream& err) {
  if (!command.table.empty() && command.format != "csv") {
    return fail(err, kExitUsage,
                "--table goes with --format csv; the other formats hold all tables");
  }
  analysis::AnalyzeOptions options;
  options.phase = command.phase;
  options.rank = command.rank;
  options.make_digest = workers::make_trace_digest;
  ProgressLine progress(err);
  if (command.progress) {
    options.progress = [&](std::uint64_t read, std::uint64_t known) { progress.show(read, known); };
  }
  if (const auto step = choose_step(command.step, options); !step) {
    return fail(err, kExitUsage, step.error());
  }
  options.concurrency = command.concurrency;
  options.accepted_tokens = command.accepted_tokens;
  if (!command.unprofiled_ms.empty()) {
    constexpr int kNsDigitsOfMs = 6;
    options.unprofiled_ns = analysis::parse_scaled(command.unprofiled_ms, kNsDigitsOfMs);
    if (options.unprofiled_ns.value_or(0) <= 0) {
      return fail(err, kExitUsage,
                  fmt::format("--tpot-ms: {:?} is no time above 0", command.unprofiled_ms));
    }
  }
  auto rules = read_rules(command.rules_file);
  if (!rules) return fail(err, kExitUsage, rules.error());
  options.extra_rules = std::move(*rules);

  const auto breakdown = analysis::analyze(command.files, options);
  progress.end();
  if (!breakdown) {
    const bool usage = breakdown.error().fault == analysis::AnalyzeFault::bad_option;
    return fail(err, usage ? kExitUsage : kExitInput, breakdown.error().message);
  }
  const auto text = render(*breakdown, command);
  if (!text) return fail(err, kExitUsage, text.error());
  out << *text << std::flush;
  return out ? 0 : fail(err, 1, "the report could not be written");
}

int run_classify(const std::filesystem::path& rules_file, std::istream& in, std::ostream& out,
                 std::ostream& err) {
  const auto rules = read_rules(rules_file);
  if (!rules) return fail(err, kExitUsage, rules.error());
  const auto classifier = analysis::KernelClassifier::create(*rules);
  if (!classifier) return fail(err, kExitUsage, classifier.error());
  for (std::string name; std::getline(in, name);) {
    if (name.ends_with('\r')) name.pop_back();
    const analysis::KernelCategory found = classifier->classify(name);
    out << found.category << '\t' << found.component << '\t' << found.rule << '\t' << name << '\n';
  }
  return 0;
}

}  // namespace stepscope::server
