#include "server/compare_command.h"

#include <fmt/format.h>

#include <ostream>
#include <utility>

#include "analysis/analyze.h"
#include "analysis/compare.h"
#include "analysis/compare_facts.h"
#include "analysis/passes/names/kernel_category.h"
#include "analysis/reports/compare/compare_json.h"
#include "analysis/reports/compare/compare_markdown.h"
#include "analysis/reports/text.h"
#include "server/analyze_command.h"
#include "server/compare_inputs.h"

namespace stepscope::server {
namespace {

// A message may quote a server: a terminal must not obey it.
int fail(std::ostream& err, int exit_code, std::string_view message) {
  err << "stepscope: " << analysis::harmless_text(message) << '\n';
  return exit_code;
}

// R14: figures of two versions of the table do not compare. Runs with another version than this
// program's are analysed again; what stands in the way of that comes back as warnings.
std::vector<std::string> settle_table_versions(CompareInput& a, CompareInput& b,
                                               const analysis::AnalyzeOptions& options,
                                               const ClientOptions& client) {
  std::vector<std::string> warnings;
  if (a.side.table_version == b.side.table_version) return warnings;
  const auto classifier = analysis::KernelClassifier::create(options.extra_rules);
  for (CompareInput* input : {&a, &b}) {
    const bool is_ours = classifier && input->side.table_version == classifier->table_version();
    if (is_ours || input->id.empty()) continue;
    const std::string stored = input->side.table_version;
    const auto again = analyze_run_again(*input, options, client);
    warnings.push_back(
        again ? fmt::format("run {} was analysed again from its trace: its figures were made with "
                            "version {} of the category table",
                            input->id, stored)
              : again.error());
  }
  return warnings;
}

// Between two runs the configurations say more than the words of their reports.
void prefer_run_facts(CompareInput& a, CompareInput& b) {
  if (!a.run || !b.run) return;
  for (CompareInput* input : {&a, &b}) {
    if (!input->run) continue;
    analysis::SideFacts facts = input->run->facts;
    const analysis::SideFacts& of_trace = input->side.facts;
    facts.family = analysis::family_of_hardware(facts.hardware);
    if (facts.family.empty()) facts.family = of_trace.family;
    facts.batch_size = of_trace.batch_size;
    facts.world_size = of_trace.world_size;
    input->side.facts = std::move(facts);
  }
}

struct Inputs {
  CompareInput a;
  CompareInput b;
};

std::expected<Inputs, InputFault> read_inputs(const CompareCommand& command,
                                              const analysis::AnalyzeOptions& options) {
  auto a = read_input(command.a, options, command.client);
  if (!a) return std::unexpected(InputFault{a.error().usage, "A: " + a.error().message});
  auto b = read_input(command.b, options, command.client);
  if (!b) return std::unexpected(InputFault{b.error().usage, "B: " + b.error().message});
  return Inputs{*std::move(a), *std::move(b)};
}

}  // namespace

int run_compare(const CompareCommand& command, std::ostream& out, std::ostream& err) {
  analysis::AnalyzeOptions options;
  options.phase = command.phase;
  options.rank = command.rank;
  if (const auto step = choose_step(command.step, options); !step) {
    return fail(err, kExitUsage, step.error());
  }
  auto rules = read_rules(command.rules_file);
  if (!rules) return fail(err, kExitUsage, rules.error());
  options.extra_rules = *std::move(rules);

  auto inputs = read_inputs(command, options);
  if (!inputs) {
    return fail(err, inputs.error().usage ? kExitUsage : kExitInput, inputs.error().message);
  }
  const bool asks_step = command.phase || command.rank || command.step != "median";
  if (asks_step && !inputs->a.is_trace && !inputs->b.is_trace) {
    return fail(err, kExitUsage,
                "--phase, --rank and --step choose among the steps of a trace file; neither A nor "
                "B is one");
  }
  std::vector<std::string> warnings =
      settle_table_versions(inputs->a, inputs->b, options, command.client);
  prefer_run_facts(inputs->a, inputs->b);
  analysis::Comparison comparison =
      analysis::compare(std::move(inputs->a.side), std::move(inputs->b.side));
  comparison.warnings.insert(comparison.warnings.end(), warnings.begin(), warnings.end());
  out << (command.format == "json" ? compare_json(comparison) : compare_markdown(comparison))
      << std::flush;
  return out ? 0 : fail(err, 1, "the comparison could not be written");
}

}  // namespace stepscope::server
