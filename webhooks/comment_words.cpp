#include "webhooks/comment_words.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "analysis/reports/text.h"

namespace stepscope::webhooks {
namespace {

// How many times `word` occurs in `line`.
int count(std::string_view line, std::string_view word) {
  int found = 0;
  for (std::size_t at = line.find(word); at != std::string_view::npos;
       at = line.find(word, at + word.size())) {
    ++found;
  }
  return found;
}

// Follows the lines of a text and says where it may end.
class Blocks {
 public:
  void next(std::string_view line) {
    const std::size_t start = line.find_first_not_of(' ');
    if (start != std::string_view::npos && line.substr(start).starts_with("```")) {
      in_fence_ = !in_fence_;
    } else if (!in_fence_) {
      depth_ = std::max(0, depth_ + count(line, "<details") - count(line, "</details>"));
    }
    blank_ = start == std::string_view::npos;
  }
  bool outside() const { return !in_fence_ && depth_ == 0; }
  bool between() const { return outside() && blank_; }

 private:
  bool in_fence_ = false;
  bool blank_ = false;
  int depth_ = 0;
};

}  // namespace

std::string format_duration(std::int64_t duration_ms) {
  const std::int64_t ms = std::max<std::int64_t>(duration_ms, 0);
  if (ms < 10'000) return fmt::format("{}.{} s", ms / 1000, ms % 1000 / 100);
  const std::int64_t s = ms / 1000;
  if (s < 60) return fmt::format("{} s", s);
  if (s < 3600) return fmt::format("{} m {} s", s / 60, s % 60);
  return fmt::format("{} h {} m", s / 3600, s % 3600 / 60);
}

std::string command_words(const db::RunConfig& config) {
  std::string words = fmt::format("profile {} conc {}", config.key, config.conc);
  if (config.isl > 0 && config.osl > 0) {
    words += fmt::format(" isl {} osl {}", config.isl, config.osl);
  }
  words += fmt::format(" tp {}", config.tp);
  if (config.ep > 1) words += fmt::format(" ep {}", config.ep);
  if (config.dp_attn) words += " dp attention";
  if (config.spec != "none") words += " " + config.spec;
  const std::string_view noun = config.steps == 1 ? "step" : "steps";
  if (config.phase == "both") return words + fmt::format(" both {} {}", config.steps, noun);
  return words + fmt::format(" {} {} {}", config.steps, config.phase, noun);
}

std::string assumed_words(const db::RunConfig& config) {
  std::string words;
  for (const std::string& field : config.assumed) {
    if (!words.empty()) words += ", ";
    if (field == "seq_len") {
      words += "lengths";
    } else if (field == "conc") {
      words += "concurrency";
    } else {
      words += field;
    }
  }
  return words;
}

std::string understood_line(const db::RunConfig& config) {
  std::string line = "Understood as " + analysis::code_span(command_words(config));
  const std::string assumed = assumed_words(config);
  if (!assumed.empty()) line += " (assumed: " + analysis::markdown_text(assumed) + ")";
  return line + ".";
}

std::optional<std::string> unseen_words(std::int64_t unseen_ms) {
  static constexpr std::array<int, 11> kMinutes = {3, 5, 10, 15, 30, 60, 120, 240, 480, 720, 1440};
  std::optional<std::string> words;
  for (const int minutes : kMinutes) {
    if (unseen_ms < std::int64_t{minutes} * 60'000) break;
    if (minutes < 60) {
      words = fmt::format("{} minutes", minutes);
    } else {
      words = fmt::format("{} hour{}", minutes / 60, minutes == 60 ? "" : "s");
    }
  }
  return words;
}

std::string_view cut_markdown(std::string_view text, std::size_t bytes_max) {
  if (text.size() <= bytes_max) return text;
  Blocks blocks;
  std::size_t between = 0;
  std::size_t outside = 0;
  for (std::size_t at = 0; at < bytes_max;) {
    const std::size_t end = text.find('\n', at);
    if (end == std::string_view::npos || end >= bytes_max) break;
    blocks.next(text.substr(at, end - at));
    at = end + 1;
    if (blocks.outside()) outside = at;
    if (blocks.between()) between = at;
  }
  if (between > 0) return text.substr(0, between);
  if (outside > 0) return text.substr(0, outside);
  std::size_t end = bytes_max;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U) --end;
  return text.substr(0, end);
}

}  // namespace stepscope::webhooks
