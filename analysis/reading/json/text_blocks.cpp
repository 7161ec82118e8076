#include "analysis/reading/json/text_blocks.h"

#include <array>
#include <bit>
#include <cstring>
#include <string_view>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "analysis/reading/json/text_blocks.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

static_assert(std::endian::native == std::endian::little, "bit i of a mask is byte i");

HWY_BEFORE_NAMESPACE();
namespace stepscope::analysis::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

using Bytes = hn::CappedTag<std::uint8_t, kBlockTextBytes>;

// Which of the 64 bytes are what, before anything is known of strings.
struct RawMasks {
  std::uint64_t quote = 0;
  std::uint64_t backslash = 0;
  std::uint64_t brace = 0;
  std::uint64_t control = 0;    // below 0x20, and above 0x7F
  std::uint64_t structure = 0;  // what may stand beside a string: [ ] { } , : and blanks
};

template <typename Word, typename Mask>
HWY_INLINE std::uint64_t word_of(Mask mask) {
  Word word = 0;
  hn::StoreMaskBits(Bytes(), mask, reinterpret_cast<std::uint8_t*>(&word));
  return word;
}

// The mask of one vector, in the lowest bits.
template <typename Mask>
HWY_INLINE std::uint64_t bits_of(Mask mask) {
  switch (hn::Lanes(Bytes())) {
    case 64:
      return word_of<std::uint64_t>(mask);
    case 32:
      return word_of<std::uint32_t>(mask);
    case 16:
      return word_of<std::uint16_t>(mask);
    default: {
      std::uint8_t bytes[16] = {};  // as many as the widest mask that Highway writes here
      std::uint64_t word = 0;
      hn::StoreMaskBits(Bytes(), mask, bytes);
      std::memcpy(&word, bytes, sizeof(word));
      return word;
    }
  }
}

// Bytes are compared with what a table has for their lower half: one look-up stands for several
// comparisons. Entries that stand for no byte are ones that no byte of their lower half equals.
alignas(16) constexpr std::array<std::uint8_t, 16> kFoldedSigns = {0, 0, 0,   0,   0,   0,   0, 0,
                                                                   0, 0, ':', '{', ',', '}', 0, 0};
alignas(16) constexpr std::array<std::uint8_t, 16> kBraces = {1, 0, 0, 0,   0, 0,   0, 0,
                                                              0, 0, 0, '{', 0, '}', 0, 0};

HWY_INLINE RawMasks raw_masks(const char* text) {
  const Bytes d;
  const hn::RebindToSigned<Bytes> is_signed;
  const auto folded_signs = hn::LoadDup128(d, kFoldedSigns.data());
  const auto braces = hn::LoadDup128(d, kBraces.data());
  const auto half = hn::Set(d, 0x0F);
  RawMasks m;
  for (std::size_t at = 0; at < kBlockTextBytes; at += hn::Lanes(d)) {
    const auto bytes = hn::LoadU(d, reinterpret_cast<const std::uint8_t*>(text) + at);
    const auto value = hn::BitCast(is_signed, bytes);  // above 0x7F is below 0: counts as control
    const auto below = [&](char c) {
      return hn::RebindMask(d, hn::Lt(value, hn::Set(is_signed, static_cast<std::int8_t>(c))));
    };
    const auto lower = hn::And(bytes, half);
    const auto folded = hn::Or(bytes, hn::Set(d, 0x20));  // [ reads as { and ] as }
    const auto signs = hn::Eq(folded, hn::TableLookupBytes(folded_signs, lower));
    m.quote |= bits_of(hn::Eq(bytes, hn::Set(d, '"'))) << at;
    m.backslash |= bits_of(hn::Eq(bytes, hn::Set(d, '\\'))) << at;
    m.brace |= bits_of(hn::Eq(bytes, hn::TableLookupBytes(braces, lower))) << at;
    m.control |= bits_of(below(0x20)) << at;
    m.structure |= bits_of(hn::Or(signs, below(0x21))) << at;
  }
  return m;
}

