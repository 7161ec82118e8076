#include "webhooks/ask.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <set>
#include <utility>

#include "webhooks/unicode.h"

namespace stepscope::webhooks {
namespace {

using std::string_view_literals::operator""sv;

struct AskWord {
  std::string_view word;
  std::string_view ask;
};

constexpr std::array kAskWords = {
    AskWord{"kernel", "kernels"},
    AskWord{"kernels", "kernels"},
    AskWord{"%", "percent"},
    AskWord{"percent", "percent"},
    AskWord{"percentage", "percent"},
    AskWord{"percentages", "percent"},
    AskWord{"moe", "moe"},
    AskWord{"attention", "attention"},
    AskWord{"attn", "attention"},
    AskWord{"allreduce", "comm"},
    AskWord{"allreduces", "comm"},
    AskWord{"comm", "comm"},
    AskWord{"comms", "comm"},
    AskWord{"communication", "comm"},
    AskWord{"communications", "comm"},
    AskWord{"collective", "collective"},
    AskWord{"collectives", "collective"},
    AskWord{"skew", "skew"},
    AskWord{"overlap", "overlap"},
    AskWord{"overlapped", "overlap"},
    AskWord{"idle", "idle"},
    AskWord{"phases", "phases"},
    AskWord{"layers", "layers"},
    AskWord{"layerwise", "layers"},
    AskWord{"shape", "shapes"},
    AskWord{"shapes", "shapes"},
    AskWord{"bottleneck", "bottleneck"},
    AskWord{"bottlenecks", "bottleneck"},
    AskWord{"draft", "draft"},
};

std::string_view ask_of(std::string_view word) {
  const auto found = std::ranges::find(kAskWords, word, &AskWord::word);
  return found == kAskWords.end() ? ""sv : found->ask;
}

// Words cut at hyphens and slashes, where they stand; used tokens and URLs leave a gap.
struct Part {
  std::string_view text;
  std::size_t token = 0;
};

std::vector<Part> parts_of(std::span<const Token> tokens, const std::vector<bool>& used) {
  std::vector<Part> parts;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    if (used[i] || tokens[i].kind == Token::Kind::url || tokens[i].kind == Token::Kind::code) {
      parts.push_back({"", i});
      continue;
    }
    const std::string_view text = tokens[i].text;
    if (text.size() == 1) {
      parts.push_back({text, i});
      continue;
    }
    for (std::size_t at = 0; at <= text.size();) {
      const std::size_t cut = std::min(text.find_first_of("-/", at), text.size());
      if (cut > at) parts.push_back({text.substr(at, cut - at), i});
      at = cut + 1;
    }
  }
  return parts;
}

bool is_component(std::string_view ask) {
  return one_of(ask, std::array{"attention"sv, "moe"sv, "comm"sv, "collective"sv, "draft"sv});
}

// The ask that parts[at] is a word of, two-word names included.
std::string_view ask_at(const std::vector<Part>& parts, std::size_t at) {
  const std::string_view before = at > 0 ? parts[at - 1].text : ""sv;
  const std::string_view word = parts[at].text;
  const std::string_view next = at + 1 < parts.size() ? parts[at + 1].text : ""sv;
  if (word == "all" && one_of(next, std::array{"reduce"sv, "reduces"sv})) return "comm";
  if (word == "layer" && one_of(before, std::array{"per"sv, "each"sv, "every"sv, "by"sv})) {
    return "layers";
  }
  const std::string_view ask = ask_of(word);
  // "attention kernels" are about attention.
  if (ask == "kernels" && is_component(ask_of(before))) return "";
  return ask;
}

bool polite(std::string_view word) {
  return one_of(word, std::array{"thanks"sv, "thank"sv, "thx"sv, "cheers"sv, "ty"sv, "tia"sv});
}

// Behind a semicolon: nothing that is understood, or what only a shell would understand.
bool shell_clause(std::span<const Token> tokens, std::size_t first, std::size_t last,
                  const std::vector<bool>& used) {
  bool understood = false;
  bool any_word = false;
  for (std::size_t i = first; i < last; ++i) {
    const Token& token = tokens[i];
    if (token.is_mark("/")) return true;
    if (!token.is_word()) continue;
    const std::string_view text = token.text;
    const bool option = text.size() > 1 && text[0] == '-' && (is_letter(text[1]) || text[1] == '-');
    if (option || text.starts_with('/') || text.starts_with('.')) return true;
    any_word = true;
    understood = understood || used[i] || !ask_of(text).empty() || polite(text);
  }
  return any_word && !understood;
}

}  // namespace

