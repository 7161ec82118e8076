#pragma once
// The arithmetic of the toy decoder: plain loops over row-major float matrices. Sizes are the
// caller's promise; every output span is overwritten.

#include <cstdint>
#include <span>
#include <vector>

namespace stepscope::workers {

// `count` weights from a fixed sequence of pseudo-random numbers, uniform in [-scale, scale).
std::vector<float> fixed_weights(std::uint64_t seed, std::size_t count, float scale);

// out[rows][n] = in[rows][k] * weights[k][n]
void matmul(std::span<const float> in, std::span<const float> weights, std::span<float> out, int k,
            int n);
// Each row of `width` divided by its root mean square, times `gain`.
void rms_norm(std::span<const float> in, std::span<const float> gain, std::span<float> out,
              int width);
// out[rows][width] = silu(in[rows][0..width)) * in[rows][width..2*width)
void silu_and_mul(std::span<const float> in, std::span<float> out, int width);
// Rotates pairs of one head's vector by its position.
void rope(std::span<float> head, int position);
// Softmax over scores, then the weighted sum of value rows (`stride` apart): one head, one query.
void attend(std::span<const float> query, std::span<const float> keys,
            std::span<const float> values, int positions, int stride, std::span<float> scores,
            std::span<float> out);
// Indices of the `count` largest, largest first; ties: the lower index.
std::vector<int> top_k(std::span<const float> scores, int count);
// In place.
void softmax(std::span<float> scores);

}  // namespace stepscope::workers
