#include "workers/recipes/toy_math.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>

namespace stepscope::workers {
namespace {

constexpr float kNormEpsilon = 1e-6F;
constexpr float kRopeBase = 10'000.0F;

// SplitMix64: the same numbers on every machine.
std::uint64_t next(std::uint64_t& state) {
  state += 0x9E3779B97F4A7C15ULL;
  std::uint64_t z = state;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ULL;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBULL;
  return z ^ (z >> 31);
}

}  // namespace

std::vector<float> fixed_weights(std::uint64_t seed, std::size_t count, float scale) {
  std::vector<float> result(count);
  for (float& value : result) {
    const auto bits = static_cast<float>(next(seed) >> 40);  // 24 bits: exact in a float
    value = (bits / 8'388'608.0F - 1.0F) * scale;
  }
  return result;
}

void matmul(std::span<const float> in, std::span<const float> weights, std::span<float> out, int k,
            int n) {
  const auto depth = static_cast<std::size_t>(k);
  const auto width = static_cast<std::size_t>(n);
  const std::size_t rows = in.size() / depth;
  std::ranges::fill(out, 0.0F);
  for (std::size_t row = 0; row < rows; ++row) {
    float* const sums = out.data() + row * width;
    for (std::size_t i = 0; i < depth; ++i) {
      const float factor = in[row * depth + i];
      const float* const line = weights.data() + i * width;
      for (std::size_t j = 0; j < width; ++j) sums[j] += factor * line[j];
    }
  }
}

void rms_norm(std::span<const float> in, std::span<const float> gain, std::span<float> out,
              int width) {
  const auto w = static_cast<std::size_t>(width);
  for (std::size_t start = 0; start < in.size(); start += w) {
    float squares = 0.0F;
    for (std::size_t i = 0; i < w; ++i) squares += in[start + i] * in[start + i];
    const float scale = 1.0F / std::sqrt(squares / static_cast<float>(width) + kNormEpsilon);
    for (std::size_t i = 0; i < w; ++i) out[start + i] = in[start + i] * scale * gain[i];
  }
}

void silu_and_mul(std::span<const float> in, std::span<float> out, int width) {
  const auto w = static_cast<std::size_t>(width);
  for (std::size_t row = 0; row * w < out.size(); ++row) {
    for (std::size_t i = 0; i < w; ++i) {
      const float gate = in[row * 2 * w + i];
      out[row * w + i] = gate / (1.0F + std::exp(-gate)) * in[row * 2 * w + w + i];
    }
  }
}

void rope(std::span<float> head, int position) {
  for (std::size_t i = 0; i + 1 < head.size(); i += 2) {
    const float share = static_cast<float>(i) / static_cast<float>(head.size());
    const float angle = static_cast<float>(position) * std::pow(kRopeBase, -share);
    const float a = head[i];
    const float b = head[i + 1];
    head[i] = a * std::cos(angle) - b * std::sin(angle);
    head[i + 1] = a * std::sin(angle) + b * std::cos(angle);
  }
}

void softmax(std::span<float> scores) {
  const float top = *std::ranges::max_element(scores);
  float sum = 0.0F;
  for (float& score : scores) {
    score = std::exp(score - top);
    sum += score;
  }
  for (float& score : scores) score /= sum;
}

void attend(std::span<const float> query, std::span<const float> keys,
            std::span<const float> values, int positions, int stride, std::span<float> scores,
            std::span<float> out) {
  const float scale = 1.0F / std::sqrt(static_cast<float>(query.size()));
  const auto step = static_cast<std::size_t>(stride);
  const auto seen = static_cast<std::size_t>(positions);
  for (std::size_t p = 0; p < seen; ++p) {
    float product = 0.0F;
    for (std::size_t i = 0; i < query.size(); ++i) product += query[i] * keys[p * step + i];
    scores[p] = product * scale;
  }
  softmax(scores.first(seen));
  std::ranges::fill(out, 0.0F);
  for (std::size_t p = 0; p < seen; ++p) {
    for (std::size_t i = 0; i < out.size(); ++i) out[i] += scores[p] * values[p * step + i];
  }
}

std::vector<int> top_k(std::span<const float> scores, int count) {
  std::vector<int> order(scores.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::sort(order, [&](int a, int b) {
    const float left = scores[static_cast<std::size_t>(a)];
    const float right = scores[static_cast<std::size_t>(b)];
    return left != right ? left > right : a < b;
  });
  order.resize(static_cast<std::size_t>(count));
  return order;
}

}  // namespace stepscope::workers
