#include "analysis/passes/names/kernel_category.h"

#include <fmt/format.h>
#include <re2/re2.h>

#include <algorithm>
#include <cassert>
#include <optional>
#include <utility>
#include <vector>

#include "analysis/passes/names/category_rules.h"

namespace stepscope::analysis {
namespace {

constexpr std::size_t rule_file_bytes_max = 262'144;
constexpr std::size_t pattern_bytes_max = 1000;
constexpr std::size_t operator_rules_max = 200;
constexpr std::size_t quoted_bytes_max = 60;  // of a user's word in an error line
// Per pattern: its program and the cache of its automaton. RE2 refuses a larger program and goes
// on without the automaton, still in linear time, when the cache does not do.
constexpr std::int64_t regex_bytes_max = 1 << 20;

// The table itself is the vocabulary: it uses every category and every component.
std::vector<std::string_view> words_of(std::string_view CategoryRule::* column) {
  std::vector<std::string_view> words;
  for (const CategoryRule& rule : category_rules()) {
    if (std::ranges::find(words, rule.*column) == words.end()) words.push_back(rule.*column);
  }
  std::ranges::sort(words);
  return words;
}

DeviceClass device_class_of(std::string_view category) {
  if (category.starts_with("comm-")) return DeviceClass::comm;
  if (category == "memcpy" || category == "memset") return DeviceClass::copy;
  return DeviceClass::compute;
}

re2::StringPiece piece(std::string_view text) { return {text.data(), text.size()}; }

// A user's text inside an error line: short, printable, on one line.
std::string quoted(std::string_view text) {
  std::string out = "\"";
  for (const char c : text.substr(0, quoted_bytes_max)) out += c >= ' ' && c <= '~' ? c : '?';
  out += text.size() > quoted_bytes_max ? "...\"" : "\"";
  return out;
}

std::optional<std::string> unknown_word(std::string_view what, std::string_view word,
                                        std::string_view CategoryRule::* column) {
  const std::vector<std::string_view> words = words_of(column);
  if (std::ranges::binary_search(words, word)) return std::nullopt;
  return fmt::format("unknown {} {}; use one of {}", what, quoted(word), fmt::join(words, ", "));
}

std::unique_ptr<RE2> compile(std::string_view pattern) {
  RE2::Options options;
  options.set_log_errors(false);
  options.set_max_mem(regex_bytes_max);
  options.set_dot_nl(true);  // a name may hold any byte
  return std::make_unique<RE2>(piece(pattern), options);
}

struct CompiledRule {
  std::unique_ptr<RE2> pattern;
  KernelCategory answer;
};

CompiledRule make_rule(std::unique_ptr<RE2> pattern, std::string_view category,
                       std::string_view component, std::string label) {
  KernelCategory answer{.category = std::string{category},
                        .component = std::string{component},
                        .device_class = device_class_of(category),
                        .rule = std::move(label),
                        .matched = true};
  return {.pattern = std::move(pattern), .answer = std::move(answer)};
}

std::string_view take(std::string_view& rest, char end) {
  const std::size_t at = rest.find(end);
  const std::string_view head = rest.substr(0, at);
  rest = at == std::string_view::npos ? std::string_view{} : rest.substr(at + 1);
  return head;
}

// One line `pattern<TAB>category<TAB>component[<TAB>note]`; the error has no line number yet.
std::expected<CompiledRule, std::string> parse_rule(std::string_view line, std::size_t ordinal) {
  if (std::ranges::count(line, '\t') < 2) {
    return std::unexpected("expected pattern, category and component with a tab between");
  }
  const std::string_view pattern = take(line, '\t');
  const std::string_view category = take(line, '\t');
  const std::string_view component = take(line, '\t');
  if (pattern.empty()) return std::unexpected("the pattern is empty");
  if (pattern.size() > pattern_bytes_max) {
    return std::unexpected(fmt::format("the pattern has {} bytes, at most {} are allowed",
                                       pattern.size(), pattern_bytes_max));
  }
  if (auto fault = unknown_word("category", category, &CategoryRule::category)) {
    return std::unexpected(std::move(*fault));
  }
  if (auto fault = unknown_word("component", component, &CategoryRule::component)) {
    return std::unexpected(std::move(*fault));
  }
  std::unique_ptr<RE2> compiled = compile(pattern);
  if (!compiled->ok()) {
    return std::unexpected(
        fmt::format("the pattern is no RE2 regular expression: {}", quoted(compiled->error())));
  }
  return make_rule(std::move(compiled), category, component,
                   fmt::format("operator {}: {}", ordinal, pattern));
}

bool is_blank_or_comment(std::string_view line) {
  const std::size_t first = line.find_first_not_of(" \t");
  return first == std::string_view::npos || line[first] == '#';
}

std::expected<std::vector<CompiledRule>, std::string> parse_rules(std::string_view text) {
  if (text.size() > rule_file_bytes_max) {
    return std::unexpected(fmt::format("the rules have {} bytes, at most {} are read", text.size(),
                                       rule_file_bytes_max));
  }
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
  std::vector<CompiledRule> rules;
  for (std::size_t number = 1; !text.empty(); ++number) {
    std::string_view line = take(text, '\n');
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (is_blank_or_comment(line)) continue;
    if (rules.size() == operator_rules_max) {
      return std::unexpected(
          fmt::format("line {}: more than {} rules; merge patterns", number, operator_rules_max));
    }
    std::expected<CompiledRule, std::string> rule = parse_rule(line, rules.size() + 1);
    if (!rule) return std::unexpected(fmt::format("line {}: {}", number, rule.error()));
    rules.push_back(std::move(*rule));
  }
  return rules;
}

// FNV-1a over what decides; a comment or a note does not change the version.
std::string digest(const std::vector<CompiledRule>& rules) {
  std::uint64_t hash = 14695981039346656037ULL;
  const auto mix = [&hash](std::string_view text) {
    for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211ULL;
    hash = (hash ^ '\t') * 1099511628211ULL;
  };
  for (const CompiledRule& rule : rules) {
    mix(rule.pattern->pattern());
    mix(rule.answer.category);
    mix(rule.answer.component);
  }
  return fmt::format("{:016x}", hash);
}

}  // namespace

struct KernelClassifier::Rules {
  std::vector<CompiledRule> ordered;  // the operator's, then the table's
  std::string version;
};

std::expected<KernelClassifier, std::string> KernelClassifier::create(
    std::string_view extra_rules) {
  auto parsed = parse_rules(extra_rules);
  if (!parsed) return std::unexpected(std::move(parsed.error()));
  auto rules = std::make_unique<Rules>();
  rules->version = category_table_version();
  if (!parsed->empty()) rules->version += "+" + digest(*parsed);
  rules->ordered = std::move(*parsed);
  std::size_t number = 0;
  for (const CategoryRule& rule : category_rules()) {
    std::unique_ptr<RE2> pattern = compile(rule.pattern);
    assert(pattern->ok());
    rules->ordered.push_back(make_rule(std::move(pattern), rule.category, rule.component,
                                       fmt::format("{}: {}", ++number, rule.pattern)));
  }
  return KernelClassifier{std::move(rules)};
}

KernelClassifier::KernelClassifier(std::unique_ptr<Rules> rules) : rules_(std::move(rules)) {}
KernelClassifier::KernelClassifier(KernelClassifier&&) noexcept = default;
KernelClassifier& KernelClassifier::operator=(KernelClassifier&&) noexcept = default;
KernelClassifier::~KernelClassifier() = default;

// One pattern after the other: an RE2::Set over all of them would be one automaton too large for a
// bounded cache, and a name is classified once a trace.
KernelCategory KernelClassifier::classify(std::string_view name) const {
  for (const CompiledRule& rule : rules_->ordered) {
    if (RE2::PartialMatch(piece(name), *rule.pattern)) return rule.answer;
  }
  return {.category = "other",
          .component = "other",
          .device_class = DeviceClass::compute,
          .rule = "-",
          .matched = false};
}

std::string KernelClassifier::table_version() const { return rules_->version; }

bool plans_attention(std::string_view name) {
  // Of the function alone: parameters of attention kernels say metadata too.
  constexpr std::string_view kAnonymous = "(anonymous namespace)::";
  if (const auto at = name.find(kAnonymous); at != std::string_view::npos) {
    name.remove_prefix(at + kAnonymous.size());
  }
  const std::string_view function = name.substr(0, name.find_first_of("<("));
  return function.find("metadata") != std::string_view::npos ||
         function.find("prepare_varlen") != std::string_view::npos;
}

}  // namespace stepscope::analysis