// Bit i of the result is the parity of the bits 0 to i: text inside of quotes.
HWY_INLINE std::uint64_t prefix_xor(std::uint64_t bits) {
#if !HWY_ARCH_X86 || HWY_TARGET > HWY_SSE4  // no carry-less multiplication
  for (unsigned shift = 1; shift < 64; shift *= 2) bits ^= bits << shift;
  return bits;
#else
  const hn::FixedTag<std::uint64_t, 2> d;
  return hn::GetLane(hn::CLMulLower(hn::Set(d, bits), hn::Set(d, ~std::uint64_t{0})));
#endif
}

// Bytes that a backslash before them escapes. `carry` takes an escape over to the next block.
HWY_INLINE std::uint64_t escaped_bytes(std::uint64_t backslash, bool& carry) {
  std::uint64_t escaped = carry ? 1 : 0;
  backslash &= ~escaped;
  carry = false;
  while (backslash != 0) {
    const int i = std::countr_zero(backslash);
    if (i == 63) {
      carry = true;
      break;
    }
    escaped |= std::uint64_t{2} << i;
    backslash &= ~(std::uint64_t{3} << i);
  }
  return escaped;
}

constexpr auto kSimpleEscapes = [] {
  std::array<bool, 256> simple{};
  for (char c : std::string_view("\"\\/bfnrt")) simple[static_cast<unsigned char>(c)] = true;
  return simple;
}();

HWY_INLINE std::uint64_t odd_escapes(const char* text, std::uint64_t escaped) {
  std::uint64_t odd = 0;
  for (std::uint64_t bits = escaped; bits != 0; bits &= bits - 1) {
    const int i = std::countr_zero(bits);
    if (!kSimpleEscapes[static_cast<unsigned char>(text[i])]) odd |= std::uint64_t{1} << i;
  }
  return odd;
}

// Writes the places of the bits: four at a time whether or not there are so many, which costs less
// than asking. Few blocks have more.
HWY_INLINE std::uint16_t* write_places(std::uint64_t bits, std::size_t base, std::uint16_t* out) {
  std::uint16_t* const end = out + std::popcount(bits);
  do {
    for (int i = 0; i < 4; ++i) {
      out[i] = static_cast<std::uint16_t>(base + static_cast<std::size_t>(std::countr_zero(bits)));
      bits &= bits - 1;
    }
    out += 4;
  } while (out < end);
  return end;
}

void scan_span(const char* text, std::size_t blocks, TextState& state, TextSpan& out) {
  TextState s = state;
  std::uint16_t* places = out.braces.data();
  std::uint64_t backslashes = 0;
  out.odd = kSpanTextBytes;
  for (std::size_t n = 0; n < blocks; ++n, text += kBlockTextBytes) {
    const RawMasks m = raw_masks(text);
    std::uint64_t quote = m.quote;
    std::uint64_t odd = 0;
    if (m.backslash != 0 || s.escape) {
      const std::uint64_t escaped = escaped_bytes(m.backslash, s.escape);
      odd = odd_escapes(text, escaped);
      quote &= ~escaped;
    }
    const std::uint64_t inside = prefix_xor(quote) ^ s.in_string;
    const std::uint64_t closing = quote & ~inside;
    const std::uint64_t opening = quote & inside;
    odd |= (m.control & inside) | (m.backslash & ~inside);
    odd |= (closing << 1 | s.closed_string) & ~m.structure;
    odd |= opening & ~(m.structure << 1 | s.before_string);
    const std::size_t base = n * kBlockTextBytes;
    if (odd != 0 && out.odd == kSpanTextBytes) {
      out.odd =
          static_cast<std::uint32_t>(base) + static_cast<std::uint32_t>(std::countr_zero(odd));
    }
    places = write_places(m.brace & ~inside, base, places);
    out.backslashes[n] = m.backslash;
    backslashes |= m.backslash;
    s.in_string = 0 - (inside >> 63);
    s.closed_string = closing >> 63;
    s.before_string = m.structure >> 63;
  }
  out.brace_count = static_cast<std::uint32_t>(places - out.braces.data());
  out.any_backslash = backslashes != 0;
  state = s;
}

}  // namespace stepscope::analysis::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace stepscope::analysis {

HWY_EXPORT(scan_span);

void scan_text_span(const char* text, std::size_t blocks, TextState& state, TextSpan& out) {
  HWY_DYNAMIC_DISPATCH(scan_span)(text, blocks, state, out);
}

}  // namespace stepscope::analysis
#endif
