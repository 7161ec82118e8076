#include "analysis/compare_facts.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <optional>
#include <span>
#include <string_view>
#include <utility>

namespace stepscope::analysis {
namespace {

std::string lower(std::string_view text) {
  std::string out(text);
  std::ranges::transform(out, out.begin(),
                         [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return out;
}

bool is_digit(char c) { return c >= '0' && c <= '9'; }

bool has_digit_at(std::string_view word, std::size_t at) {
  return word.size() > at && is_digit(word[at]);
}

template <class IsPart>
std::vector<std::string> words_of(std::string_view text, IsPart is_part) {
  std::vector<std::string> words(1);
  for (const char c : text) {
    if (is_part(c)) {
      words.back() += c;
    } else if (!words.back().empty()) {
      words.emplace_back();
    }
  }
  if (words.back().empty()) words.pop_back();
  return words;
}

// Cards as requests name them: letters of an NVIDIA series and its number.
bool is_nvidia_word(std::string_view word) {
  static constexpr std::array kNames = {"nvidia", "tesla", "geforce", "quadro",
                                        "rtx",    "titan", "jetson"};
  if (std::ranges::find(kNames, word) != kNames.end()) return true;
  static constexpr std::array kSeries = {"a", "b", "h", "l", "v", "t", "gb", "gh"};
  return std::ranges::any_of(kSeries, [&](std::string_view series) {
    return word.starts_with(series) && has_digit_at(word, series.size()) && word.size() <= 6;
  });
}

bool is_amd_word(std::string_view word) {
  return word == "amd" || word == "instinct" || word == "radeon" ||
         (word.starts_with("mi") && has_digit_at(word, 2)) ||
         (word.starts_with("gfx") && has_digit_at(word, 3));
}

bool holds_any(std::string_view text, std::span<const std::string_view> parts) {
  return std::ranges::any_of(parts, [&](std::string_view part) { return text.contains(part); });
}

void set_if_empty(std::string& field, std::string value) {
  if (field.empty()) field = std::move(value);
}

// "DeepSeek-R1 FP4, B200, conc 4": the title of a run.
void read_title(std::string_view title, SideFacts& facts) {
  const std::size_t last = title.rfind(", conc ");
  if (last == std::string_view::npos) return;
  const std::size_t before = title.substr(0, last).rfind(", ");
  if (before == std::string_view::npos) return;
  set_if_empty(facts.model, std::string(title.substr(0, before)));
  set_if_empty(facts.hardware, std::string(title.substr(before + 2, last - before - 2)));
  set_if_empty(facts.concurrency, std::string(title.substr(last + 7)));
}

// What follows "image " up to a comma or the end of the sentence.
std::optional<std::string> image_in(std::string_view sentence) {
  const std::string text = lower(sentence);
  const std::size_t found = text.find("image ");
  if (found == std::string::npos || (found > 0 && text[found - 1] != ' ')) return {};
  std::string_view value = sentence.substr(found + 6);
  value = value.substr(0, value.find(", "));
  while (!value.empty() && (value.ends_with('.') || value.ends_with(' '))) value.remove_suffix(1);
  return std::string(value);
}

bool is_lengths(std::string_view word) {  // "8192/1024", "8k/1k"
  const std::size_t slash = word.find('/');
  const auto is_length = [](std::string_view part) {
    if (part.ends_with('k')) part.remove_suffix(1);
    return !part.empty() && std::ranges::all_of(part, is_digit);
  };
  return slash != std::string_view::npos && is_length(word.substr(0, slash)) &&
         is_length(word.substr(slash + 1));
}

bool is_degree(std::string_view word) {  // "TP4", "EP8", "DP2"
  return word.size() > 2 && word[1] == 'P' && std::ranges::all_of(word.substr(2), is_digit);
}

// "Run 57, row dsr1-fp4-b200-sglang, framework sglang, 8192/1024 TP4 EP4, DP attention." and
// "Understood as profile model=dsr1 hardware=b200 conc=4."
void read_sentence(std::string_view sentence, SideFacts& facts) {
  if (auto image = image_in(sentence)) set_if_empty(facts.image, *std::move(image));
  std::vector<std::string> words = words_of(
      sentence, [](char c) { return c != ' ' && c != ',' && c != '`' && c != '(' && c != ')'; });
  std::vector<std::string> degrees;
  for (std::size_t i = 0; i < words.size(); ++i) {
    std::string word = words[i];
    if (word.ends_with('.')) word.pop_back();
    if (word == "framework" && i + 1 < words.size()) set_if_empty(facts.framework, words[i + 1]);
    if (is_lengths(word)) set_if_empty(facts.lengths, word);
    if (is_degree(word)) degrees.push_back(word);
    const std::size_t equals = word.find('=');
    if (equals == std::string::npos) continue;
    const std::string key = word.substr(0, equals);
    const std::string value = word.substr(equals + 1);
    if (key == "model") set_if_empty(facts.model, value);
    if (key == "hardware") set_if_empty(facts.hardware, value);
    if (key == "framework") set_if_empty(facts.framework, value);
    if (key == "conc") set_if_empty(facts.concurrency, value);
  }
  if (degrees.empty()) return;
  if (sentence.contains("DP attention")) degrees.emplace_back("DP attention");
  set_if_empty(facts.parallelism, fmt::format("{}", fmt::join(degrees, " ")));
}

// Each engine words its markers in its own way (R8).
std::string framework_of_marker(const Step& step) {
  if (step.source != "engine") return "";
  const std::string_view label = step.label;
  if (label.starts_with("step[")) return "sglang";
  if (label.starts_with("execute_diffusion_")) return "";
  if (label.starts_with("execute_")) return "vllm";
  if (label.starts_with("decode[") || label.starts_with("prefill[")) return "atom";
  return "";
}

bool differ(const std::string& a, const std::string& b) {
  return !a.empty() && !b.empty() && lower(a) != lower(b);
}

}  // namespace

std::string family_of_hardware(std::string_view hardware) {
  const std::vector<std::string> words = words_of(
      lower(hardware), [](char c) { return c != ' ' && c != '-' && c != '_' && c != ':'; });
  const auto any = [&](auto test) { return std::ranges::any_of(words, test); };
  // "AMD EPYC" is no accelerator.
  if (any([](const std::string& word) {
        return word == "cpu" || word == "epyc" || word == "xeon" || word == "ryzen";
      })) {
    return "CPU";
  }
  if (any(is_amd_word)) return "AMD";
  if (any(is_nvidia_word)) return "NVIDIA";
  if (any([](const std::string& word) { return word == "intel" || word == "gaudi"; })) {
    return "Intel";
  }
  return "";
}

std::string family_of_kernels(const std::vector<KernelRow>& kernels) {
  static constexpr std::string_view kAmd[] = {"Cijk_", "ck::",   "ck_tile::", "2ck",
                                              "aiter", "rocclr", "rocprim",   "hipblas"};
  static constexpr std::string_view kNvidia[] = {"cutlass", "nvjet",    "sm80_",   "sm90",
                                                 "sm100",   "Sm90",     "Sm100",   "cublas",
                                                 "cudnn",   "tensorrt", "ampere_", "xmma"};
  bool nvidia = false;
  for (const KernelRow& row : kernels) {
    if (holds_any(row.name, kAmd) || row.name.starts_with("hip")) return "AMD";
    nvidia = nvidia || holds_any(row.name, kNvidia);
  }
  return nvidia ? "NVIDIA" : "";
}

SideFacts side_facts(const Breakdown& breakdown, const ShownStep& shown,
                     const ReportContext& context) {
  SideFacts facts;
  facts.hardware = fmt::format("{}", fmt::join(breakdown.trace.device_names, ", "));
  read_title(context.title, facts);
  for (const std::string& sentence : context.provenance) read_sentence(sentence, facts);
  set_if_empty(facts.framework, framework_of_marker(shown.step));
  facts.family = family_of_hardware(facts.hardware);
  set_if_empty(facts.family, family_of_kernels(shown.accounting.kernels));
  facts.batch_size = shown.step.batch_size;
  facts.world_size = breakdown.trace.world_size;
  return facts;
}

bool frameworks_differ(const SideFacts& a, const SideFacts& b) {
  const std::string one = lower(a.framework);
  const std::string other = lower(b.framework);
  return differ(one, other) && !one.ends_with("-" + other) && !other.ends_with("-" + one);
}

bool families_differ(const SideFacts& a, const SideFacts& b) { return differ(a.family, b.family); }

std::vector<std::string> fact_differences(const SideFacts& a, const SideFacts& b) {
  std::vector<std::string> out;
  const auto add = [&](std::string_view what, const std::string& one, const std::string& other) {
    if (differ(one, other))
      out.push_back(fmt::format("{} differs: {} in A, {} in B", what, one, other));
  };
  const auto number = [](const auto& value) { return value ? std::to_string(*value) : ""; };
  add("the model", a.model, b.model);
  add("the hardware", a.hardware, b.hardware);
  if (frameworks_differ(a, b)) add("the framework", a.framework, b.framework);
  add("the parallelism", a.parallelism, b.parallelism);
  if (a.parallelism.empty() || b.parallelism.empty()) {
    add("the world size", number(a.world_size), number(b.world_size));
  }
  add("the image", a.image, b.image);
  add("the input and output length", a.lengths, b.lengths);
  add("the concurrency", a.concurrency, b.concurrency);
  add("the batch size of the step", number(a.batch_size), number(b.batch_size));
  return out;
}

}  // namespace stepscope::analysis
