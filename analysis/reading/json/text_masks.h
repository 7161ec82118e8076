#pragma once
// 64 bytes of JSON text at a time as bit masks (bit i is byte i): where quotes, braces and control
// characters stand. With SSE2 where the compiler has it, else eight bytes at once in plain
// integers; knows nothing of events.

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace stepscope::analysis {

static_assert(std::endian::native == std::endian::little, "byte i of a word is bits 8i to 8i+7");

inline constexpr std::size_t kMaskBytes = 64;

struct TextMasks {
  std::uint64_t quote = 0;
  std::uint64_t backslash = 0;
  std::uint64_t brace = 0;          // { and }
  std::uint64_t control = 0;        // below 0x20
  std::uint64_t before_string = 0;  // what may stand before an opening quote: [ { , : and blanks
  std::uint64_t after_string = 0;   // what may stand behind a closing quote: ] } , : and blanks
  bool high = false;                // a byte above 0x7F; the masks mean nothing then
};

namespace swar {

inline constexpr std::uint64_t kOnes = 0x0101010101010101ULL;
inline constexpr std::uint64_t kHighs = 0x8080808080808080ULL;

// The top bit of each byte of the result says "not equal", for text and pattern below 0x80.
inline std::uint64_t differs(std::uint64_t word, char c) {
  return (word ^ (kOnes * static_cast<unsigned char>(c))) + ~kHighs;
}
// The top bit of each byte says "at least".
inline std::uint64_t at_least(std::uint64_t word, unsigned char limit) {
  return word + kOnes * (0x80U - limit);
}
// Gathers the top bits of the eight bytes.
inline std::uint64_t gather(std::uint64_t word) {
  return (word & kHighs) * 0x0002040810204081ULL >> 56;
}

}  // namespace swar

inline TextMasks portable_text_masks(const char* text) {
  std::array<std::uint64_t, 8> words;
  std::memcpy(words.data(), text, kMaskBytes);
  TextMasks m;
  std::uint64_t all = 0;
  for (unsigned i = 0; i < 8; ++i) {
    std::uint64_t w = words[i];
    std::uint64_t folded = w | swar::kOnes * 0x20;  // [ reads as { and ] as }
    std::uint64_t separator =
        swar::differs(w, ',') & swar::differs(w, ':') & swar::at_least(w, 0x21);
    unsigned shift = i * 8;
    all |= w;
    m.quote |= swar::gather(~swar::differs(w, '"')) << shift;
    m.backslash |= swar::gather(~swar::differs(w, '\\')) << shift;
    m.brace |= swar::gather(~(swar::differs(w, '{') & swar::differs(w, '}'))) << shift;
    m.control |= swar::gather(~swar::at_least(w, 0x20)) << shift;
    m.before_string |= swar::gather(~(separator & swar::differs(folded, '{'))) << shift;
    m.after_string |= swar::gather(~(separator & swar::differs(folded, '}'))) << shift;
  }
  m.high = (all & swar::kHighs) != 0;
  return m;
}

#if defined(__SSE2__)

inline TextMasks text_masks(const char* text) {
  using Bytes = signed char __attribute__((vector_size(16)));
  auto gather = [](auto truths) {
    return static_cast<std::uint64_t>(
        static_cast<unsigned>(__builtin_ia32_pmovmskb128(reinterpret_cast<Bytes>(truths))));
  };
  TextMasks m;
  std::uint64_t high = 0;
  for (unsigned i = 0; i < 4; ++i) {
    Bytes b;
    std::memcpy(&b, text + std::size_t{i} * 16, 16);
    Bytes folded = b | 0x20;  // [ reads as { and ] as }
    auto separator = (b == ',') | (b == ':') | (b <= ' ');
    unsigned shift = i * 16;
    high |= gather(b);
    m.quote |= gather(b == '"') << shift;
    m.backslash |= gather(b == '\\') << shift;
    m.brace |= gather((b == '{') | (b == '}')) << shift;
    m.control |= gather(b < ' ') << shift;
    m.before_string |= gather(separator | (folded == '{')) << shift;
    m.after_string |= gather(separator | (folded == '}')) << shift;
  }
  m.high = high != 0;
  return m;
}

#else

inline TextMasks text_masks(const char* text) { return portable_text_masks(text); }

#endif

// Bit i of the result is the parity of the bits 0 to i: text inside of quotes.
inline std::uint64_t prefix_xor(std::uint64_t bits) {
  for (unsigned shift = 1; shift < 64; shift *= 2) bits ^= bits << shift;
  return bits;
}

// Bytes that a backslash before them escapes. `carry` takes an escape over to the next 64 bytes.
inline std::uint64_t escaped_bytes(std::uint64_t backslash, bool& carry) {
  std::uint64_t escaped = carry ? 1 : 0;
  backslash &= ~escaped;
  carry = false;
  while (backslash != 0) {
    int i = std::countr_zero(backslash);
    if (i == 63) {
      carry = true;
      break;
    }
    escaped |= 2ULL << i;
    backslash &= ~(3ULL << i);
  }
  return escaped;
}

}  // namespace stepscope::analysis
