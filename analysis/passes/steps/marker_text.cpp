#include "analysis/passes/steps/marker_text.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

namespace stepscope::analysis {
namespace {

constexpr std::string_view kDigits = "0123456789";
constexpr std::string_view kForwardStep = "[Executor] _forward_step";
// Far above any batch or length; keeps sums exact.
constexpr std::int64_t kMost = 1'000'000'000'000;

std::string_view leading_digits(std::string_view text) {
  return text.substr(0, std::min(text.find_first_not_of(kDigits), text.size()));
}

// Absent when there is no digit or the number does not fit.
std::optional<std::int64_t> leading_number(std::string_view text) {
  const std::string_view digits = leading_digits(text);
  std::int64_t value = 0;
  const auto [end, fault] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (digits.empty() || fault != std::errc()) return {};
  return value;
}

// The number after `key` where that begins a word: " bs=4".
std::optional<std::int64_t> field(std::string_view text, std::string_view key) {
  for (std::size_t at = text.find(key); at != std::string_view::npos; at = text.find(key, at + 1)) {
    const bool begins = at > 0 && (text[at - 1] == ' ' || text[at - 1] == '[');
    if (begins) return leading_number(text.substr(at + key.size()));
  }
  return {};
}

std::string sglang_phase(std::string_view mode) {
  static constexpr std::array<std::pair<std::string_view, std::string_view>, 10> kPhases = {{
      {"DECODE", "decode"},
      {"EXTEND", "prefill"},
      {"PREFILL", "prefill"},
      {"SPLIT_PREFILL", "prefill"},
      {"MIXED", "mixed"},
      {"TARGET_VERIFY", "verify"},
      {"DRAFT", "draft"},
      {"DRAFT_EXTEND", "draft"},
      {"DRAFT_EXTEND_V2", "draft"},
      {"IDLE", "idle"},
  }};
  for (const auto& [word, phase] : kPhases) {
    if (word == mode) return std::string(phase);
  }
  std::string phase(mode);
  std::transform(phase.begin(), phase.end(), phase.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  return phase;
}

std::optional<std::int64_t> sum_of(std::optional<std::int64_t> a, std::optional<std::int64_t> b) {
  if (!a || !b) return a ? a : b;
  if (*a > kMost || *b > kMost) return {};
  return *a + *b;
}

// "ctx=[7803, 6918]"; nothing for a list that was shortened: "ctx=[4096, 4096]...+3".
std::optional<std::int64_t> listed(std::string_view text) {
  constexpr std::string_view kKey = "ctx=[";
  const std::size_t at = text.find(kKey);
  if (at == std::string_view::npos) return {};
  std::string_view rest = text.substr(at + kKey.size());
  std::optional<std::int64_t> sum;
  while (true) {
    const auto number = leading_number(rest);
    if (!number) return {};
    sum = sum_of(sum, number);
    rest.remove_prefix(leading_digits(rest).size());
    if (!sum || !rest.starts_with(", ")) break;
    rest.remove_prefix(2);
  }
  return rest.starts_with("]") && !rest.starts_with("]...") ? sum : std::nullopt;
}

// SGLang writes c_ for context and g_ for generation, ATOM one sum or the lengths of its requests.
std::optional<std::int64_t> bracket_kv_tokens(std::string_view name) {
  if (const auto kv = sum_of(field(name, "c_sk="), field(name, "g_sk="))) return kv;
  if (const auto kv = field(name, "sk=")) return kv;
  return listed(name);
}

std::string bracket_phase(std::string_view name) {
  if (is_step_span(name)) {
    const std::string_view rest = name.substr(name.find('[') + 1);
    constexpr std::string_view kMode = "ABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789";
    return sglang_phase(rest.substr(0, std::min(rest.find_first_not_of(kMode), rest.size())));
  }
  for (const std::string_view word : {"decode", "prefill", "mixed"}) {
    if (name.starts_with(word) && name.substr(word.size()).starts_with('[')) {
      return std::string(word);
    }
  }
  return {};
}

// "context_3(" at or after `from`: the number, and where the text after the parenthesis begins.
struct Group {
  std::int64_t requests = 0;
  std::size_t inside = 0;
};

std::optional<Group> group_at(std::string_view name, std::size_t at, std::string_view word) {
  const std::string_view rest = name.substr(at + word.size());
  const std::string_view digits = leading_digits(rest);
  const auto requests = leading_number(rest);
  if (!requests || !rest.substr(digits.size()).starts_with('(')) return {};
  return Group{*requests, at + word.size() + digits.size() + 1};
}

std::optional<Group> first_group(std::string_view name, std::string_view word) {
  for (std::size_t at = name.find(word); at != std::string_view::npos;
       at = name.find(word, at + 1)) {
    if (const auto group = group_at(name, at, word)) return group;
  }
  return {};
}

// "(888_7885)" or "(sq888sk900..)": tokens of the group
std::optional<std::int64_t> tokens_inside(std::string_view name, const Group& group) {
  std::string_view rest = name.substr(group.inside);
  if (rest.starts_with("sq")) rest.remove_prefix(2);
  return leading_number(rest);
}

// The sk of "(sq8155sk8430sqsq..)".
std::optional<std::int64_t> kv_inside(std::string_view name, const Group& group) {
  std::string_view rest = name.substr(group.inside);
  if (!rest.starts_with("sq")) return {};
  rest.remove_prefix(2);
  rest.remove_prefix(leading_digits(rest).size());
  return rest.starts_with("sk") ? leading_number(rest.substr(2)) : std::nullopt;
}

MarkerText of_requests(std::int64_t context, std::int64_t generation) {
  MarkerText text{.form = MarkerForm::context, .phase = "idle"};
  const bool prefills = context > 0;
  const bool decodes = generation > 0;
  if (prefills || decodes) text.phase = !decodes ? "prefill" : prefills ? "mixed" : "decode";
  if (context <= kMost && generation <= kMost) text.batch_size = context + generation;
  return text;
}

std::optional<MarkerText> read_context(std::string_view name) {
  const auto context = first_group(name, "context_");
  if (!context) return {};
  const auto generation = first_group(name.substr(context->inside), "generation_");
  if (!generation) return {};
  MarkerText text = of_requests(context->requests, generation->requests);
  if (!text.batch_size) return text;
  const std::string_view behind = name.substr(context->inside);
  const auto context_kv = kv_inside(name, *context);
  const auto generation_kv = kv_inside(behind, *generation);
  if (context_kv && generation_kv) text.kv_tokens = sum_of(context_kv, generation_kv);

  if (name.starts_with("execute_")) text.tokens = leading_number(name.substr(8));
  if (text.tokens) return text;
  const auto first = tokens_inside(name, *context);
  const auto second = tokens_inside(behind, *generation);
  if (first && second) text.tokens = sum_of(first, second);
  return text;
}

// The number before `words`: "2 ctx reqs".
std::optional<std::int64_t> counted(std::string_view text, std::string_view words) {
  const std::size_t end = text.find(words);
  if (end == std::string_view::npos) return {};
  text = text.substr(0, end);
  const std::size_t before = text.find_last_not_of(kDigits);
  return leading_number(before == std::string_view::npos ? text : text.substr(before + 1));
}

// "[Executor] _forward_step 7: 1 ctx reqs, 900 ctx tokens, 3 gen reqs"; the number of the step and
// the tokens are not always there.
std::optional<MarkerText> read_forward_step(std::string_view name) {
  const std::size_t colon = name.find(':');
  if (!name.starts_with(kForwardStep) || colon == std::string_view::npos) return {};
  const std::string_view counts = name.substr(colon + 1);
  const auto context = counted(counts, " ctx reqs");
  const auto generation = counted(counts, " gen reqs");
  if (!context || !generation) return {};
  MarkerText text = of_requests(*context, *generation);
  // The tokens of generation, which may be drafts too, are not said.
  if (*context > 0 && *generation == 0) text.tokens = counted(counts, " ctx tokens");
  return text;
}

}  // namespace

bool is_step_span(std::string_view name) { return name.starts_with("step["); }

bool is_engine_marker(std::string_view name) {
  for (const std::string_view start :
       {std::string_view("step["), std::string_view("decode["), std::string_view("prefill["),
        std::string_view("mixed["), std::string_view("execute_diffusion_"), kForwardStep}) {
    if (name.starts_with(start)) return true;
  }
  if (!name.starts_with("execute_")) return false;
  const std::size_t context = name.find("context_", 8);
  return context != std::string_view::npos &&
         name.find("generation_", context + 8) != std::string_view::npos;
}

bool is_capture_marker(std::string_view name) { return name.starts_with("capture_"); }

MarkerText read_marker(std::string_view name) {
  if (std::string phase = bracket_phase(name); !phase.empty()) {
    auto tokens = field(name, "toks=");
    if (!tokens) tokens = field(name, "tok=");
    return {MarkerForm::bracket, std::move(phase), field(name, "bs="), tokens,
            bracket_kv_tokens(name)};
  }
  if (auto text = read_forward_step(name)) return *std::move(text);
  return read_context(name).value_or(MarkerText{});
}

std::string phase_of_file_name(std::string_view file_name) {
  if (file_name.find("-DECODE") != std::string_view::npos) return "decode";
  if (file_name.find("-EXTEND") != std::string_view::npos) return "prefill";
  return {};
}

}  // namespace stepscope::analysis
