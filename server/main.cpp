// The command line: arguments in, one call per command, exit codes as the contract says.

#include <unistd.h>

#include <CLI/CLI.hpp>
#include <exception>
#include <iostream>
#include <string>

#include "analysis/reports/breakdown_csv.h"
#include "server/analyze_command.h"
#include "server/client_commands.h"
#include "server/compare_command.h"
#include "server/config.h"
#include "server/recipe_command.h"
#include "server/request_command.h"
#include "server/serve.h"

namespace {

namespace server = stepscope::server;

// Which command ran and what it returned; CLI11 calls back while it parses.
struct Outcome {
  int exit_code = 0;
};

void add_daemon_commands(CLI::App& app, std::string& config_file, Outcome& outcome) {
  auto* serve = app.add_subcommand("serve", "run the daemon");
  serve->add_option("--config", config_file, "the TOML file")->required();
  serve->callback([&] {
    const auto config = server::load_config(config_file);
    if (config) {
      outcome.exit_code = server::serve(*config, std::cout, std::cerr);
    } else {
      std::cerr << config.error() << '\n';
      outcome.exit_code = server::kExitUsage;
    }
  });
  auto* check = app.add_subcommand("check-config", "say what is wrong with a configuration");
  check->add_option("--config", config_file, "the TOML file")->required();
  check->callback(
      [&] { outcome.exit_code = server::run_check_config(config_file, std::cout, std::cerr); });
}

void add_analysis_commands(CLI::App& app, server::AnalyzeCommand& analyze, Outcome& outcome) {
  auto* command = app.add_subcommand("analyze", "where the time of a step went, from trace files");
  command->add_option("--format", analyze.format, "markdown, json, html or csv")
      ->check(CLI::IsMember({"markdown", "json", "html", "csv"}));
  command->add_option("--table", analyze.table, "with csv: which table; kernels when not given")
      ->check(CLI::IsMember(stepscope::analysis::csv_table_names()));
  command->add_option("--phase", analyze.phase, "decode or prefill")
      ->check(CLI::IsMember({"decode", "prefill"}));
  command->add_option("--rank", analyze.rank, "the rank to show; default: the lowest");
  command->add_option("--step", analyze.step, "median, all, or an index");
  command->add_option("--concurrency", analyze.concurrency, "show steps of this batch size")
      ->check(CLI::PositiveNumber);
  command->add_option("--tpot-ms", analyze.unprofiled_ms,
                      "time per output token without the profiler, for the cross-check");
  command
      ->add_option("--accepted-tokens", analyze.accepted_tokens,
                   "accepted per step with speculative decoding, for the cross-check")
      ->check(CLI::PositiveNumber);
  command->add_option("--rules", analyze.rules_file, "further kernel categories");
  command->add_option("FILE", analyze.files, "traces: the ranks of one run")->required();
  command->callback([&] {
    analyze.progress = isatty(STDERR_FILENO) != 0;
    outcome.exit_code = server::run_analyze(analyze, std::cout, std::cerr);
  });
  auto* classify =
      app.add_subcommand("classify", "kernel names on stdin, their categories on stdout");
  classify->add_option("--rules", analyze.rules_file, "further kernel categories");
  classify->callback([&] {
    outcome.exit_code = server::run_classify(analyze.rules_file, std::cin, std::cout, std::cerr);
  });
}

void add_request_command(CLI::App& app, server::RequestCommand& request, Outcome& outcome) {
  auto* command = app.add_subcommand(
      "request", "how comments are understood: lines of context<TAB>text, both JSON, on stdin");
  command->add_option("--catalog", request.catalog_file,
                      "the catalog; default: built-in rows only");
  command->add_option("--mention", request.mention, "the name that is mentioned, without @");
  command->callback(
      [&] { outcome.exit_code = server::run_request(request, std::cin, std::cout, std::cerr); });
}

void add_compare_command(CLI::App& app, server::CompareCommand& compare, Outcome& outcome) {
  auto* command = app.add_subcommand(
      "compare", "what changed from A to B: traces, folders of rank files, JSON of analyze, runs");
  command->add_option("--format", compare.format, "markdown or json")
      ->check(CLI::IsMember({"markdown", "json"}));
  command->add_option("--phase", compare.phase, "of traces: decode or prefill")
      ->check(CLI::IsMember({"decode", "prefill"}));
  command->add_option("--rank", compare.rank, "of traces: the rank to compare");
  command->add_option("--step", compare.step, "of traces: median, all, or an index");
  command->add_option("--rules", compare.rules_file, "further kernel categories");
  command->add_option("--server", compare.client.server, "of runs; default: STEPSCOPE_URL");
  command->add_option("--token-file", compare.client.token_file,
                      "of runs; default: STEPSCOPE_TOKEN_FILE");
  command->add_option("A", compare.a, "a file, or the number of a run")->required();
  command->add_option("B", compare.b, "likewise")->required();
  command->callback(
      [&] { outcome.exit_code = server::run_compare(compare, std::cout, std::cerr); });
}

struct ClientArguments {
  server::ClientOptions options;
  server::SubmitCommand submit;
  server::ShowCommand show;
  std::string query;
};

void add_client_commands(CLI::App& app, ClientArguments& arguments, Outcome& outcome) {
  const auto with_server = [&](CLI::App* command) {
    command->add_option("--server", arguments.options.server, "default: STEPSCOPE_URL");
    command->add_option("--token-file", arguments.options.token_file,
                        "default: STEPSCOPE_TOKEN_FILE");
    return command;
  };
  auto* submit = with_server(app.add_subcommand("submit", "queue a run, as a comment would"));
  submit->add_option("TEXT", arguments.submit.text, "the request")->required();
  submit->add_flag("--wait", arguments.submit.wait, "wait for the result and print it");
  submit->callback([&] {
    outcome.exit_code =
        server::run_submit(arguments.options, arguments.submit, std::cout, std::cerr);
  });
  auto* runs = with_server(app.add_subcommand("runs", "the newest runs"));
  runs->add_option("--query", arguments.query, "filters as in GET /api/v1/runs: model=..&state=..");
  runs->callback([&] {
    outcome.exit_code = server::run_runs(arguments.options, arguments.query, std::cout, std::cerr);
  });
  auto* show = with_server(app.add_subcommand("show", "the report of a run"));
  show->add_option("ID", arguments.show.id, "the run")->required();
  show->add_option("--format", arguments.show.format, "markdown, json, html, or run")
      ->check(CLI::IsMember({"markdown", "json", "html", "run"}));
  show->callback([&] {
    outcome.exit_code = server::run_show(arguments.options, arguments.show, std::cout, std::cerr);
  });
  auto* health = with_server(app.add_subcommand("health", "whether the daemon is ready"));
  health->callback(
      [&] { outcome.exit_code = server::run_health(arguments.options, std::cout, std::cerr); });
}

void add_recipe_commands(CLI::App& app, server::RecipeCommand& recipe, Outcome& outcome) {
  auto* command = app.add_subcommand("recipe", "the built-in recipes, as a runner calls them");
  command->require_subcommand(1);
  auto* toy = command->add_subcommand("toy-moe", "a small MoE decoder on this machine's CPU");
  toy->add_option("--out", recipe.folder, "folder for the trace")->required();
  toy->add_option("--conc", recipe.conc, "sequences");
  toy->add_option("--isl", recipe.isl, "prompt tokens");
  toy->add_option("--steps", recipe.steps, "decode steps");
  toy->callback([&] { outcome.exit_code = server::run_toy_recipe(recipe, std::cerr); });
  auto* replay = command->add_subcommand("replay", "a trace that was recorded earlier");
  replay->add_option("--out", recipe.folder, "folder for the trace")->required();
  replay->add_option("--source", recipe.source, "file or URL")->required();
  replay->callback([&] { outcome.exit_code = server::run_replay_recipe(recipe, std::cerr); });
}

int run(int argc, char** argv) {
  CLI::App app("stepscope: where the time of an LLM-inference step went");
  app.set_version_flag("--version", STEPSCOPE_VERSION);
  app.require_subcommand(1);
  Outcome outcome;
  std::string config_file;
  server::AnalyzeCommand analyze;
  server::CompareCommand compare;
  server::RequestCommand request;
  ClientArguments client;
  server::RecipeCommand recipe;
  add_daemon_commands(app, config_file, outcome);
  add_analysis_commands(app, analyze, outcome);
  add_compare_command(app, compare, outcome);
  add_request_command(app, request, outcome);
  add_client_commands(app, client, outcome);
  add_recipe_commands(app, recipe, outcome);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : server::kExitUsage;
  }
  return outcome.exit_code;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (const std::exception& error) {
    std::cerr << "stepscope: " << error.what() << '\n';
    return 1;
  }
}
