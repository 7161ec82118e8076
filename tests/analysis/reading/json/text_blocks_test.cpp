#include "analysis/reading/json/text_blocks.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "tests/support/vector_targets.h"

using namespace stepscope::analysis;
using stepscope::tests::on_each_vector_target;

namespace {

struct Seen {
  std::vector<std::size_t> braces;
  std::vector<std::size_t> backslashes;
  std::size_t odd = 0;  // the size of the text: none

  bool operator==(const Seen&) const = default;
};

bool may_stand_beside_a_string(char c) {
  return c <= 0x20 || std::string_view("[]{},:").find(c) != std::string_view::npos;
}

// Byte for byte, from the definition in the header. The size is a multiple of a block.
Seen one_by_one(std::string_view text) {
  Seen seen;
  seen.odd = text.size();
  bool in_string = false;
  bool escaped = false;
  const auto odd_if = [&](bool odd, std::size_t at) {
    if (odd) seen.odd = std::min(seen.odd, at);
  };
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '\\') seen.backslashes.push_back(i);
    if (escaped) {
      escaped = false;
      odd_if(std::string_view("\"\\/bfnrt").find(c) == std::string_view::npos, i);
      odd_if(in_string && static_cast<signed char>(c) < 0x20, i);
      if (c == '{' || c == '}') {
        if (!in_string) seen.braces.push_back(i);
      }
      continue;
    }
    if (c == '"') {
      in_string = !in_string;
      if (in_string) odd_if(i > 0 && !may_stand_beside_a_string(text[i - 1]), i);
      if (!in_string) odd_if(i + 1 < text.size() && !may_stand_beside_a_string(text[i + 1]), i + 1);
      continue;
    }
    if (c == '\\') {
      odd_if(!in_string, i);
      escaped = true;
    } else if (in_string) {
      odd_if(static_cast<signed char>(c) < 0x20, i);
    } else if (c == '{' || c == '}') {
      seen.braces.push_back(i);
    }
  }
  return seen;
}

Seen by_spans(std::string_view text, std::size_t span_blocks) {
  Seen seen;
  seen.odd = text.size();
  TextState state;
  TextSpan span;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t blocks = std::min(span_blocks, (text.size() - at) / kBlockTextBytes);
    scan_text_span(text.data() + at, blocks, state, span);
    for (std::size_t i = 0; i < span.brace_count; ++i) seen.braces.push_back(at + span.braces[i]);
    if (span.odd < kSpanTextBytes) seen.odd = std::min(seen.odd, at + span.odd);
    std::uint64_t any = 0;
    for (std::size_t block = 0; block < blocks; ++block) {
      any |= span.backslashes[block];
      for (std::size_t bit = 0; bit < kBlockTextBytes; ++bit) {
        if ((span.backslashes[block] >> bit & 1U) == 0) continue;
        seen.backslashes.push_back(at + block * kBlockTextBytes + bit);
      }
    }
    CHECK(span.any_backslash == (any != 0));
    at += blocks * kBlockTextBytes;
  }
  return seen;
}

// `signs` places are given to what matters; the rest is any byte up to `highest`.
std::string random_text(std::mt19937& random, std::size_t signs, unsigned highest) {
  std::string text(kSpanTextBytes * 2, ' ');
  for (char& c : text) c = static_cast<char>(random() % (highest + 1));
  for (std::size_t i = 0; i < signs; ++i) {
    text[random() % text.size()] = "\"\"\"\\{}[],: \n"[random() % 12];
  }
  return text;
}

}  // namespace

TEST_CASE("all vectors see what a loop over the bytes sees, for spans of any length") {
  std::mt19937 random(1);
  std::vector<std::string> texts;
  for (int round = 0; round < 60; ++round) {
    texts.push_back(random_text(random, round * 40U, round % 3 == 0 ? 255 : 127));
  }
  // Texts that stay regular for long, so that the first odd place is not always in the first block.
  for (std::size_t length = 0; length < 130; ++length) {
    std::string text = R"({"k": ")" + std::string(length, 'x') + R"( {\" \\", "args": {"a": 1} })";
    while (text.size() < kSpanTextBytes - 200) text += R"(, {"n": "}{", "b" : [1]})";
    text += length % 2 == 0 ? R"("z"z)" : "";
    text.resize(kSpanTextBytes, ' ');
    texts.push_back(text);
  }
  for (const std::string& text : texts) {
    const Seen expected = one_by_one(text);
    on_each_vector_target([&] {
      for (const std::size_t blocks : {std::size_t{1}, std::size_t{3}, kSpanBlocks}) {
        CAPTURE(blocks);
        CHECK(by_spans(text, blocks) == expected);
      }
    });
  }
}

TEST_CASE("every byte value is what it is in every place of a block") {
  for (unsigned value = 0; value < 256; ++value) {
    CAPTURE(value);
    std::string outside(kBlockTextBytes * 2, ' ');
    std::string inside(kBlockTextBytes * 2, 'x');
    inside[0] = '"';
    for (std::size_t at = 1; at < kBlockTextBytes; at += 7) {
      outside[at] = static_cast<char>(value);
      inside[at] = static_cast<char>(value);
    }
    on_each_vector_target([&] {
      CHECK(by_spans(outside, 2) == one_by_one(outside));
      CHECK(by_spans(inside, 2) == one_by_one(inside));
    });
  }
}

TEST_CASE("the portable code is among what is tested") {
  std::vector<std::string> names;
  on_each_vector_target([&] { names.emplace_back(hwy::TargetName(hwy::SupportedTargets())); });
  CHECK(std::ranges::find(names, "EMU128") != names.end());
}