bool is_ask_word(std::string_view word) { return !ask_of(word).empty(); }

std::vector<std::string> asks_in(std::span<const Token> tokens, const std::vector<bool>& used) {
  const std::vector<Part> parts = parts_of(tokens, used);
  std::set<std::string> asks;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const std::string_view ask = ask_at(parts, i);
    if (!ask.empty()) asks.emplace(ask);
  }
  // Skew is asked of collectives, overlap of communication: the narrower wish stands.
  if (asks.erase("collective") > 0 && !asks.contains("skew")) asks.insert("comm");
  if (asks.contains("overlap")) asks.erase("comm");
  return {asks.begin(), asks.end()};
}

bool asks_for_more(std::span<const Token> tokens, const std::vector<bool>& used) {
  constexpr std::array kJoining = {"and"sv, "then"sv, "also"sv};
  constexpr std::array kVerbs = {"write"sv, "paste"sv, "print"sv, "post"sv,
                                 "send"sv,  "run"sv,   "open"sv,  "fix"sv};
  constexpr std::array kPolite = {"please"sv, "then"sv, "also"sv, "just"sv, "can"sv,
                                  "could"sv,  "you"sv,  "and"sv,  ","sv};
  constexpr std::array kObjectEnds = {"to"sv, "in"sv, "on"sv,   "for"sv, "with"sv,
                                      "of"sv, "by"sv, "into"sv, "from"sv};
  constexpr std::array kClauseEnds = {","sv,   ";"sv,    "."sv,    "?"sv, "!"sv,
                                      "and"sv, "then"sv, "also"sv, "\n"sv};
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    if (!one_of(tokens[i].text, kJoining)) continue;
    std::size_t at = i + 1;
    while (at < tokens.size() && at < i + 5 && one_of(tokens[at].text, kPolite)) ++at;
    if (at >= tokens.size() || !one_of(tokens[at].text, kVerbs)) continue;
    bool in_object = true;
    bool names_ask = false;
    bool names_field = false;
    for (std::size_t k = at + 1; k < tokens.size(); ++k) {
      if (one_of(tokens[k].text, kClauseEnds)) break;
      in_object = in_object && !one_of(tokens[k].text, kObjectEnds);
      names_field = names_field || used[k];
      names_ask = names_ask || (in_object && !ask_of(tokens[k].text).empty());
    }
    if (!names_ask && !names_field) return true;
  }
  return false;
}

bool drops_text(std::span<const Token> tokens, const Sentence& sentence,
                const std::vector<bool>& used) {
  constexpr std::array kShell = {"$"sv, "`"sv, "|"sv, "<"sv, "\\"sv};
  for (std::size_t i = sentence.first; i < sentence.last; ++i) {
    const Token& token = tokens[i];
    if (token.kind == Token::Kind::code) return true;
    if (used[i] || token.kind == Token::Kind::url) continue;
    const bool inside_word =
        token.is_word() && token.text.find_first_of("$\\") != std::string::npos;
    if (inside_word || (token.kind == Token::Kind::mark && one_of(token.text, kShell))) return true;
    const std::string_view before =
        i > sentence.first ? std::string_view(tokens[i - 1].text) : ""sv;
    if (token.is_mark(">") && !before.ends_with('-') && !before.ends_with('=')) return true;
    if (token.is_mark("&") && token.glued && before == "&") return true;
    if (!token.is_mark(";")) continue;
    std::size_t last = i + 1;
    while (last < sentence.last && !tokens[last].is_mark(";")) ++last;
    if (shell_clause(tokens, i + 1, last, used)) return true;
  }
  return false;
}

}  // namespace stepscope::webhooks
